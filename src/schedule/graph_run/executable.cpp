#include "schedule/graph_run/executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/clock.hpp"
#include "base/lifetime.hpp"
#include "schedule/placement.hpp"

namespace kiln::graph {
namespace {

/// So many commands may stand behind one that waits for the host. Drivers stop taking commands at
/// some number, and would then wait for the host that waits for them.
constexpr std::size_t most_behind_host = 256;

}  // namespace

Executable::Executable(const WorkGraph& work, Steps steps) : work_(work), steps_(std::move(steps)) {
  events_.resize(steps_.slots);
  scratch_.resize(64);
  // An Array is asked for once a device and run.
  std::ranges::sort(steps_.array_memory, {},
                    [](const ArrayPlace& place) { return std::pair(place.array, place.device); });
}

Executable::~Executable() {
  release_user_events();
  if (!finish_quietly()) {
    // A device that does not answer may still write there: the memory is never freed.
    new Steps(std::move(steps_));
    return;
  }
  release_events();
}

/// Whether nothing runs any more.
bool Executable::finish_quietly() {
  if (hangs_) return false;
  bool all_have_ended = true;
  for (const auto& entry : steps_.queues)
    if (entry.is_used) all_have_ended &= ::clFinish(entry.queue.cl()()) == CL_SUCCESS;
  if (all_have_ended) return true;
  // The driver gives up on a device: commands that are known may end all the same.
  constexpr auto patience = std::chrono::seconds(2);
  const auto end = std::chrono::steady_clock::now() + patience;
  for (const auto* events : {&events_, &all_})
    for (const cl_event event : *events)
      while (event != nullptr && status_of(event) > CL_COMPLETE &&
             std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return false;
}

ByteView Executable::result(ValueId value) const {
  const std::uint32_t index = value < steps_.result_of.size() ? steps_.result_of[value] : none;
  if (index == none) throw Error(Errc::bad_input, "the value is not among the graph's results");
  return steps_.results[index].view();
}

std::span<const cl_event> Executable::gather(const Step& step) {
  if (scratch_.size() < step.waits) scratch_.resize(step.waits);
  for (std::uint32_t i = 0; i < step.waits; ++i)
    scratch_[i] = events_[steps_.waits[step.first_wait + i]];
  return {scratch_.data(), step.waits};
}

void Executable::place_arrays() {
  const ArrayPlace* last = nullptr;
  for (const ArrayPlace& place : steps_.array_memory) {
    const bool is_known =
        last != nullptr && last->array == place.array && last->device == place.device;
    steps_.memory[place.at] = is_known ? steps_.memory[last->at] : array_on_device(place);
    last = &place;
  }
  for (const ArrayPlace& place : steps_.array_host_memory)
    steps_.host_memory[place.at] =
        work_.arrays()[place.array].storage->on_host(ArrayStorage::HostUse::read);
}

cl_mem Executable::array_on_device(const ArrayPlace& place) {
  array_waits_.clear();
  const cl_mem memory =
      work_.arrays()[place.array].storage->on_device(first_queue(place.device), array_waits_);
  // At once, since the storage lets go of the events when another device asks; and one by one,
  // since they may be of several drivers.
  for (const cl_event event : array_waits_)
    check_cl(::clWaitForEvents(1, &event), "clWaitForEvents");
  return memory;
}

/// What runs of other graphs and kernels have to know of the Arrays. All commands have ended.
void Executable::tell_arrays() {
  for (std::uint32_t array = 0; array < work_.arrays().size(); ++array) {
    auto& storage = *work_.arrays()[array].storage;
    const std::uint32_t device = steps_.written_on[array];
    if (device == none) continue;
    if (device == written_by_host) {
      storage.on_host(ArrayStorage::HostUse::overwrite);
      continue;
    }
    storage.written_by(first_queue(device));
  }
}

const Queue& Executable::first_queue(std::uint32_t device) const {
  return std::ranges::find(steps_.queues, device, &QueueEntry::device)->queue;
}

void Executable::enqueue(const Step& step, cl_event* done) {
  const auto after = gather(step);
  const Queue& queue = steps_.queues[step.queue].queue;
  const cl_command_queue handle = queue.cl()();
  const cl_mem* const memory = steps_.memory.data() + step.first_memory;
  const auto count = static_cast<cl_uint>(after.size());
  const cl_event* const list = after.empty() ? nullptr : after.data();
  switch (step.kind) {
    case Step::Kind::run: {
      const Work& work = *work_.tasks()[step.task].work;
      steps_.runners[step.runner]->enqueue(work, {memory, work.uses().size()}, after, done);
      return;
    }
    case Step::Kind::fill: {
      constexpr cl_uint zero = 0;
      const std::size_t pattern = step.bytes % sizeof zero == 0 ? sizeof zero : 1;
      check_cl(
          ::clEnqueueFillBuffer(handle, *memory, &zero, pattern, 0, step.bytes, count, list, done),
          "clEnqueueFillBuffer");
      return;
    }
    case Step::Kind::copy:
      check_cl(
          ::clEnqueueCopyBuffer(handle, memory[0], memory[1], 0, 0, step.bytes, count, list, done),
          "clEnqueueCopyBuffer");
      return;
    case Step::Kind::upload:
      check_cl(::clEnqueueWriteBuffer(handle, *memory, CL_FALSE, step.first_byte, step.bytes,
                                      steps_.host_memory[step.host_memory] + step.first_byte, count,
                                      list, done),
               "clEnqueueWriteBuffer");
      return;
    case Step::Kind::download:
      check_cl(::clEnqueueReadBuffer(handle, *memory, CL_FALSE, step.first_byte, step.bytes,
                                     steps_.host_memory[step.host_memory] + step.first_byte, count,
                                     list, done),
               "clEnqueueReadBuffer");
      return;
    case Step::Kind::host:
      return;
  }
}

void Executable::show_task(const Step& step, const RunOrder& order,
                           const std::function<void(const TaskRun&)>& to) {
  // What it waits for must have been handed to the devices.
  flush();
  const Work& work = *work_.tasks()[step.task].work;
  const QueueEntry& where = steps_.queues[step.queue];
  wait_watched(where.queue, watch(order));
  const auto start = std::chrono::steady_clock::now();
  const std::function<void(const Queue&)> wait = [&](const Queue& queue) {
    wait_watched(queue, {start, order.timeout, order.stop});
  };
  to({work,
      where,
      *steps_.runners[step.runner],
      {steps_.memory.data() + step.first_memory, work.uses().size()},
      wait});
  begin_ += std::chrono::steady_clock::now() - start;
}

Watch Executable::watch(const RunOrder& order) const { return {begin_, order.timeout, order.stop}; }

void Executable::do_host_step(std::size_t index, const RunOrder& order) {
  const Step& step = steps_.all[index];
  current_ = index;
  // What the host waits for must have been handed to the devices.
  flush();
  for (const cl_event event : gather(step)) wait_watched(event, watch(order));
  if (step.kind == Step::Kind::copy) {
    std::memcpy(steps_.host_memory[step.host_memory + 1], steps_.host_memory[step.host_memory],
                step.bytes);
  } else if (step.task != none) {
    const Work& work = *work_.tasks()[step.task].work;
    spans_.clear();
    for (std::size_t use = 0; use < work.uses().size(); ++use) {
      spans_.emplace_back(steps_.host_memory[step.host_memory + use], work.uses()[use].bytes);
      if (work.uses()[use].access == Access::out)
        std::memset(spans_.back().data(), 0, spans_.back().size());
    }
    const auto start = now_ns();
    work.run_on_host(spans_);
    if (order.takes_times) task_ns_[step.task] = now_ns() - start;
    if (order.trace != nullptr)
      order.trace->add({"host",
                        work_.tasks()[step.task].label,
                        "host",
                        start,
                        now_ns(),
                        {},
                        static_cast<std::uint32_t>(index + 1),
                        waited_for(index)});
  }
  for (const UserEvent& event : steps_.user_events)
    if (event.step == index) ::clSetUserEventStatus(events_[event.slot], CL_COMPLETE);
}

void Executable::enqueue_all(const RunOrder& order) {
  for (const UserEvent& event : steps_.user_events) {
    cl_int status = CL_SUCCESS;
    events_[event.slot] = ::clCreateUserEvent(event.context->cl()(), &status);
    check_cl(status, "clCreateUserEvent");
  }
  pending_.clear();
  std::size_t next_pending = 0, behind = 0;
  for (std::size_t i = 0; i < steps_.all.size(); ++i) {
    const Step& step = steps_.all[i];
    if (step.queue == steps_.queues.size()) {
      pending_.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    if (next_pending < pending_.size() && ++behind > most_behind_host) {
      do_host_step(pending_[next_pending++], order);
      behind = 0;
    }
    current_ = i;
    const bool is_host_needed = next_pending < pending_.size();
    const bool shows_task = step.kind == Step::Kind::run && !is_host_needed;
    if (order.before_task && shows_task) show_task(step, order, order.before_task);
    if (order.takes_times) {
      enqueued_ns_[i] = now_ns();
      enqueue(step, &all_[i]);
      if (step.signal != none) {
        events_[step.signal] = all_[i];
        ::clRetainEvent(all_[i]);
      }
    } else {
      enqueue(step, step.signal != none ? &events_[step.signal] : nullptr);
    }
    if (order.after_task && shows_task) show_task(step, order, order.after_task);
  }
  while (next_pending < pending_.size()) do_host_step(pending_[next_pending++], order);
}

/// Hands all that was enqueued to the devices.
void Executable::flush() {
  for (const auto& entry : steps_.queues)
    if (entry.is_used) ::clFlush(entry.queue.cl()());
}

void Executable::finish(const RunOrder& order) {
  const bool is_watched = watch(order).is_on();
  flush();
  for (const auto& entry : steps_.queues) {
    if (!entry.is_used) continue;
    if (!is_watched) {
      check_cl(::clFinish(entry.queue.cl()()), "clFinish");
      continue;
    }
    wait_watched(entry.queue, watch(order));
  }
}

void Executable::release_events() {
  for (cl_event& event : events_)
    if (event != nullptr) ::clReleaseEvent(std::exchange(event, nullptr));
  for (cl_event& event : all_)
    if (event != nullptr) ::clReleaseEvent(std::exchange(event, nullptr));
}

/// Commands that wait for the host would wait for ever.
void Executable::release_user_events() {
  for (const UserEvent& event : steps_.user_events)
    if (events_[event.slot] != nullptr && status_of(events_[event.slot]) > CL_COMPLETE)
      ::clSetUserEventStatus(events_[event.slot], CL_COMPLETE);
}

/// The same with the name of the task that is to blame, as far as that is known. To be asked for
/// while the events are there.
Error Executable::with_task(const Error& error) const {
  std::size_t at = current_;
  if (error.code() == Errc::device || error.code() == Errc::timeout) {
    const auto has_not_ended = [](cl_event event) {
      return event != nullptr && status_of(event) != CL_COMPLETE;
    };
    const auto first = std::ranges::find_if(all_, has_not_ended);
    if (first != all_.end()) at = static_cast<std::size_t>(first - all_.begin());
  }
  const Step& step = steps_.all[at];
  const Task task =
      step.task == none && step.value != none ? work_.values()[step.value].producer : step.task;
  if (task == none) return error;
  return {error.code(), fmt::format("task {}: {}", work_.tasks()[task].label, error.message())};
}

/// After a failure nothing runs any more, but on a device that hangs: there is no way to end its
/// command.
void Executable::abandon(bool hangs) {
  hangs_ = hangs;
  release_user_events();
  if (finish_quietly())
    release_events();
  else
    hangs_ = true;
}

void Executable::run(const RunOrder& asked) {
  refuse_after_fork();
  RunOrder order = asked;
  order.takes_times |= order.trace != nullptr;
  if (steps_.all.empty()) return;
  if (order.takes_times) {
    all_.resize(steps_.all.size());
    enqueued_ns_.resize(steps_.all.size());
    task_ns_.assign(work_.tasks().size(), 0);
  }
  if (order.trace != nullptr) signals_ = find_signals();
  begin_ = std::chrono::steady_clock::now();
  const auto start = now_ns();
  try {
    for (const auto& runner : steps_.runners) runner->begin_run();
    place_arrays();
    enqueue_all(order);
    enqueue_ns_ = now_ns() - start;
    finish(order);
    wall_ns_ = now_ns() - start;
    if (order.takes_times) take_times(order);
    tell_arrays();
    release_events();
  } catch (const Error& error) {
    const Error named = with_task(error);
    abandon(error.code() == Errc::timeout);
    throw named;
  } catch (...) {
    abandon(false);
    throw;
  }
}

}  // namespace kiln::graph
