#include "blas/run_sample.hpp"

#include <bit>
#include <utility>

namespace kiln::blas {
namespace {

/// The first runs, and then ever fewer: a time that drifts shows, and a million runs cost nothing.
bool is_due(std::uint64_t run) { return run < 8 || std::has_single_bit(run); }

bool keeps_times_in_order(cl_command_queue queue) {
  cl_command_queue_properties properties = 0;
  if (::clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
                              nullptr) != CL_SUCCESS)
    return false;
  return (properties & CL_QUEUE_PROFILING_ENABLE) != 0 &&
         (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

}  // namespace

void RunSample::begin(cl_command_queue queue) {
  wanted_ = is_due(runs_++) && last_ == nullptr && queue != nullptr && keeps_times_in_order(queue);
}

void RunSample::take(cl_event first, cl_event last) {
  wanted_ = false;
  if (first == nullptr || last == nullptr) return;
  forget();
  if (::clRetainEvent(first) == CL_SUCCESS) first_ = first;
  if (::clRetainEvent(last) == CL_SUCCESS) last_ = last;
}

void RunSample::read(CallCounter& counter) {
  if (first_ == nullptr || last_ == nullptr) return;
  cl_int state = CL_QUEUED;
  if (::clGetEventInfo(last_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr) !=
          CL_SUCCESS ||
      state > CL_COMPLETE)
    return;
  cl_ulong start = 0, end = 0;
  if (state == CL_COMPLETE &&
      ::clGetEventProfilingInfo(first_, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                nullptr) == CL_SUCCESS &&
      ::clGetEventProfilingInfo(last_, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) ==
          CL_SUCCESS &&
      end > start)
    counter.add_timed(static_cast<std::int64_t>(end - start));
  forget();
}

void RunSample::forget() {
  if (first_ != nullptr) ::clReleaseEvent(std::exchange(first_, nullptr));
  if (last_ != nullptr) ::clReleaseEvent(std::exchange(last_, nullptr));
}

}  // namespace kiln::blas
