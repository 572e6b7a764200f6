#include "tune/campaign/share_out.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln::tune {

using Milliseconds = std::chrono::milliseconds;

std::vector<Milliseconds> share_out(Milliseconds time, std::span<const double> weights,
                                    Milliseconds least) {
  std::vector<Milliseconds> parts(weights.size(), Milliseconds(0));
  // Below zero where more than there was has been spent.
  const auto unit = std::max(least, Milliseconds(1));
  const auto enough = time < unit ? 0 : static_cast<std::size_t>(time / unit);
  const std::size_t count = std::min(enough, weights.size());
  // Who would get less than the least gets that; the others share the rest by their weights, which
  // may bring the next one below.
  std::vector<bool> has_least(count, false);
  for (bool changed = true; changed;) {
    changed = false;
    double sum = 0;
    Milliseconds left = time;
    for (std::size_t i = 0; i < count; ++i) {
      if (has_least[i])
        left -= least;
      else
        sum += std::max(weights[i], 0.0);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (has_least[i]) continue;
      const double part = sum > 0 ? std::max(weights[i], 0.0) / sum : 0;
      parts[i] = Milliseconds(
          static_cast<Milliseconds::rep>(std::floor(static_cast<double>(left.count()) * part)));
      if (parts[i] >= least) continue;
      parts[i] = least;
      has_least[i] = changed = true;
    }
  }
  return parts;
}

}  // namespace kiln::tune
