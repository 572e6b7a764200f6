#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

using Release = std::pair<unsigned, unsigned>;  // major, minor

/// "7.1" at the front of the text.
std::optional<Release> release_at(std::string_view text) {
  const char* end = text.data() + text.size();
  Release release;
  auto at = std::from_chars(text.data(), end, release.first);
  if (at.ec != std::errc() || at.ptr == end || *at.ptr != '.') return std::nullopt;
  at = std::from_chars(at.ptr + 1, end, release.second);
  if (at.ec != std::errc()) return std::nullopt;
  return release;
}

struct Row {
  Release first;  ///< the first release with this range
  VersionRange versions;
};
constexpr Row rows[] = {{{0, 14}, {1, 1}}, {{1, 0}, {6, 6}},  {{1, 3}, {6, 7}}, {{1, 8}, {8, 8}},
                        {{3, 1}, {9, 9}},  {{4, 0}, {9, 11}}, {{7, 2}, {9, 12}}};

}  // namespace

std::optional<VersionRange> versions_of_release(std::string_view platform_version) {
  // Releases before 5.0 write "pocl".
  std::size_t at = platform_version.find("PoCL ");
  if (at == platform_version.npos) at = platform_version.find("pocl ");
  if (at == platform_version.npos) return std::nullopt;
  const auto release = release_at(platform_version.substr(at + 5));
  std::optional<VersionRange> versions;
  if (!release) return versions;
  for (const Row& row : rows)
    if (row.first <= *release) versions = row.versions;
  return versions;
}

std::string device_refusal(const Archive& archive, std::string_view device_string,
                           std::string_view platform_version) {
  if (device_string.empty()) return "the device is not PoCL's: it has no device string (HSTR)";
  const std::uint64_t id = device_id(device_string);
  if (id != archive.device_id)
    return fmt::format(
        "the device is '{}', id {:#018x}; the archive was made for a device of id {:#018x}",
        device_string, id, archive.device_id);
  const auto versions = versions_of_release(platform_version);
  if (!versions) return {};
  if (archive.version < versions->oldest)
    return fmt::format("the archive has format version {}; this PoCL reads {} and later",
                       archive.version, versions->oldest);
  if (archive.version > versions->newest)
    return fmt::format(
        "the archive has format version {}; this PoCL knows none above {}, and misreads them",
        archive.version, versions->newest);
  return {};
}

}  // namespace kiln::poclbin
