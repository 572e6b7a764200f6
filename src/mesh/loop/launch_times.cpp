#include "mesh/loop/launch_times.hpp"

#include <utility>

#include "base/clock.hpp"

namespace kiln::mesh {
namespace {

/// A driver keeps much for an event.
constexpr std::size_t most_runs = 1024;

cl_ulong time_of(cl_event event, cl_profiling_info what) {
  cl_ulong time = 0;
  check_cl(::clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr),
           "clGetEventProfilingInfo");
  return time;
}

}  // namespace

void LaunchTimes::enqueue(Launch& launch, const Queue& queue, Part part) {
  if (part == Part::middle) return launch.enqueue(queue.cl()());
  const bool begins = part != Part::last, ends = part != Part::first;
  if (begins) open_.reset();  // the run before may have failed half way
  if (begins && runs_.size() >= most_runs) collect(most_runs / 2);  // done, or soon will be
  const std::int64_t now = now_ns();
  cl_event event = nullptr;
  launch.enqueue(queue.cl()(), {}, &event);
  const cl::Event launched(event);
  if (begins) open_ = Run{launched, {}, now};
  if (!ends || !open_) return;
  open_->last = launched;
  runs_.push_back(*std::exchange(open_, std::nullopt));
}

/// Adds up the oldest ones.
void LaunchTimes::collect(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const cl_event last = runs_[i].last();
    check_cl(::clWaitForEvents(1, &last), "clWaitForEvents");
    const cl_ulong start = time_of(runs_[i].first(), CL_PROFILING_COMMAND_START);
    const cl_ulong end = time_of(last, CL_PROFILING_COMMAND_END);
    seconds_ += 1e-9 * static_cast<double>(end - start);
    if (recording_ != nullptr)
      recording_->add(
          {name_, runs_[i].enqueued_ns,
           static_cast<std::int64_t>(time_of(runs_[i].first(), CL_PROFILING_COMMAND_QUEUED)),
           static_cast<std::int64_t>(start), static_cast<std::int64_t>(end)});
  }
  runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(count));
}

double LaunchTimes::seconds() {
  open_.reset();
  collect(runs_.size());
  return seconds_;
}

void LaunchTimes::clear() {
  open_.reset();
  collect(runs_.size());
  seconds_ = 0;
}

}  // namespace kiln::mesh
