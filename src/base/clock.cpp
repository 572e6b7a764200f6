#include "base/clock.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kiln {

double quantile(std::span<const double> samples, double q) {
  if (samples.empty()) return std::nan("");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

void follow_shorter(double& mean, double value) {
  const double part = value < mean ? 0.7 : 0.2;
  mean = mean == 0 ? value : mean * (1 - part) + value * part;
}

}  // namespace kiln
