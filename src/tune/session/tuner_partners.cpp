// What a Tuner does where others search the same space.
#include <algorithm>

#include "tune/session/tuner.hpp"

namespace kiln::tune {
namespace {

/// Of what others have measured, so many good ones are measured again before the play-off, of so
/// many tries: what they say may be wrong.
constexpr std::size_t most_measured_again = 8, most_tries = 32;
/// What is slower by more is not measured again.
constexpr double near_the_best = 1.1;

}  // namespace

Expected<void> Tuner::hear() {
  if (options_.partners == nullptr) return {};
  for (auto [id, report] : options_.partners->news()) {
    if (strategy_.history().find(id) != nullptr) continue;
    report.elsewhere = true;
    strategy_.tell(id, report.outcome);
    note(id, report.outcome);
    if (auto added = journal_.add(strategy_.history().space(), id, report); !added) return added;
  }
  std::erase_if(theirs_,
                [&](ConfigurationId id) { return strategy_.history().find(id) != nullptr; });
  return {};
}

std::optional<ConfigurationId> Tuner::ask_one() {
  for (;;) {
    // The one that was taken first comes back first where its taker has died.
    const bool from_others = !theirs_.empty() && turn_++ % 2 == 0;
    const auto id = from_others ? std::optional(theirs_.front()) : strategy_.ask();
    if (from_others) theirs_.erase(theirs_.begin());
    if (!id) return id;
    if (strategy_.history().find(*id) != nullptr) continue;
    if (options_.partners == nullptr || repeats_) return id;
    switch (options_.partners->take(*id)) {
      case Partners::Claim::mine:
        return id;
      case Partners::Claim::theirs:
        theirs_.push_back(*id);
        break;
      case Partners::Claim::known:
        // It comes with the news; what does not is measured here.
        if (!hear() || strategy_.history().find(*id) == nullptr) return id;
        break;
    }
  }
}

/// What was asked for before anybody could take it.
void Tuner::claim_ahead() {
  if (options_.partners == nullptr) return;
  std::erase_if(ahead_, [&](ConfigurationId id) {
    if (options_.partners->take(id) == Partners::Claim::mine) return false;
    theirs_.push_back(id);
    return true;
  });
}

/// The best of what others have measured meets what was measured here: by numbers from one machine.
void Tuner::measure_best_of_others() {
  std::vector<Trial> others;
  for (const auto& trial : strategy_.history().trials())
    if (trial.outcome.ok() && !here_.contains(trial.id)) others.push_back(trial);
  std::stable_sort(others.begin(), others.end(),
                   [](const Trial& a, const Trial& b) { return better(a.outcome, b.outcome); });
  std::optional<double> best;
  for (const auto& trial : strategy_.history().trials())
    if (trial.outcome.ok() && here_.contains(trial.id))
      best = std::min(best.value_or(trial.outcome.time), trial.outcome.time);
  std::size_t again = 0, tries = 0;
  for (const auto& trial : others) {
    if (again >= most_measured_again || tries >= most_tries) break;
    if (best && trial.outcome.time > near_the_best * *best) break;
    ++tries;
    if (!worker_.prepare(trial.id).outcome.ok()) continue;
    const auto outcome = measure(trial.id);
    if (!outcome) return;
    if (!outcome->ok()) continue;
    ++again;
    here_.insert(trial.id);
    const double time = outcome->time * scale_;
    best = std::min(best.value_or(time), time);
  }
}

}  // namespace kiln::tune
