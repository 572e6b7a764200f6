#include "python/core/call_timeline.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kiln/timeline.hpp"

namespace kiln::python {
namespace {

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Record {
  std::string kernel;
  std::int64_t start_ns = 0, end_ns = 0;  ///< of the host's part
  Event event;
};

/// By the device's clock.
struct DeviceTimes {
  cl_command_queue queue = nullptr;
  cl_ulong queued = 0, start = 0, end = 0;
};

/// Those of a command that has ended; none of what has no queue. Throws where the queue takes none.
std::optional<DeviceTimes> times_of(const Event& event) {
  DeviceTimes times;
  if (event.handle() == nullptr ||
      ::clGetEventInfo(event.handle(), CL_EVENT_COMMAND_QUEUE, sizeof times.queue, &times.queue,
                       nullptr) != CL_SUCCESS ||
      times.queue == nullptr)
    return {};
  const auto ask = [&](cl_profiling_info what, cl_ulong& into) {
    return ::clGetEventProfilingInfo(event.handle(), what, sizeof into, &into, nullptr) ==
           CL_SUCCESS;
  };
  if (!ask(CL_PROFILING_COMMAND_QUEUED, times.queued) ||
      !ask(CL_PROFILING_COMMAND_START, times.start) || !ask(CL_PROFILING_COMMAND_END, times.end))
    throw Error(Errc::unsupported,
                "timeline: found a queue that takes no times, expected one with "
                "CL_QUEUE_PROFILING_ENABLE");
  return times;
}

/// The lanes' names.
class Lanes {
 public:
  explicit Lanes(const Runtime& runtime) : queues_(runtime.queues()), devices_(runtime.devices()) {}

  std::string of(cl_command_queue queue) const {
    const auto found = std::find(queues_.begin(), queues_.end(), queue);
    if (found == queues_.end()) return "a queue of the application";
    const auto number = static_cast<std::size_t>(found - queues_.begin());
    return "device " + std::to_string(number) + ": " + devices_.at(number).name;
  }

 private:
  std::vector<cl_command_queue> queues_;
  std::vector<DeviceInfo> devices_;
};

class CallTimeline {
 public:
  explicit CallTimeline(Runtime runtime) : runtime_(std::move(runtime)) {}
  CallTimeline(const CallTimeline&) = delete;
  CallTimeline& operator=(const CallTimeline&) = delete;
  ~CallTimeline() { leave(); }

  /// All that collect now.
  static std::vector<CallTimeline*>& collecting() {
    static std::vector<CallTimeline*> all;
    return all;
  }

  py::object enter() {
    leave();
    records_.clear();
    spans_ = py::module_::import("kiln._html").attr("Timeline")();
    collecting().push_back(this);
    return spans_;
  }

  /// Fills the list that enter() gave, where the block ended well.
  void exit(const py::object& error) {
    leave();
    if (error.is_none()) spans_.attr("extend")(py::cast(spans()));
  }

  void add(const Runtime& runtime, Record record) {
    if (runtime.shared_state() == runtime_.shared_state()) records_.push_back(std::move(record));
  }

 private:
  void leave() {
    auto& all = collecting();
    all.erase(std::remove(all.begin(), all.end(), this), all.end());
  }

  std::vector<TimelineSpan> spans() const {
    std::vector<std::pair<const Record*, DeviceTimes>> on_devices;
    // The distance of a queue's clock from the host's: a command is queued before its call has
    // returned, and the smallest difference is the nearest.
    std::map<cl_command_queue, std::int64_t> distances;
    std::vector<TimelineSpan> spans;
    for (const Record& record : records_) {
      spans.push_back(
          {"host", "call " + record.kernel, "call", record.start_ns, record.end_ns, {}});
      wait_for(record.event);
      const auto times = times_of(record.event);
      if (!times) continue;
      on_devices.emplace_back(&record, *times);
      const std::int64_t distance = record.end_ns - static_cast<std::int64_t>(times->queued);
      const auto [at, is_first] = distances.emplace(times->queue, distance);
      if (!is_first) at->second = std::min(at->second, distance);
    }
    const Lanes lanes(runtime_);
    for (const auto& [record, times] : on_devices) {
      const std::int64_t distance = distances.at(times.queue);
      spans.push_back({lanes.of(times.queue),
                       record->kernel,
                       "kernel",
                       static_cast<std::int64_t>(times.start) + distance,
                       static_cast<std::int64_t>(times.end) + distance,
                       {}});
    }
    std::stable_sort(spans.begin(), spans.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
      return a.start_ns < b.start_ns;
    });
    return spans;
  }

  Runtime runtime_;
  std::vector<Record> records_;
  py::object spans_;
};

}  // namespace

TimedCall::TimedCall() : start_ns_(CallTimeline::collecting().empty() ? 0 : now_ns()) {}

void TimedCall::end(const Runtime& runtime, const std::string& kernel, const Event& event) const {
  if (start_ns_ == 0) return;
  for (CallTimeline* timeline : CallTimeline::collecting())
    timeline->add(runtime, {kernel, start_ns_, now_ns(), event});
}

void bind_call_timeline(py::module_& module, RuntimeClass& runtime) {
  py::class_<CallTimeline>(module, "_CallTimeline")
      .def("__enter__", &CallTimeline::enter)
      .def("__exit__", [](CallTimeline& self, const py::object& error, const py::object&,
                          const py::object&) { self.exit(error); });
  runtime.def(
      "timeline", [](const Runtime& self) { return std::make_unique<CallTimeline>(self); },
      R"(When calls of this Runtime's Kernels run: `with runtime.timeline() as spans: ...`.

A list of TimelineSpan by their start, filled at the end of the block, after all calls within were
waited for; notebooks show it as a picture. Each call has a span on the lane "host" (category call),
until it is enqueued, or has run where it was split; and one of its kernel on its device's lane. With
arrays of NumPy on a device that has memory of its own that is the transfer back, the last command.
Calls of any thread are in it. Raises UnsupportedError for a queue of the application that takes no
times. Runtime.run has a timeline of its own, with transfers and programs.

>>> import kiln, numpy as np
>>> runtime = kiln.Runtime("cpu")
>>> twice = runtime.kernel("kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }", "twice")
>>> with runtime.timeline() as spans:
...     summary = twice(np.ones(64, np.float32), global_size=64)
>>> [(span.category, span.name) for span in spans]
[('call', 'call twice'), ('kernel', 'twice')])");
}

}  // namespace kiln::python
