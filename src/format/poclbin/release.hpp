#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "format/poclbin.hpp"

/// Which archives a PoCL installation takes, told without asking it: PoCL itself answers every
/// refusal with one error code, and misreads what is newer than itself. Pure, thread-safe.
namespace kiln::poclbin {

/// A release's format versions, from the oldest that it reads to the one that it writes.
struct VersionRange {
  std::uint32_t oldest = 0, newest = 0;
  bool operator==(const VersionRange&) const = default;
};

/// The versions of the release in a text such as CL_PLATFORM_VERSION, "OpenCL 3.0 PoCL 3.1+debian
/// Linux …"; nothing where no release is named. Later releases than those known here count as the
/// last one.
std::optional<VersionRange> versions_of_release(std::string_view platform_version);

/// Why a device with that device string (HSTR) and platform version refuses the archive, in one
/// line with both sides; empty where it takes it. An empty platform version leaves the format
/// version out of account.
std::string device_refusal(const Archive& archive, std::string_view device_string,
                           std::string_view platform_version);

}  // namespace kiln::poclbin
