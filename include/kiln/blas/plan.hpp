#pragma once

#include <memory>
#include <span>

#include "kiln/blas/call.hpp"
#include "kiln/error.hpp"

namespace kiln::blas {

/// A call prepared for many runs on the same queues: its kernels are built, its device memory is
/// there, and a run neither compiles nor looks anything up. What may differ from run to run are the
/// memory objects, the offsets and the values of the scalars. Only an alpha of 0 or 1 is another
/// matter: it may have kernels of its own, which are prepared when it first comes.
///
/// One thread at a time; different plans may run at once, and a run may begin while the one before
/// still computes. Holds on to its queues, not to the memory of the call that it was made from.
class KILN_API Plan {
 public:
  /// Queues of one context, which share the work. Throws Error: bad_input for wrong arguments,
  /// unsupported where a device lacks double precision, build, device.
  Plan(const Call& call, std::span<const cl_command_queue> queues);
  Plan(const Call& call, cl_command_queue queue) : Plan(call, {&queue, 1}) {}
  /// On a queue of a Runtime's contexts (null: its first), with programs of its store.
  Plan(const Call& call, const Runtime& runtime, cl_command_queue queue = nullptr);
  ~Plan();
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  /// Enqueues the call of the preparation: with the memory and scalars that it had.
  void repeat(std::span<const cl_event> after = {}, std::span<cl_event> events = {});
  /// Enqueues another call of the same shape. `after` and `events` as in blas::run(). Throws Error:
  /// bad_input where it has another shape (the message says in what), and as blas::run().
  void run(const Call& call, std::span<const cl_event> after = {}, std::span<cl_event> events = {});

  /// Device memory that the plan keeps for itself.
  std::size_t workspace_bytes() const;

 private:
  struct State;
  void prepare(const Call& call, std::span<const cl_command_queue> queues,
               const std::shared_ptr<Runtime::State>& runtime);
  std::unique_ptr<State> state_;
};

}  // namespace kiln::blas
