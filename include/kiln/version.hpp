#pragma once

#include <string_view>

#include "kiln/api.hpp"

namespace kiln {

/// The version of the library that runs, e.g. "0.1.0". The headers' own version is the CMake
/// package's and kiln.pc's. Thread-safe; the text lives as long as the process.
KILN_API std::string_view version() noexcept;

}  // namespace kiln
