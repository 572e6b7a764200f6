#include "tune/strategy/strategy.hpp"

#include <fmt/format.h>

#include "base/data/text.hpp"
#include "tune/strategy/forest_search.hpp"
#include "tune/strategy/simple.hpp"

namespace kiln::tune {

const Outcome* History::find(ConfigurationId id) const {
  const auto found = known_.find(id);
  if (found == known_.end() || found->second == kNone) return nullptr;
  return &trials_[found->second].outcome;
}

void History::tell(ConfigurationId id, const Outcome& outcome) {
  const auto [entry, is_new] = known_.emplace(id, kNone);
  if (entry->second != kNone) {
    trials_[entry->second].outcome = outcome;
    best_ = kNone;  // the replaced one may have been it
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      const Outcome none = Outcome::of(Failure::launch);
      if (better(trials_[i].outcome, best_ == kNone ? none : trials_[best_].outcome)) best_ = i;
    }
    return;
  }
  entry->second = trials_.size();
  trials_.push_back({id, outcome});
  if (!outcome.ok()) return;
  if (best_ == kNone || better(outcome, trials_[best_].outcome)) best_ = trials_.size() - 1;
}

std::optional<ConfigurationId> History::any_new(Random& random) const {
  if (all_asked()) return std::nullopt;
  constexpr int kTries = 64;
  ConfigurationId id = 0;
  for (int i = 0; i < kTries; ++i) {
    id = space_->sample(random);
    if (!was_asked(id)) return id;
  }
  // Nearly all are asked for: the next one that is not.
  while (was_asked(id)) id = (id + 1) % space_->size();
  return id;
}

std::optional<ConfigurationId> Strategy::ask() {
  if (history_.all_asked()) return std::nullopt;
  auto id = propose();
  if (!id) return std::nullopt;
  if (history_.was_asked(*id)) id = history_.any_new(random_);
  history_.ask(*id);
  return id;
}

void Strategy::tell(ConfigurationId id, const Outcome& outcome) { history_.tell(id, outcome); }

namespace {

constexpr StrategyInfo infos[] = {
    {"forest", "expected improvement over a forest of randomised trees (the default)", false},
    {"multi-start", "hill climbing from random starts", true},
    {"iterated-local", "hill climbing from near the best so far (basin hopping)", true},
    {"annealing", "simulated annealing", true},
    {"genetic", "a genetic algorithm", true},
    {"random", "random without repeats", false},
    {"exhaustive", "all configurations in their order", false},
};

}  // namespace

std::span<const StrategyInfo> strategies() { return infos; }

Expected<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const SearchSpace& space,
                                                  std::uint64_t seed,
                                                  std::shared_ptr<const Transfer> transfer) {
  if (name.empty() || name == "forest") {
    return std::make_unique<ForestSearch>(space, seed, std::move(transfer));
  }
  if (name == "multi-start") return std::make_unique<MultiStart>(space, seed);
  if (name == "iterated-local") return std::make_unique<IteratedLocal>(space, seed);
  if (name == "annealing") return std::make_unique<Annealing>(space, seed);
  if (name == "genetic") return std::make_unique<Genetic>(space, seed);
  if (name == "random") return std::make_unique<RandomSearch>(space, seed);
  if (name == "exhaustive") return std::make_unique<Exhaustive>(space, seed);
  std::vector<std::string_view> names;
  for (const StrategyInfo& info : infos) names.push_back(info.name);
  return fail(Errc::bad_input, fmt::format("no strategy is named '{}'{}", one_line(name),
                                           did_you_mean(name, names)));
}

}  // namespace kiln::tune
