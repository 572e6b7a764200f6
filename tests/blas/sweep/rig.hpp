#pragma once

#include <functional>
#include <string>
#include <vector>

#include "blas/machine.hpp"
#include "blas/sweep/case.hpp"

namespace kiln::blas::testing {

/// A context with queues that a call is given, and one more that it does not know of.
class Rig {
 public:
  enum class Ordering { in_order, out_of_order };
  /// Of each of the devices one queue, in turn, until there are `queues`.
  Rig(const std::vector<DevicePtr>& devices, std::size_t queues, Ordering ordering);
  /// Queues of the tests' device.
  explicit Rig(std::size_t queues = 1, Ordering ordering = Ordering::in_order);
  /// More queues of a rig's first device, in its context.
  Rig(const Rig& other, std::size_t queues);

  cl_context context() const { return context_->cl()(); }
  std::span<const cl_command_queue> queues() const { return handles_; }
  const cl::CommandQueue& aside() const { return aside_; }

 private:
  void add_queues(const std::vector<DevicePtr>& devices, std::size_t queues, Ordering ordering);
  ContextPtr context_;
  std::vector<cl::CommandQueue> queues_;
  std::vector<cl_command_queue> handles_;
  cl::CommandQueue aside_;
};

/// Two parts of the tests' device with a context of their own; nothing where it cannot be cut.
std::vector<DevicePtr> two_parts();
/// The whole device and a part of it of one compute unit.
std::vector<DevicePtr> whole_and_part();

/// Runs a case and waits for its queues. Throws std::runtime_error where the library says no.
template <class T>
Memory<T> run_plainly(Library& library, const Rig& rig, const Case<T>& of);

/// Runs a case whose arguments are NaN while it is enqueued: their contents are written by another
/// queue before the event is set that the call waits for. Reads the results when the call's own
/// events are complete. So all that the library enqueues has to come after the wait list, and all
/// of it before the events.
template <class T>
Memory<T> run_between_events(Library& library, const Rig& rig, const Case<T>& of);

}  // namespace kiln::blas::testing
