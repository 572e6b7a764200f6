#include "store/local/eviction.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace kiln {
namespace {

constexpr double half_life_seconds = 14 * 86'400;
// An entry whose cost was not measured took some time, too.
constexpr double least_cost = 0.001;
constexpr double least_cost_of_record = 10;
// Columns of fixed size, and the row's part of the tree.
constexpr std::uint64_t row_bytes = 160;

/// Platform name and device name: the first and the third part of a fingerprint.
std::string_view part(std::string_view fingerprint, int index) {
  for (; index > 0; --index) {
    const auto bar = fingerprint.find('|');
    if (bar == fingerprint.npos) return {};
    fingerprint.remove_prefix(bar + 1);
  }
  return fingerprint.substr(0, fingerprint.find('|'));
}

bool same_device(std::string_view a, std::string_view b) {
  return part(a, 0) == part(b, 0) && part(a, 2) == part(b, 2);
}

}  // namespace

std::uint64_t footprint(const EntryInfo& entry) {
  const Metadata& metadata = entry.metadata;
  return row_bytes + entry.canonical_size + entry.size + metadata.label.size() +
         metadata.fingerprint.size() + metadata.options.size() + metadata.build_log.size();
}

double usefulness(const EntryInfo& entry, std::int64_t now) {
  const double least = entry.kind == Kind::record ? least_cost_of_record : least_cost;
  const double cost = std::max(entry.metadata.cost_seconds, least);
  const auto age = static_cast<double>(now - std::max(entry.last_used, entry.created));
  const double freshness = std::exp2(-std::max(age, 0.0) / half_life_seconds);
  return cost * (1 + static_cast<double>(entry.hits)) * freshness /
         static_cast<double>(footprint(entry));
}

StaleDevices::StaleDevices(std::vector<std::string> fingerprints)
    : present_(std::move(fingerprints)) {}

bool StaleDevices::stale(const std::string& fingerprint) const {
  if (fingerprint.empty()) return false;
  bool known = false;
  for (const auto& present : present_) {
    if (present == fingerprint) return false;
    known = known || same_device(present, fingerprint);
  }
  return known;
}

RemovalCandidate::RemovalCandidate(const RowHead& row, std::int64_t now,
                                   const StaleDevices& devices)
    : kind(row.kind),
      key(row.key),
      blob(row.blob),
      created(row.created),
      bytes(footprint(row)),
      usefulness(kiln::usefulness(row, now)),
      stale(devices.stale(row.metadata.fingerprint)) {}

void sort_for_removal(std::vector<RemovalCandidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.stale != b.stale ? a.stale : a.usefulness < b.usefulness;
  });
}

}  // namespace kiln
