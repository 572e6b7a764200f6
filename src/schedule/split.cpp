#include "schedule/split.hpp"

#include <algorithm>
#include <cmath>
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

}  // namespace kiln
