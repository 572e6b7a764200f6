#include "tune/search/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/clock.hpp"
#include "base/expected.hpp"

namespace kiln::tune {
namespace {

/// How many of an earlier run's best are measured again, so that they are in the play-off.
constexpr std::size_t measured_again = 5;
/// Of what others have measured, so many good ones are measured again before the play-off, of so
/// many tries: what they say may be wrong.
constexpr std::size_t most_measured_again = 8, most_tries = 32;
/// What is slower than the best by more than this factor is not measured again.
constexpr double near_the_best = 1.1;

/// Gives a lock that was got back at the end of its scope. Null: there is none.
std::unique_lock<MachineLock> held(MachineLock* lock) {
  return lock == nullptr ? std::unique_lock<MachineLock>()
                         : std::unique_lock(*lock, std::adopt_lock);
}

}  // namespace

bool Tuner::is_over() const {
  if (locked_out_ || (options_.most > 0 && evaluated_now_ >= options_.most)) return true;
  return options_.budget.count() > 0 &&
         std::chrono::steady_clock::now() - start_ >= options_.budget;
}

std::chrono::steady_clock::time_point Tuner::end_of_wait() const {
  if (ends_) return std::chrono::steady_clock::now() + options_.last_wait;
  return options_.budget.count() > 0 ? start_ + options_.budget
                                     : std::chrono::steady_clock::time_point::max();
}

bool Tuner::get_lock() {
  if (options_.lock == nullptr || options_.lock->try_lock()) return true;
  using std::chrono::steady_clock, std::chrono::milliseconds, std::chrono::duration_cast;
  const auto begin = steady_clock::now();
  const auto got = options_.lock->wait(end_of_wait(), [&] {
    const auto now = steady_clock::now();
    state_.spent = duration_cast<milliseconds>(now - start_);
    state_.waiting = {options_.lock->holder(), duration_cast<milliseconds>(now - begin)};
    return goes_on_ = goes_on_ && (*listener_)(state_);
  });
  state_.waiting.reset();
  return got == MachineLock::Waited::locked;
}

/// While this one measures, no other tuner of the machine does. Compiles may.
std::optional<Outcome> Tuner::measure(ConfigurationId id) {
  if (locked_out_ || !get_lock()) {
    locked_out_ = true;
    return std::nullopt;
  }
  const auto holding = held(options_.lock);
  return sampling_.measure(id);
}

/// Measures one and tells all that learn from it.
void Tuner::evaluate(ConfigurationId id) {
  Report report{Outcome::of_time(1), ""};
  if (in_pool_ > 0) {
    --in_pool_;
    report = options_.compilers->take(id);
  }
  // A compile that fails at the device and not in the compiler may find it gone: the worker knows.
  if (report.outcome.ok() || report.outcome.failure == Failure::launch)
    report = worker_.prepare(id);
  if (report.outcome.ok()) {
    const auto outcome = measure(id);
    if (!outcome) return;
    report.outcome = *outcome;
    if (report.outcome.ok())
      report.outcome.time *= scale_;
    else
      report.message = worker_.prepare(id).message;
  }
  // Not the candidate's fault, and nothing to remember it by.
  if (worker_.gone()) throw *worker_.gone();
  strategy_.tell(id, report.outcome);
  here_.insert(id);
  note(id, report.outcome);
  if (options_.partners != nullptr) options_.partners->tell(id, report);
  value_or_throw(journal_.add(tunable_.space(), id, report));
}

void Tuner::note(ConfigurationId id, const Outcome& outcome) {
  ++evaluated_now_;
  ++state_.evaluated;
  if (!outcome.ok()) ++state_.failed;
  if (const Trial* best = strategy_.history().best()) state_.best = *best;
  state_.spent = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start_);
  if (tunable_.standard() == id && outcome.ok() && here_.contains(id)) standard_ = outcome.time;
}

/// While measurements run the compilers always have something to do. Where they would take the
/// measured device's cores, all that was asked for is compiled, then all of it measured.
void Tuner::ask_ahead() {
  std::size_t wanted = 1;
  if (options_.compilers != nullptr && strategy_.asks_ahead()) {
    if (!options_.compile_meanwhile && !ahead_.empty()) return;
    wanted = options_.compilers->size() + (options_.compile_meanwhile ? 1 : 0);
    if (options_.most > 0)
      wanted = std::min(wanted, options_.most - std::min(options_.most, evaluated_now_));
  }
  while (ahead_.size() < wanted) {
    const auto id = ask_one();
    if (!id) return;
    ahead_.push_back(*id);
  }
}

void Tuner::compile_ahead() {
  if (options_.compilers == nullptr) return;
  while (in_pool_ < ahead_.size()) options_.compilers->add(ahead_[in_pool_++]);
  const Stopwatch watch;
  // The wait for the next one is a part of compiling, too.
  if (options_.compile_meanwhile)
    options_.compilers->wait(ahead_.front());
  else
    options_.compilers->finish();
  waited_ += watch.seconds();
}

void Tuner::repeat(const JournalEntry& entry) {
  const auto& [id, report, at] = entry;
  if (strategy_.history().find(id) == nullptr) {
    ++state_.evaluated;
    if (!report.outcome.ok()) ++state_.failed;
  }
  strategy_.tell(id, report.outcome);
  if (options_.partners != nullptr && !report.elsewhere) options_.partners->tell(id, report);
}

/// What an earlier run has measured is told to the strategy as it was then, as long as it asks as
/// it did then, and at once after that. The best of it is measured again: by that the scales of the
/// two runs are one.
void Tuner::repeat_journal() {
  const auto& entries = journal_.entries();
  auto entry = entries.begin();
  repeats_ = true;
  if (tunable_.standard() == entry->id) repeat(*entry++);
  for (; entry != entries.end(); ++entry) {
    ask_ahead();
    if (ahead_.empty() || ahead_.front() != entry->id) break;
    ahead_.pop_front();
    repeat(*entry);
  }
  for (; entry != entries.end(); ++entry) repeat(*entry);
  std::erase_if(ahead_,
                [&](ConfigurationId id) { return strategy_.history().find(id) != nullptr; });
  repeats_ = false;
  claim_ahead();

  std::vector<Trial> best;
  for (const auto& [id, report, at] : entries)
    if (report.outcome.ok() && !report.elsewhere) best.push_back({id, report.outcome});
  std::stable_sort(best.begin(), best.end(),
                   [](const Trial& a, const Trial& b) { return better(a.outcome, b.outcome); });
  if (const Trial* leader = strategy_.history().best()) state_.best = *leader;
  bool is_scaled = false;
  for (std::size_t i = 0; i < std::min(best.size(), measured_again); ++i) {
    if (!worker_.prepare(best[i].id).outcome.ok()) continue;
    const auto now = measure(best[i].id);
    if (worker_.gone()) throw *worker_.gone();
    if (!now) break;
    if (!now->ok()) continue;
    here_.insert(best[i].id);
    if (!is_scaled) scale_ = best[i].outcome.time / now->time;
    is_scaled = true;
    if (tunable_.standard() == best[i].id) standard_ = now->time * scale_;
  }
}

/// What the built-in takes here and now, whatever an earlier run or another machine said of it:
/// what goes on record is held against that.
void Tuner::measure_standard() {
  const auto standard = tunable_.standard();
  if (!standard || here_.contains(*standard) || !sampling_.incumbent()) return;
  if (!worker_.prepare(*standard).outcome.ok()) return;
  const auto outcome = measure(*standard);
  if (!outcome || !outcome->ok()) return;
  here_.insert(*standard);
  standard_ = outcome->time * scale_;
}

Expected<TunerResult> Tuner::run(const Listener& listener) {
  return expected_from([&] { return search(listener); });
}

TunerResult Tuner::search(const Listener& listener) {
  start_ = std::chrono::steady_clock::now();
  listener_ = &listener;
  goes_on_ = true;
  ends_ = false;
  state_.size = tunable_.space().size();
  state_.budget = options_.budget;
  value_or_throw(worker_.start());
  if (!journal_.entries().empty()) repeat_journal();

  const auto standard = tunable_.standard();
  hear();
  if (standard && strategy_.history().find(*standard) == nullptr &&
      (options_.partners == nullptr || options_.partners->take(*standard) == Partners::Claim::mine))
    evaluate(*standard);
  goes_on_ = goes_on_ && listener(state_);
  while (goes_on_ && !is_over()) {
    ask_ahead();
    if (ahead_.empty()) {
      if (theirs_.empty()) break;
      // What others measure now is theirs, or comes back to be measured here.
      options_.partners->rest();
      hear();
      goes_on_ = listener(state_);
      continue;
    }
    compile_ahead();
    const ConfigurationId id = ahead_.front();
    ahead_.pop_front();
    evaluate(id);
    hear();
    goes_on_ = goes_on_ && listener(state_);
  }

  ends_ = true;
  const bool locked_out = std::exchange(locked_out_, false);
  TunerResult result;
  if (options_.partners != nullptr) {
    // What others tell until they, too, have left is in the play-off.
    const bool is_last = options_.partners->leave();
    hear();
    if (!is_last || (!goes_on_ && !sampling_.incumbent())) {
      result.left_to_others = true;
      return finished(std::move(result));
    }
    if (goes_on_) measure_best_of_others();
  }
  measure_standard();
  decide(result);
  if (worker_.gone()) throw *worker_.gone();
  if (!result.winner && locked_out)
    throw Error(
        Errc::timeout,
        fmt::format("{}: no candidate was measured: another tuner of this user{} held the lock for "
                    "the whole budget",
                    tunable_.label(),
                    options_.lock->holder() > 0
                        ? fmt::format(" (process {})", options_.lock->holder())
                        : ""));
  if (!result.winner)
    throw Error(Errc::bad_input,
                fmt::format("{}: none of {} candidates ran and gave the right result",
                            tunable_.label(), state_.evaluated));
  result.standard = standard_ / scale_;
  put_on_record(result);
  result.recorded = true;
  if (options_.partners != nullptr && goes_on_)
    options_.partners->finish(result.winner->id, result.winner->time);
  return finished(std::move(result));
}

void Tuner::decide(TunerResult& result) {
  const bool decides = goes_on_ && sampling_.incumbent() && get_lock();
  const auto holding = held(decides ? options_.lock : nullptr);
  result.winner = sampling_.play_off(decides ? Sampling::Haste::no : Sampling::Haste::yes);
  result.decision = decides ? Decision::play_off : Decision::interrupted;
  if (!result.winner || !decides) return;
  if (hold_against_standard(*result.winner)) result.decision = Decision::built_in;
  if (hold_against_record(*result.winner)) result.decision = Decision::earlier_record;
}

/// The record and the journal get the same numbers, so that they cannot disagree.
void Tuner::put_on_record(const TunerResult& result) {
  const auto& winner = *result.winner;
  {
    // Records of one class are read, changed and written: by one tuner at a time.
    const bool alone = options_.lock != nullptr &&
                       options_.lock->wait(std::chrono::steady_clock::now() + options_.record_wait,
                                           [] { return true; }) == MachineLock::Waited::locked;
    const auto holding = held(alone ? options_.lock : nullptr);
    value_or_throw(worker_.record(winner.id, winner.time, result.standard));
  }
  value_or_throw(journal_.end(tunable_.space(), {winner.id, winner.time, result.standard,
                                                 result.decision, winner.rounds, winner.places}));
}

/// A winner that is not surely faster than the standard configuration is replaced by it: a record
/// of it would be useless, or make things worse. True where the standard configuration has won.
bool Tuner::hold_against_standard(Sampling::Winner& winner) {
  const auto standard = tunable_.standard();
  if (!standard || !(standard_ > 0)) return false;
  if (winner.id == *standard) return true;
  const auto compared = sampling_.compare(winner.id, *standard);
  if (!compared && !worker_.prepare(*standard).outcome.ok()) {
    standard_ = 0;  // it ran before and does not now: nothing to be held against
    return false;
  }
  const bool better = compared && compared->surely_faster;
  if (!better) winner.id = *standard;
  winner.time = standard_ / scale_ * (better ? compared->ratio : 1);
  return !better;
}

/// What an earlier search put on record may owe that to luck, and this one may have missed it: the
/// two meet, the faster wins, and the other's time on record is relative to the winner. True
/// where the earlier one wins.
bool Tuner::hold_against_record(Sampling::Winner& winner) {
  const auto known = worker_.on_record();
  if (!known || *known == winner.id || !worker_.prepare(*known).outcome.ok()) return false;
  const auto compared = sampling_.compare(winner.id, *known);
  if (!compared || !(compared->ratio > 0)) return false;
  const double time = winner.time / compared->ratio;
  if (compared->ratio > 1) {
    winner.id = *known;
    winner.time = time;
    return true;
  }
  // Where this fails, the record that it has stays; what keeps the winner's from being written says
  // why.
  (void)worker_.record(*known, time, standard_ / scale_);
  return false;
}

TunerResult Tuner::finished(TunerResult result) const {
  result.state = state_;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  result.seconds = spent.count();
  result.compiling = worker_.compiling() + waited_;
  result.running = worker_.running();
  result.replaced = worker_.replaced();
  result.printed = worker_.printed();
  result.printed_bytes = worker_.printed_bytes();
  return result;
}

// What a Tuner does where others search the same space.

void Tuner::hear() {
  if (options_.partners == nullptr) return;
  const auto is_known = [&](ConfigurationId id) { return strategy_.history().find(id) != nullptr; };
  for (auto [id, report, at] : options_.partners->news()) {
    if (is_known(id)) continue;
    report.elsewhere = true;
    strategy_.tell(id, report.outcome);
    note(id, report.outcome);
    value_or_throw(journal_.add(tunable_.space(), id, report));
  }
  std::erase_if(theirs_, is_known);
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
        hear();
        if (strategy_.history().find(*id) == nullptr) return id;
        break;
    }
  }
}

/// Takes what the strategy was asked for while a journal was repeated, and nothing was taken.
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
