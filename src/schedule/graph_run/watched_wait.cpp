#include "schedule/graph_run/watched_wait.hpp"

#include <thread>

namespace kiln::graph {

cl_int status_of(cl_event event) {
  cl_int status = CL_QUEUED;
  if (::clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) !=
      CL_SUCCESS)
    return -1;
  return status;
}

void wait_watched(cl_event event, const Watch& watch) {
  if (!watch.is_on()) {
    check_cl(::clWaitForEvents(1, &event), "clWaitForEvents");
    return;
  }
  while (status_of(event) > CL_COMPLETE) {
    const auto taken = std::chrono::steady_clock::now() - watch.begin;
    if (watch.stop && watch.stop()) throw Error(Errc::refused, "the run was stopped");
    if (watch.timeout.count() > 0 && taken > watch.timeout)
      throw Error(Errc::timeout, "the run has not ended in time");
    // So that a run seems to take a thirtieth longer at most.
    if (taken < std::chrono::milliseconds(2))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(
          std::min<std::chrono::nanoseconds>(taken / 30, std::chrono::milliseconds(2)));
  }
  if (const cl_int status = status_of(event); status < 0) check_cl(status, "the event's command");
}

void wait_watched(const Queue& queue, const Watch& watch) {
  cl_event end = nullptr;
  check_cl(::clEnqueueMarkerWithWaitList(queue.cl()(), 0, nullptr, &end),
           "clEnqueueMarkerWithWaitList");
  const cl::Event owned(end);
  ::clFlush(queue.cl()());
  wait_watched(end, watch);
}

}  // namespace kiln::graph
