#pragma once

#include "blas/clblas/interface.hpp"
#include "blas/entry.hpp"

namespace kiln::blas {

/// Where a helper's work goes, what it waits for, and how its end is known: by an event, where one
/// is wanted, or by the function's return.
class Commands {
 public:
  Commands(cl_command_queue queue, cl_uint wait_count, const cl_event* waits)
      : queue_(queue), wait_count_(wait_count), waits_(waits), returns_at_end_(true) {}
  Commands(cl_command_queue queue, cl_uint wait_count, const cl_event* waits, cl_event* event)
      : queue_(queue), wait_count_(wait_count), waits_(waits), event_(event) {}

  cl_command_queue queue() const { return queue_; }
  cl_uint wait_count() const { return wait_count_; }
  const cl_event* waits() const { return waits_; }
  cl_event* event() const { return event_; }
  cl_bool blocking() const { return returns_at_end_ ? CL_TRUE : CL_FALSE; }

  /// Whether the queue is one: asked each time, since a queue that was released may have left its
  /// address to another object.
  bool has_queue() const { return kiln_is_queue(queue_); }

  /// For commands that cannot block: enqueues by `enqueue(cl_event*)`, and waits where the
  /// function must.
  template <class Enqueue>
  clblasStatus finish(const Enqueue& enqueue) const {
    if (!returns_at_end_) return static_cast<clblasStatus>(enqueue(event_));
    cl_event done = nullptr;
    cl_int status = enqueue(&done);
    if (status != CL_SUCCESS) return static_cast<clblasStatus>(status);
    status = ::clWaitForEvents(1, &done);
    ::clReleaseEvent(done);
    return static_cast<clblasStatus>(status);
  }

  /// What is done for an empty area: nothing, after what it waits for.
  clblasStatus only_wait() const {
    return finish([this](cl_event* event) {
      return ::clEnqueueBarrierWithWaitList(queue_, wait_count_, waits_, event);
    });
  }

 private:
  cl_command_queue queue_;
  cl_uint wait_count_;
  const cl_event* waits_;
  cl_event* event_ = nullptr;
  bool returns_at_end_ = false;
};

}  // namespace kiln::blas
