#pragma once

#include <span>
#include <vector>

#include "tune/strategy/outcome.hpp"

namespace kiln::tune {

/// What random search without repeats comes to on a measured space, on average, and the score of
/// searches against it: that of the autotuning community's methodology (Willemsen, Schoonhoven,
/// Filipovič, Tørring, van Nieuwpoort, van Werkhoven: A methodology for comparing optimization
/// algorithms for auto-tuning, FGCS 159, 2024). At each evaluation of the budget,
/// (random's best - found) / (random's best - optimum), averaged: 0 is as good as random, 1 would
/// be the optimum at once. Here time is counted in evaluations, which a replay has exactly.
class RandomBaseline {
 public:
  explicit RandomBaseline(std::span<const Outcome> outcomes);

  /// Evaluations until random's best has come 95 % of the way from the median to the optimum.
  std::size_t budget() const { return expected_.size(); }
  /// The mean of random's best time after `evaluations` (1 to budget) of them. While all may have
  /// failed, a failure counts as the slowest time.
  double expected_best(std::size_t evaluations) const { return expected_[evaluations - 1]; }
  /// Of one search, whose trials are in the order of evaluation. A search that ended early keeps
  /// its best.
  double score(std::span<const Trial> trials) const;

 private:
  double optimum_ = 0, slowest_ = 0;
  std::vector<double> expected_;
};

}  // namespace kiln::tune
