#include "schedule/split.hpp"

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

}  // namespace kiln
