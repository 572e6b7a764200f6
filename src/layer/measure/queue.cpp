#include "layer/measure/queue.hpp"

#include <algorithm>
#include <array>

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

namespace {

/// A command whose times will not be known.
void lose(const Pending& command) noexcept {
  try {
    const std::lock_guard lock(books().mutex);
    if (command.sizes.dimensions != 0) command.series->sizes.add(command.sizes);
  } catch (...) {
    // No memory: its sizes are not counted.
  }
  if (command.event != nullptr) under->clReleaseEvent(command.event);
}

}  // namespace

void Queue::add(const Pending& command, bool is_owned) noexcept {
  command.series->calls.fetch_add(1, std::memory_order_relaxed);
  if (command.event != nullptr && !is_owned && under->clRetainEvent(command.event) != CL_SUCCESS)
    return;
  bool is_held = false, is_due = false;
  try {
    const std::lock_guard lock(mutex);
    if (command.event != nullptr && pending.size() - next < most_pending) {
      pending.push_back(command);
      is_held = true;
      is_due = ++added >= batch;
    }
  } catch (...) {
    // No memory: lost, as below.
  }
  if (!is_held) lose(command);
  if (!is_due) return;
  drain();
  report_sometimes();
}

/// What has become of a command.
struct Outcome {
  bool is_done = false, has_failed = false;
  std::int64_t queued = -1, start = -1, end = -1;
  bool has_times() const { return start >= 0 && end >= start; }
};

namespace {

Outcome outcome_of(cl_event event) noexcept {
  cl_int state = CL_QUEUED;
  if (under->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                            nullptr) != CL_SUCCESS)
    state = -1;
  Outcome outcome{.is_done = state <= CL_COMPLETE, .has_failed = state < 0};
  if (!outcome.is_done || outcome.has_failed) return outcome;
  outcome.start = stamp(event, CL_PROFILING_COMMAND_START);
  outcome.end = stamp(event, CL_PROFILING_COMMAND_END);
  if (is_traced()) outcome.queued = stamp(event, CL_PROFILING_COMMAND_QUEUED);
  return outcome;
}

/// The books are locked.
void enter(const Pending& command, const Outcome& outcome) {
  Series& series = *command.series;
  if (command.sizes.dimensions != 0) series.sizes.add(command.sizes);
  if (outcome.has_failed) {
    ++series.failed;
  } else if (outcome.has_times()) {
    series.times.add(outcome.end - outcome.start);
    series.bytes += command.bytes;
    if (command.sizes.dimensions != 0) series.work_items += command.sizes.work_items();
  }
}

}  // namespace

/// A batch of commands, copied, so that the driver is asked with nothing locked: it may be calling
/// the program back, which may call us. Nothing but drain() takes commands out of the list, and one
/// thread at a time drains.
struct Queue::Batch {
  static constexpr std::size_t most = 32;
  std::array<Pending, most> command;
  std::array<Outcome, most> outcome;
  std::size_t count = 0, done = 0;
};

void Queue::look_at(Batch& batch) noexcept {
  for (std::size_t i = 0; i < batch.count; ++i) {
    batch.outcome[i] = outcome_of(batch.command[i].event);
    batch.done += batch.outcome[i].is_done ? 1 : 0;
    // Of a queue in order those behind have not ended either.
    if (!batch.outcome[i].is_done && in_order) batch.count = i;
  }
  if (!is_traced()) return;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Outcome& outcome = batch.outcome[i];
    const Pending& command = batch.command[i];
    if (!outcome.is_done || !outcome.has_times()) continue;
    const std::int64_t distance = outcome.queued - command.enqueued_ns;
    if (outcome.queued >= 0 && distance < clock_distance.load(std::memory_order_relaxed))
      clock_distance.store(distance, std::memory_order_relaxed);
    trace(number, *command.series, outcome.start, outcome.end, command.bytes);
  }
}

/// Takes what is done out of the list, where the batch begins `at` behind its first one. Locked.
void Queue::take_out(const Batch& batch, std::size_t at) {
  const auto first = pending.begin() + static_cast<std::ptrdiff_t>(next + at);
  std::size_t kept = 0;
  if (at == 0 && batch.done == batch.count) {
    next += batch.count;
  } else {
    for (std::size_t i = 0; i < batch.count; ++i)
      if (!batch.outcome[i].is_done) first[static_cast<std::ptrdiff_t>(kept++)] = batch.command[i];
    pending.erase(first + static_cast<std::ptrdiff_t>(kept),
                  first + static_cast<std::ptrdiff_t>(batch.count));
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

/// Collects a batch from a place of the list on. False where there is no more to look at; else the
/// place is where the next one begins.
bool Queue::collect(std::size_t& at) {
  Batch batch;
  {
    const std::lock_guard lock(mutex);
    const std::size_t waiting = pending.size() - next;
    if (at >= waiting || at >= most_looked_at) return false;
    batch.count = std::min(Batch::most, waiting - at);
    const auto first = pending.begin() + static_cast<std::ptrdiff_t>(next + at);
    std::copy_n(first, batch.count, batch.command.begin());
  }
  const std::size_t copied = batch.count;
  look_at(batch);
  if (batch.done > 0) {
    {
      const std::lock_guard books_lock(books().mutex);
      for (std::size_t i = 0; i < batch.count; ++i)
        if (batch.outcome[i].is_done) enter(batch.command[i], batch.outcome[i]);
    }
    const std::lock_guard lock(mutex);
    take_out(batch, at);
  }
  for (std::size_t i = 0; i < batch.count; ++i)
    if (batch.outcome[i].is_done) under->clReleaseEvent(batch.command[i].event);
  at += batch.count - batch.done;
  return !in_order || batch.count == copied;
}

void Queue::drain() noexcept {
  if (is_draining.exchange(true, std::memory_order_acquire)) return;
  try {
    {
      const std::lock_guard lock(mutex);
      added = 0;
    }
    for (std::size_t at = 0; collect(at);) continue;
  } catch (...) {
    // No memory for a time: it is not counted.
  }
  is_draining.store(false, std::memory_order_release);
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
