#pragma once

#include <string_view>

#include "kiln/api.hpp"

/// The version of these headers, semantic (CHANGELOG.md says what that promises). The build, the
/// CMake package and the pkg-config files take it from here.
#define KILN_VERSION_MAJOR 0
#define KILN_VERSION_MINOR 2
#define KILN_VERSION_PATCH 0

/// A version as one number, for comparisons: `#if KILN_VERSION >= KILN_VERSION_OF(0, 2, 0)`.
#define KILN_VERSION_OF(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define KILN_VERSION KILN_VERSION_OF(KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_VERSION_PATCH)

namespace kiln {

/// The version of the library that runs, e.g. "0.2.0"; that of the headers is in the macros.
/// Thread-safe; the text lives as long as the process.
KILN_API std::string_view version() noexcept;

}  // namespace kiln
