#include "schedule/split.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace kiln {

std::vector<Part> cut(std::size_t groups, std::span<const double> weights) {
  std::vector<Part> parts(weights.size());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i];
    // The running sum, not each share, is rounded: no group is lost or given twice.
    const double share = total > 0 ? sum / total : 1.0;
    std::size_t end = static_cast<std::size_t>(std::llround(share * static_cast<double>(groups)));
    if (i + 1 == weights.size() || end > groups) end = groups;
    parts[i] = {at, std::max(at, end)};
    at = parts[i].end;
  }
  return parts;
}

std::vector<double> class_weights(int partition, std::size_t devices) {
  if (devices == 1) return {10};
  std::vector<double> weights(
      devices, static_cast<double>(10 - partition) / static_cast<double>(devices - 1));
  weights[0] = partition;
  return weights;
}

NDRange part_range(const NDRange& whole, const Part& part) {
  NDRange range = whole;
  range.global[0] = part.groups() * whole.local[0];
  range.offset[0] = whole.offset[0] + part.begin * whole.local[0];
  return range;
}

std::optional<ByteRange> slice_of(const BufferArgument& buffer, const Part& part,
                                  std::size_t groups) {
  const std::size_t size = buffer.data.size();
  // size * group / groups, exactly and without overflow: both are reduced first.
  const std::size_t common = std::gcd(size, groups);
  const auto at = [&](std::size_t group) -> std::optional<std::size_t> {
    const std::size_t step = groups / common;
    if (group % step != 0) return {};
    const std::size_t byte = size / common * (group / step);
    const std::size_t element = std::max<std::size_t>(buffer.element_bytes, 1);
    return byte % element == 0 ? std::optional(byte) : std::nullopt;
  };
  const auto begin = at(part.begin), end = at(part.end);
  if (!begin || !end) return {};
  return ByteRange{*begin, *end};
}

namespace {

constexpr std::size_t usual_block = 4096;
const std::byte zeros[usual_block] = {};

bool all_zero(const std::byte* bytes, std::size_t size) {
  for (std::size_t at = 0; at < size; at += usual_block)
    if (std::memcmp(bytes + at, zeros, std::min(usual_block, size - at)) != 0) return false;
  return true;
}

/// Whether bytes are as before; without `initial`, zero.
bool unchanged(const std::byte* bytes, const std::byte* initial, std::size_t size) {
  return initial == nullptr ? all_zero(bytes, size) : std::memcmp(bytes, initial, size) == 0;
}

/// Merges one block, element by element; the last element may be cut off by the buffer's end.
std::optional<std::size_t> merge_block(std::byte* result, const std::byte* changed,
                                       const std::byte* initial, std::size_t bytes,
                                       std::size_t unit, SameChange same_change) {
  for (std::size_t at = 0; at < bytes; at += unit) {
    const std::size_t size = std::min(unit, bytes - at);
    const std::byte* before = initial == nullptr ? nullptr : initial + at;
    if (unchanged(changed + at, before, size)) continue;
    if (!unchanged(result + at, before, size)) {
      if (same_change == SameChange::conflicts || std::memcmp(result + at, changed + at, size) != 0)
        return at;
      continue;
    }
    std::memcpy(result + at, changed + at, size);
  }
  return {};
}

}  // namespace

MergeOutcome merge_changes(std::span<std::byte> result, ByteView changed, ByteView initial,
                           std::size_t element_bytes, SameChange same_change) {
  // Too large a unit may see a conflict where none is, too small a one may miss it.
  const std::size_t unit = std::max<std::size_t>(element_bytes, 1);
  // Elements do not reach from one block into the next.
  const std::size_t block = unit >= usual_block ? unit : usual_block / unit * unit;
  MergeOutcome outcome;
  for (std::size_t at = 0; at < result.size(); at += block) {
    const std::size_t size = std::min(block, result.size() - at);
    const std::byte* before = initial.empty() ? nullptr : initial.data() + at;
    // Most blocks were touched by one side only, and memcmp runs at memory speed.
    if (unchanged(changed.data() + at, before, size)) continue;
    outcome.changed = true;
    if (unchanged(result.data() + at, before, size)) {
      std::memcpy(result.data() + at, changed.data() + at, size);
      continue;
    }
    const auto conflict =
        merge_block(result.data() + at, changed.data() + at, before, size, unit, same_change);
    if (!conflict) continue;
    outcome.conflict = at + *conflict;
    return outcome;
  }
  return outcome;
}

}  // namespace kiln
