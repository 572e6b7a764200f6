#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "blas/call/call.hpp"
#include "blas/call/validate.hpp"
#include "blas/sequence/set_parameters.hpp"
#include "blas/sequence/solution_sequence.hpp"
#include "kernel/runtime.hpp"
#include "kiln/blas/explain.hpp"

// The BLAS of a process: what a call goes through from its arguments to the commands in its queues.
namespace kiln::blas {

struct GivenParameters;

/// Solution sequences that no call is using at the moment, by shape. Who takes one owns it until it
/// is put back, so that threads never share a sequence: a second caller of the same shape builds
/// another one, and later both are here. Bounded; takes no lock. Thread-safe.
///
/// A set of `ways` places for each of `sets` hashes. A place that is being looked at is empty for
/// that moment; another thread that looks then misses, which costs it a build and nothing else.
class SequenceCache {
 public:
  SequenceCache() = default;
  ~SequenceCache() { clear(); }
  SequenceCache(const SequenceCache&) = delete;
  SequenceCache& operator=(const SequenceCache&) = delete;

  /// Null where there is none.
  std::unique_ptr<SolutionSequence> take(const Shape& shape);
  /// Takes the place of another one where its set is full.
  void put(std::unique_ptr<SolutionSequence> sequence);
  void clear();

 private:
  static constexpr std::size_t sets = 256, ways = 8;
  struct Place {
    std::atomic<std::uint64_t> hash{0};  ///< of what is here: a hint
    std::atomic<SolutionSequence*> sequence{nullptr};
  };
  using Set = std::array<Place, ways>;
  Set& set_of(std::uint64_t hash) { return all_[hash % sets]; }
  std::array<Set, sets> all_;
  std::atomic<unsigned> victim_{0};
};

/// The events of a call until it has succeeded. Queues beyond most_queues get no work. The caller's
/// array may be the wait list's, so that nothing is written there before the call is enqueued.
class NewEvents {
 public:
  /// Takes the place of the caller's array in an Execution.
  explicit NewEvents(Execution& execution)
      : to_(execution.events), queues_(execution.queues.size()) {
    if (to_ != nullptr) execution.events = events_.data();
  }
  ~NewEvents() {
    for (auto* event : events_)
      if (event != nullptr) ::clReleaseEvent(event);
  }
  NewEvents(const NewEvents&) = delete;
  NewEvents& operator=(const NewEvents&) = delete;

  /// Gives the caller an entry for every queue, null for those without work.
  void hand_over() {
    if (to_ == nullptr) return;
    std::fill_n(to_, queues_, nullptr);
    std::copy_n(events_.begin(), std::min(queues_, most_queues), to_);
    events_.fill(nullptr);
  }

 private:
  cl_event* to_;
  std::size_t queues_;
  std::array<cl_event, most_queues> events_{};
};

/// The BLAS of a process: contexts that were seen, sequences that were built. Calls may come from
/// any number of threads, for any contexts and devices. Contexts that were called with are kept
/// alive until clear(), or until calls with 32 others have come; then all are forgotten.
class Library {
 public:
  /// Registers the generators with the Resolver, which must outlive the library.
  /// `gemm_form`: see SequenceBuilder.
  explicit Library(Resolver& resolver, std::string gemm_form = "");
  /// The one of this process, over its Resolver; made at the first call, from which on
  /// kiln_blas_forget() has something to forget, never destroyed. Thread-safe.
  static Library& process();
  /// The one over a Runtime's Resolver, which goes with it. Thread-safe.
  static Library& of(Runtime::State& runtime);

  /// Validates, finds or builds the solution sequence, enqueues it. Throws kiln::Error where the
  /// arguments are good and it still fails; the status otherwise.
  Status run(const Call& call, const Execution& execution);
  /// Whether the handles that were given for queues are queues, and their devices have the call's
  /// precision. Drivers do not check the former: another object's handle crashes them. Too slow for
  /// a call whose sequence is known, which had the same handles before. To be called after
  /// validate().
  static Status check_queues(const Call& call, const Execution& execution);
  /// The sequence that run() would enqueue, built anew: for plans, people and tests; with `given`
  /// Parameters for searches.
  std::unique_ptr<SolutionSequence> build(const Call& call, const Execution& execution,
                                          const GivenParameters* given = nullptr);

  /// The shape of a call on its queues.
  static Shape shape_of(const Call& call, const Execution& execution);

  /// What applications have set; calls that were prepared before have what they had until clear().
  SetParameters& set_parameters() { return set_parameters_; }

  /// Forgets all sequences and contexts; those of calls that run meanwhile may stay.
  void clear();

 private:
  /// A sequence that was built before: one whose last run has not to be waited for, or any where no
  /// further one may be built. Null: build one.
  std::unique_ptr<SolutionSequence> take(const Shape& shape, const Execution& execution);
  ContextPtr context_of(cl_context context);
  std::unique_ptr<SolutionSequence> build(const Call& call, const Execution& execution,
                                          const Shape& shape,
                                          const GivenParameters* given = nullptr);

  Resolver& resolver_;
  std::string gemm_form_;
  SetParameters set_parameters_;
  /// Asked for where a sequence is built, never by a call that finds one.
  std::mutex contexts_mutex_;
  std::map<cl_context, ContextPtr> contexts_;
  SequenceCache sequences_;
};

/// Library::run() as interfaces offer it: `events` gets an entry for every queue, null
/// for queues that got no work; nothing is written there before the wait list was read, since it
/// may be the same array, and nothing where the call fails. Thread-safe. Throws as that does.
Status run_in(Library& library, const Call& call, const Execution& execution);

/// The status of a call for the exception that is being handled.
int status_of_failure() noexcept;

/// A sequence as people and other programs see it. `devices`: a name for each queue.
Sequence describe(const SolutionSequence& sequence, std::span<const std::string> devices);

/// explain() by a library that is not the process's.
Sequence explain(Library& library, const Call& call, std::span<const cl_command_queue> queues);

}  // namespace kiln::blas
