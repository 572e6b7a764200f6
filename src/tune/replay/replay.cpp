#include "tune/replay/replay.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "base/statistics.hpp"
#include "tune/replay/score.hpp"

namespace kiln::tune {

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
