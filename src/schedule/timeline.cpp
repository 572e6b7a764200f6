#include "schedule/timeline.hpp"

#include <thread>

#include "base/clock.hpp"

namespace kiln {
namespace {

struct Stamps {
  std::int64_t queued = 0, start = 0, end = 0;
  bool known = false;
};

Stamps stamps_of(const cl::Event& event) {
  Stamps stamps;
  cl_ulong queued = 0, start = 0, end = 0;
  const auto ask = [&](cl_profiling_info what, cl_ulong& into) {
    return ::clGetEventProfilingInfo(event(), what, sizeof into, &into, nullptr) == CL_SUCCESS;
  };
  stamps.known = ask(CL_PROFILING_COMMAND_QUEUED, queued) &&
                 ask(CL_PROFILING_COMMAND_START, start) && ask(CL_PROFILING_COMMAND_END, end);
  stamps.queued = static_cast<std::int64_t>(queued);
  stamps.start = static_cast<std::int64_t>(start);
  stamps.end = static_cast<std::int64_t>(end);
  return stamps;
}

}  // namespace

void QueueTimeline::add(std::string name, std::string category, cl::Event event,
                        std::int64_t enqueued_ns) {
  commands_.push_back({std::move(name), std::move(category), std::move(event), enqueued_ns});
}

std::vector<QueueTimeline::Span> QueueTimeline::spans() const {
  std::vector<Stamps> stamps;
  ClockDistance clocks;
  for (const auto& command : commands_) {
    stamps.push_back(stamps_of(command.event));
    if (stamps.back().known) clocks.note(stamps.back().queued, command.enqueued_ns);
  }
  std::vector<Span> spans;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!stamps[i].known) continue;
    spans.push_back({commands_[i].name, commands_[i].category, clocks.on_host(stamps[i].start),
                     clocks.on_host(stamps[i].end)});
  }
  return spans;
}

std::int64_t QueueTimeline::total_ns(std::string_view category) const {
  std::int64_t total = 0;
  for (const auto& command : commands_) {
    if (command.category != category) continue;
    const Stamps stamps = stamps_of(command.event);
    if (stamps.known) total += stamps.end - stamps.start;
  }
  return total;
}

void QueueTimeline::settle(std::chrono::milliseconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (const auto& command : commands_) {
    cl_int status = CL_QUEUED;  // above CL_COMPLETE, as is all that has not ended
    while (::clGetEventInfo(command.event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                            &status, nullptr) == CL_SUCCESS &&
           status > CL_COMPLETE && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void QueueTimeline::send(TraceSink& sink) const {
  for (auto& span : spans())
    sink.add({lane_, span.name, span.category, span.start_ns, span.end_ns, {}});
}

}  // namespace kiln
