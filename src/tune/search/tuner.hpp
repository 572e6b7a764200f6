#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "tune/measure/stopping_rule.hpp"
#include "tune/search/journal.hpp"
#include "tune/search/machine_lock.hpp"
#include "tune/search/partners.hpp"
#include "tune/strategy/strategy.hpp"
#include "tune/worker/compile_pool.hpp"
#include "tune/worker/worker.hpp"

/// One search, from its first question to what goes on record.
namespace kiln::tune {

/// When a search ends, and how it measures.
struct TunerOptions {
  std::chrono::milliseconds budget{0};  ///< 0: no bound
  std::size_t most = 0;                 ///< evaluations of this run; 0: no bound
  StoppingRule rule{};
  std::uint64_t seed = 1;
  MachineLock* lock = nullptr;  ///< held while something is measured; null: no other process tunes
  /// How long the play-off waits for the lock, once the budget is used up.
  std::chrono::milliseconds last_wait{60'000};
  /// And how long the record does, which is written with or without it: that takes moments, so who
  /// has the lock longer is stopped.
  std::chrono::milliseconds record_wait{5'000};
  /// Compiles what is measured next; null: the worker compiles it. With several processes a
  /// strategy that can be asked ahead is asked for as many configurations before it is told of the
  /// first: that costs it evaluations (docs/tuning.md), and the compiles
  /// take a part of the time.
  CompilePool* compilers = nullptr;
  /// Whether compiles go on while something is measured: where the device is not the processor that
  /// compiles.
  bool compile_meanwhile = false;
  Partners* partners = nullptr;  ///< that search the same space; null: none. `most` is of all
};

/// How far a search is.
struct TunerState {
  std::size_t evaluated = 0;  ///< of this search, those of the journal included
  std::size_t failed = 0;
  ConfigurationId size = 0;  ///< of the space
  std::optional<Trial> best;
  std::chrono::milliseconds spent{0}, budget{0};
  /// Another tuner of this user measures, and this one waits for it.
  struct Waiting {
    pid_t holder = 0;  ///< its process, where that is known
    std::chrono::milliseconds since{0};
  };
  std::optional<Waiting> waiting = std::nullopt;
};

/// What a search came to.
struct TunerResult {
  /// With the time that is on record.
  std::optional<Sampling::Winner> winner;
  double standard = 0;  ///< seconds of the standard configuration; 0: it has no time
  Decision decision = Decision::play_off;
  bool recorded = false;
  /// Others go on with the search, and one of them ends it: there is no winner yet.
  bool left_to_others = false;
  TunerState state;
  std::size_t resumed = 0;   ///< evaluations that its journal had
  std::string started_from;  ///< the search on record that gave a start, for people; empty: none
  /// What kernels wrote to standard output while they were measured: the beginning, and how many
  /// bytes there were.
  std::string printed;
  std::uint64_t printed_bytes = 0;
  double seconds = 0;    ///< of the whole
  double compiling = 0;  ///< of these, spent on compiles, or waiting for those of other processes
  double running = 0;    ///< of these, spent on runs of the kernels
  std::size_t replaced = 0;  ///< children that died, hung or failed a launch
};

/// Searches a Tunable's space for its fastest configuration: asks a strategy, measures in a worker,
/// writes the journal, and puts the winner of the play-off on record. The standard configuration is
/// measured first and is in the play-off: what goes on record is never slower than it, within the
/// certainty of the measurement. One thread.
class Tuner {
 public:
  Tuner(const Tunable& tunable, Worker& worker, Strategy& strategy, Journal& journal,
        const TunerOptions& options)
      : tunable_(tunable),
        worker_(worker),
        strategy_(strategy),
        journal_(journal),
        options_(options),
        sampling_(worker, options.rule, options.seed) {}

  /// Called after each evaluation, and several times a second while another tuner is waited for;
  /// false ends the search, and the best so far goes on record without a play-off.
  using Listener = std::function<bool(const TunerState&)>;
  /// Errors: what the Tunable's open() threw, the journal's; bad_input where no candidate ran and
  /// gave the right result; device where the device is gone: then the journal holds all that was
  /// measured, and nothing goes on record; timeout where another tuner had the lock all the time.
  Expected<TunerResult> run(const Listener& listener);

 private:
  TunerResult search(const Listener& listener);
  void repeat_journal();
  /// What an earlier run has measured, as if it were measured now.
  void repeat(const JournalEntry& entry);
  /// Asks the strategy for what comes next, for several where they are compiled ahead.
  void ask_ahead();
  /// Has the compilers at work on what was asked for and is not known.
  void compile_ahead();
  void evaluate(ConfigurationId id);
  bool is_over() const;
  /// Waits for the lock; false where the search was told to end, or the time is over.
  bool get_lock();
  /// Until when: the end of the budget, and some time more for the play-off.
  std::chrono::steady_clock::time_point end_of_wait() const;
  /// Nothing where the lock is not to be had.
  std::optional<Outcome> measure(ConfigurationId id);
  void measure_standard();
  /// The play-off, and what its winner has to be faster than.
  void decide(TunerResult& result);
  bool hold_against_standard(Sampling::Winner& winner);
  bool hold_against_record(Sampling::Winner& winner);
  void put_on_record(const TunerResult& result);
  /// Counts one that is known now.
  void note(ConfigurationId id, const Outcome& outcome);
  TunerResult finished(TunerResult result) const;
  // With partners.
  void hear();
  /// The next that is to be measured here; none where the strategy has none, or others have it.
  std::optional<ConfigurationId> ask_one();
  void claim_ahead();
  void measure_best_of_others();

  const Tunable& tunable_;
  Worker& worker_;
  Strategy& strategy_;
  Journal& journal_;
  TunerOptions options_;
  Sampling sampling_;
  TunerState state_;
  /// Asked for and not measured yet: the first come first; of these, so many are being compiled.
  std::deque<ConfigurationId> ahead_;
  std::size_t in_pool_ = 0;
  std::size_t evaluated_now_ = 0;
  double standard_ = 0, waited_ = 0;
  /// Times of the journal are told by another run's scale: what one of this run's is of those.
  double scale_ = 1;
  std::vector<ConfigurationId> theirs_;  ///< asked for by the strategy, taken by others
  std::set<ConfigurationId> here_;       ///< measured by this run
  const Listener* listener_ = nullptr;
  bool goes_on_ = true;  ///< the listener has not told it to end
  bool ends_ = false;    ///< the search is over; what is left is the play-off
  /// The time is over while another tuner measures: nothing more is measured.
  bool locked_out_ = false;
  std::size_t turn_ = 0;
  bool repeats_ = false;  ///< a journal: nothing is asked for to be measured
  std::chrono::steady_clock::time_point start_;
};

}  // namespace kiln::tune
