#include "tune/strategy/strategy.hpp"

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

}  // namespace kiln::tune
