#include "tune/session/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::tune {
namespace {

/// Of an earlier run's best, so many are measured again: they are in the play-off then.
constexpr std::size_t measured_again = 5;

/// While this one measures, no other tuner of the machine does. Compiles may.
class Holding {
 public:
  explicit Holding(MachineLock* lock) : lock_(lock) {
    if (lock_ != nullptr && !lock_->lock()) lock_ = nullptr;  // a signal: the search ends soon
  }
  ~Holding() {
    if (lock_ != nullptr) lock_->unlock();
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  MachineLock* lock_;
};

}  // namespace

bool Tuner::is_over() const {
  if (options_.most > 0 && evaluated_now_ >= options_.most) return true;
  return options_.budget.count() > 0 &&
         std::chrono::steady_clock::now() - start_ >= options_.budget;
}

Outcome Tuner::measure(ConfigurationId id) {
  const Holding holding(options_.lock);
  return measurement_.measure(id);
}

/// Measures one and tells everybody.
Expected<void> Tuner::evaluate(ConfigurationId id) {
  Report report = worker_.prepare(id);
  if (report.outcome.ok()) {
    report.outcome = measure(id);
    if (report.outcome.ok())
      report.outcome.time *= scale_;
    else
      report.message = worker_.prepare(id).message;
  }
  strategy_.tell(id, report.outcome);
  ++evaluated_now_;
  ++state_.evaluated;
  if (!report.outcome.ok()) ++state_.failed;
  if (const Trial* best = strategy_.history().best()) state_.best = *best;
  state_.spent = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start_);
  if (tunable_.standard() == id && report.outcome.ok()) standard_ = report.outcome.time;
  return journal_.add(strategy_.history().space(), id, report);
}

/// What an earlier run has measured is told to the strategy as it was then, and the best of it is
/// measured again: by that the scales of the two runs are one.
Expected<void> Tuner::repeat_journal() {
  std::vector<Trial> best;
  bool in_step = true;  // the strategy asks for what it asked for then
  for (const auto& [id, report] : journal_.entries()) {
    if (in_step && !strategy_.history().was_asked(id)) {
      const auto asked = strategy_.ask();
      in_step = asked == id;
    }
    if (strategy_.history().find(id) == nullptr) {
      ++state_.evaluated;
      if (!report.outcome.ok()) ++state_.failed;
    }
    strategy_.tell(id, report.outcome);
    if (report.outcome.ok()) best.push_back({id, report.outcome});
    if (tunable_.standard() == id && report.outcome.ok()) standard_ = report.outcome.time;
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const Trial& a, const Trial& b) { return better(a.outcome, b.outcome); });
  if (const Trial* leader = strategy_.history().best()) state_.best = *leader;
  for (std::size_t i = 0; i < std::min(best.size(), measured_again); ++i) {
    if (!worker_.prepare(best[i].id).outcome.ok()) continue;
    const Outcome now = measure(best[i].id);
    if (i == 0 && now.ok()) scale_ = best[i].outcome.time / now.time;
  }
  return {};
}

Expected<TunerResult> Tuner::run(const Listener& listener) {
  start_ = std::chrono::steady_clock::now();
  state_.size = tunable_.space().size();
  state_.budget = options_.budget;
  if (auto started = worker_.start(); !started) return tl::unexpected(started.error());
  if (!journal_.entries().empty())
    if (auto repeated = repeat_journal(); !repeated) return tl::unexpected(repeated.error());

  const auto standard = tunable_.standard();
  if (standard && strategy_.history().find(*standard) == nullptr)
    if (auto done = evaluate(*standard); !done) return tl::unexpected(done.error());
  bool goes_on = listener(state_);
  while (goes_on && !is_over()) {
    const auto id = strategy_.ask();
    if (!id) break;
    if (strategy_.history().find(*id) != nullptr) continue;
    if (auto done = evaluate(*id); !done) return tl::unexpected(done.error());
    goes_on = listener(state_);
  }

  TunerResult result;
  {
    const Holding holding(options_.lock);
    result.winner =
        measurement_.play_off(goes_on ? Measurement::Haste::no : Measurement::Haste::yes);
    // What is no better than what is there anyway would be on record for nothing, or for worse.
    if (result.winner && standard && standard_ > 0 && result.winner->id != *standard && goes_on &&
        !measurement_.surely_faster(result.winner->id, *standard)) {
      result.winner->id = *standard;
      result.winner->time = standard_ / scale_;
    }
  }
  result.state = state_;
  if (!result.winner)
    return tl::unexpected(Error(
        Errc::bad_input, fmt::format("{}: none of {} candidates ran and gave the right result",
                                     tunable_.label(), state_.evaluated)));
  result.winner->time *= scale_;
  result.standard = standard_;
  if (auto recorded = worker_.record(result.winner->id, result.winner->time / scale_); !recorded)
    return tl::unexpected(recorded.error());
  result.recorded = true;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  result.seconds = spent.count();
  result.preparing = worker_.preparing();
  result.running = worker_.running();
  result.replaced = worker_.replaced();
  return result;
}

}  // namespace kiln::tune
