#pragma once

#include <chrono>
#include <span>
#include <vector>

namespace kiln::tune {

/// How a time is shared out among searches by their weights (0 or more), where none gets less than
/// `least`. Where the time is not enough for all, the first ones get `least` each and the rest 0.
/// The sum is never more than `time`. As many numbers as weights.
std::vector<std::chrono::milliseconds> share_out(std::chrono::milliseconds time,
                                                 std::span<const double> weights,
                                                 std::chrono::milliseconds least);

}  // namespace kiln::tune
