#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "blas/sequence_cache.hpp"
#include "blas/status.hpp"
#include "kernel/resolver.hpp"

namespace kiln::blas {

/// The BLAS of a process: contexts that were seen, sequences that were built. Calls may come from
/// any number of threads, for any contexts and devices. Contexts that were called with are kept
/// alive until clear(), or until calls with 32 others have come; then all are forgotten.
class Library {
 public:
  /// Registers the generators with the Resolver, which must outlive the library.
  /// `gemm_form`: see SequenceBuilder.
  explicit Library(Resolver& resolver, std::string gemm_form = "");
  /// The one of this process, over its Resolver; made at the first call, never destroyed.
  static Library& process();

  /// Validates, finds or builds the solution sequence, enqueues it. Throws kiln::Error where the
  /// arguments are good and it still fails; the status otherwise.
  Status run(const Call& call, const Execution& execution);
  /// Whether the devices of the queues have the call's precision.
  static bool supports(const Call& call, const Execution& execution);
  /// The sequence that run() would enqueue, built anew: for plans, people and tests.
  std::unique_ptr<SolutionSequence> build(const Call& call, const Execution& execution);

  /// The shape of a call on its queues.
  static Shape shape_of(const Call& call, const Execution& execution);

  /// Forgets all sequences and contexts; those of calls that run meanwhile may stay.
  void clear();

 private:
  /// A sequence that was built before and whose last run nobody has to wait for, if there is one or
  /// another may not be built. Null: build one.
  std::unique_ptr<SolutionSequence> take(const Shape& shape, const Execution& execution);
  ContextPtr context_of(cl_context context);
  std::unique_ptr<SolutionSequence> build(const Call& call, const Execution& execution,
                                          const Shape& shape);

  Resolver& resolver_;
  std::string gemm_form_;
  /// Asked for where a sequence is built, never by a call that finds one.
  std::mutex contexts_mutex_;
  std::map<cl_context, ContextPtr> contexts_;
  SequenceCache sequences_;
};

}  // namespace kiln::blas
