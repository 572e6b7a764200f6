#include "layer/measure/queue.hpp"

#include <algorithm>

#include "layer/measure/report.hpp"

// Commands of a queue until they are done. Nothing here waits.
namespace kiln::layer::measure {
namespace {

/// Commands between two looks at what is done.
constexpr std::size_t batch = 16;
/// Of one queue. Beyond it commands are not timed: their events would keep the driver's memory.
constexpr std::size_t most_pending = 1 << 16;
/// How many of a queue without order are looked at in a batch.
constexpr std::size_t most_looked_at = 256;

std::int64_t stamp(cl_event event, cl_profiling_info what) noexcept {
  cl_ulong value = 0;
  return under->clGetEventProfilingInfo(event, what, sizeof value, &value, nullptr) == CL_SUCCESS
             ? static_cast<std::int64_t>(value)
             : -1;
}

}  // namespace

void Queue::add(const Pending& command, bool is_owned) noexcept {
  command.series->calls.fetch_add(1, std::memory_order_relaxed);
  if (command.event != nullptr && !is_owned && under->clRetainEvent(command.event) != CL_SUCCESS)
    return;
  bool is_due = false;
  try {
    const std::lock_guard lock(mutex);
    if (command.event == nullptr || pending.size() - next >= most_pending) {
      const std::lock_guard books_lock(books().mutex);
      ++command.series->lost;
      if (command.sizes.dimensions != 0) command.series->sizes.add(command.sizes);
      if (command.event != nullptr) under->clReleaseEvent(command.event);
      is_due = command.event != nullptr;
    } else {
      pending.push_back(command);
      is_due = ++added >= batch;
    }
  } catch (...) {
    if (command.event != nullptr) under->clReleaseEvent(command.event);
  }
  if (!is_due) return;
  drain();
  report_sometimes();
}

/// Whether it is done; then its event is released. Books and queue are locked.
bool Queue::take_if_done(const Pending& command) noexcept {
  cl_int state = CL_QUEUED;
  if (under->clGetEventInfo(command.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                            nullptr) != CL_SUCCESS)
    state = -1;
  if (state > CL_COMPLETE) return false;
  Series& series = *command.series;
  if (command.sizes.dimensions != 0) series.sizes.add(command.sizes);
  const std::int64_t start = state < 0 ? -1 : stamp(command.event, CL_PROFILING_COMMAND_START);
  const std::int64_t end = state < 0 ? -1 : stamp(command.event, CL_PROFILING_COMMAND_END);
  if (state < 0) {
    ++series.failed;
  } else if (start < 0 || end < start) {
    ++series.lost;
  } else {
    series.times.add(end - start);
    series.bytes += command.bytes;
    if (command.sizes.dimensions != 0) series.work_items += command.sizes.work_items();
    if (is_traced()) {
      const std::int64_t queued = stamp(command.event, CL_PROFILING_COMMAND_QUEUED);
      const std::int64_t distance = queued - command.enqueued_ns;
      if (queued >= 0 && distance < clock_distance.load(std::memory_order_relaxed))
        clock_distance.store(distance, std::memory_order_relaxed);
      trace(number, series, start, end, command.bytes);
    }
  }
  under->clReleaseEvent(command.event);
  return true;
}

void Queue::collect() noexcept {
  added = 0;
  if (in_order) {
    while (next < pending.size() && take_if_done(pending[next])) ++next;
  } else {
    const auto first = pending.begin() + static_cast<std::ptrdiff_t>(next);
    const auto last =
        first + static_cast<std::ptrdiff_t>(std::min(pending.size() - next, most_looked_at));
    pending.erase(
        std::remove_if(first, last, [&](const Pending& command) { return take_if_done(command); }),
        last);
  }
  // The list's beginning is given back when it is the larger part.
  if (next == pending.size()) {
    pending.clear();
    next = 0;
  } else if (next >= 4096 && next * 2 > pending.size()) {
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(next));
    next = 0;
  }
}

void Queue::drain() noexcept {
  try {
    const std::lock_guard lock(mutex);
    if (pending.empty()) return;
    const std::lock_guard books_lock(books().mutex);
    collect();
  } catch (...) {
    // No memory for a time: it is not counted.
  }
}

cl_uint Queue::held(cl_event event) noexcept {
  const std::lock_guard lock(mutex);
  return static_cast<cl_uint>(
      std::count_if(pending.begin() + static_cast<std::ptrdiff_t>(next), pending.end(),
                    [&](const Pending& command) { return command.event == event; }));
}

void drain_all() noexcept {
  // Queues are never taken out of the list, and what a deque holds stays where it is.
  std::size_t count = 0;
  {
    const std::lock_guard lock(books().mutex);
    count = books().queues.size();
  }
  for (std::size_t i = 0; i < count; ++i) {
    Queue* queue = nullptr;
    {
      const std::lock_guard lock(books().mutex);
      queue = books().queues[i];
    }
    queue->drain();
  }
}

void end_of_wait(Queue* queue, HostTime& time, std::int64_t started) noexcept {
  const std::int64_t ended = now_ns();
  time.add(ended - started);
  if (is_traced()) trace_host("wait", started, ended);
  if (queue == nullptr) return;
  queue->drain();
  report_sometimes();
}

}  // namespace kiln::layer::measure
