#include "tune/replay/replay.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "base/clock.hpp"

namespace kiln::tune {
namespace {

constexpr double kPartOfTheWay = 0.95;

/// The mean of the least of `draws` of these ascending times, drawn without putting back. The
/// chance that the least is the i-th follows from that of the i-1 before it not being drawn.
double mean_of_least(const std::vector<double>& ascending, std::size_t draws) {
  const auto n = static_cast<double>(ascending.size()), k = static_cast<double>(draws);
  double none_before = 1, mean = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const double left = n - static_cast<double>(i);
    const double chance = std::min(k / left, 1.0);  // that the i-th is drawn, if none before was
    mean += none_before * chance * ascending[i];
    none_before *= 1 - chance;
    if (none_before < 1e-12) break;
  }
  return mean;
}

}  // namespace

RandomBaseline::RandomBaseline(std::span<const Outcome> outcomes) {
  std::vector<double> times;
  for (const Outcome& outcome : outcomes)
    if (outcome.ok()) times.push_back(outcome.time);
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  optimum_ = times.front();
  slowest_ = times.back();
  const double median = times[times.size() / 2];
  const double aim = median - kPartOfTheWay * (median - optimum_);
  times.resize(outcomes.size(), slowest_);
  do {
    expected_.push_back(mean_of_least(times, expected_.size() + 1));
  } while (expected_.back() > aim && expected_.size() < times.size());
}

double RandomBaseline::score(std::span<const Trial> trials) const {
  double best = slowest_, sum = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    if (i < trials.size() && trials[i].outcome.ok()) best = std::min(best, trials[i].outcome.time);
    const double room = expected_[i] - optimum_;
    if (room <= 0) continue;  // random is there as well
    sum += (expected_[i] - best) / room;
    ++counted;
  }
  return counted == 0 ? 0 : sum / static_cast<double>(counted);
}

Search replay(const MeasuredSpace& measured, Strategy& strategy, double share, std::size_t least,
              std::size_t most) {
  Search search;
  while (search.trials.size() < most) {
    if (search.reached != 0 && search.trials.size() >= least) break;
    const auto id = strategy.ask();
    if (!id) break;
    const Outcome& outcome = measured.outcomes[*id];
    strategy.tell(*id, outcome);
    search.trials.push_back({*id, outcome});
    const bool near = outcome.ok() && measured.fastest / outcome.time >= share;
    if (near && search.reached == 0) search.reached = search.trials.size();
    // Nothing that could follow would change a figure.
    if (outcome.ok() && outcome.time == measured.fastest) break;
  }
  return search;
}

ReplayFigures replay_seeds(const MeasuredSpace& measured, const StrategyMaker& make,
                           const ReplayOptions& options) {
  const RandomBaseline baseline(measured.outcomes);
  struct Result {
    std::size_t reached = 0;
    double score = 0;
  };
  std::vector<Result> results(options.seeds);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto one = [&](std::size_t i) {
    const auto strategy = make(i + 1);
    const Search search =
        replay(measured, *strategy, options.share, baseline.budget(), options.most);
    results[i] = {search.reached, baseline.score(search.trials)};
    const std::lock_guard lock(mutex);
    if (options.after_seed && !options.after_seed()) next = options.seeds;
  };
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next++) < options.seeds;) one(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = options.seeds;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < options.threads; ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  // Summed up in the order of the seeds, so that the last digit does not depend on the threads.
  ReplayFigures figures;
  figures.seeds = options.seeds;
  std::vector<double> counts;
  for (const Result& result : results) {
    const std::size_t count = result.reached != 0 ? result.reached : measured.outcomes.size();
    figures.not_reached += result.reached == 0;
    figures.evaluations.push_back(count);
    counts.push_back(static_cast<double>(count));
    figures.score += result.score / static_cast<double>(options.seeds);
  }
  figures.median_evaluations = median(counts);
  figures.p90_evaluations = quantile(counts, 0.9);
  return figures;
}

}  // namespace kiln::tune
