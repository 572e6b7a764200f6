#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tune/measure/outcome.hpp"
#include "tune/replay/measured_space.hpp"
#include "tune/strategy/strategy.hpp"

/// Searches over a measured space, and figures of how well strategies do in them.
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

/// Makes a strategy for one seed.
using StrategyMaker = std::function<std::unique_ptr<Strategy>(std::uint64_t seed)>;

/// One search over a measured space, with the file's times in place of a device.
struct Search {
  std::vector<Trial> trials;  ///< in the order of asking; none stands twice, failures count
  /// The evaluation, from 1, that first came within the aim; 0 where none did.
  std::size_t reached = 0;
};

/// Runs a strategy until it comes within the aim (speed >= share * the optimum's), but at least
/// `least` and at most `most` evaluations or to the end of the space.
Search replay(const MeasuredSpace& measured, Strategy& strategy, double share, std::size_t least,
              std::size_t most);

/// How a strategy does over many seeds.
struct ReplayFigures {
  double median_evaluations = 0, p90_evaluations = 0;
  double score = 0;  ///< RandomBaseline::score()
  std::size_t seeds = 0;
  std::size_t not_reached = 0;           ///< seeds; they count as the whole space
  std::vector<std::size_t> evaluations;  ///< of each seed, from seed 1 up
};

struct ReplayOptions {
  std::size_t seeds = 100;
  double share = 0.95;  ///< of the optimum's speed
  /// After so many evaluations a search is given up, and counts as the whole space.
  std::size_t most = 5'000;
  std::size_t threads = 1;  ///< that share the seeds; the figures do not depend on it
  /// Called after each seed, by one thread at a time; where it returns false, the seeds that are
  /// not begun are left out and the figures are worth nothing.
  std::function<bool()> after_seed = {};
};

/// Seeds 1 to options.seeds. Quantiles are those of the evaluations, by linear interpolation.
/// `make` must be thread-safe where there are several threads.
ReplayFigures replay_seeds(const MeasuredSpace& measured, const StrategyMaker& make,
                           const ReplayOptions& options = {});

}  // namespace kiln::tune
