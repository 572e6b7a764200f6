#include "tune/replay/replay.hpp"

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
  ReplayFigures figures;
  figures.seeds = options.seeds;
  std::vector<double> counts;
  for (std::size_t seed = 1; seed <= options.seeds; ++seed) {
    const auto strategy = make(seed);
    const Search search =
        replay(measured, *strategy, options.share, baseline.budget(), options.most);
    const std::size_t count = search.reached != 0 ? search.reached : measured.outcomes.size();
    figures.not_reached += search.reached == 0;
    figures.evaluations.push_back(count);
    counts.push_back(static_cast<double>(count));
    figures.score += baseline.score(search.trials) / static_cast<double>(options.seeds);
  }
  figures.median_evaluations = median(counts);
  figures.p90_evaluations = quantile(counts, 0.9);
  return figures;
}

}  // namespace kiln::tune
