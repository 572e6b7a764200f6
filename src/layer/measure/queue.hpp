#pragma once

#include <limits>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "layer/measure/state.hpp"

namespace kiln::layer::measure {

/// A command whose event is held until it is done.
struct Pending {
  cl_event event = nullptr;
  Series* series = nullptr;
  std::uint64_t bytes = 0;
  std::int64_t enqueued_ns = 0;  ///< by the host's clock
  LaunchSizes sizes;             ///< of a launch; none has 0 dimensions
};

/// A queue of the program. Times of its commands are collected without waiting: a few are looked at
/// in a batch at later calls, all of them after the program's own waits.
struct Queue {
  int number = 0;
  cl_command_queue handle = nullptr;
  Device* device = nullptr;
  bool is_timed = false;  ///< its events have times
  bool in_order = true;

  // What the program asked for, where it got more: time stamps are hidden from it.
  std::atomic<bool> is_given{false};
  cl_command_queue_properties asked = 0;
  std::vector<cl_queue_properties> asked_list;

  std::atomic<bool> is_draining{false};
  std::mutex mutex;  ///< of what follows; taken before that of the Books
  std::vector<Pending> pending;
  std::size_t next = 0;   ///< of `pending`: those before are done
  std::size_t added = 0;  ///< since they were looked at

  /// How far the device's clock is ahead of the host's: the smallest difference between a command's
  /// own stamp of its enqueue and the host's, where spans are written.
  std::atomic<std::int64_t> clock_distance{no_distance};
  static constexpr std::int64_t no_distance = std::numeric_limits<std::int64_t>::max();

  /// Notes a command. Where it was enqueued with an event of the library's own that is `owned`;
  /// an event of the program is retained. Throws nothing; what cannot be held has no time.
  void add(const Pending& command, bool is_owned) noexcept;
  /// Collects what is done.
  void drain() noexcept;
  /// How many references to an event are held here.
  cl_uint held(cl_event event) noexcept;

 private:
  struct Batch;
  void look_at(Batch& batch) noexcept;
  void take_out(const Batch& batch, std::size_t at);
  bool collect(std::size_t& at);
};

/// Null for handles that are none of the program's queues, or in a child.
Queue* queue_of(cl_command_queue handle) noexcept;

/// Drains all queues.
void drain_all() noexcept;

/// To be called when the program's thread has waited since `started`: adds that, and what can be
/// looked at then is.
void end_of_wait(Queue* queue, HostTime& time, std::int64_t started) noexcept;

/// Whether a call returns when its command is done.
enum class Blocking { no, yes };

/// Runs an enqueue function, `call`, which gets the place for the event. `series_of` gives the
/// Series of the queue's device.
template <class SeriesOf, class Call>
cl_int run_command(cl_command_queue handle, Pending command, Blocking blocking, cl_event* asked,
                   const SeriesOf& series_of, const Call& call) noexcept {
  Queue* queue = queue_of(handle);
  if (queue == nullptr) return call(asked);
  cl_event own = nullptr;
  cl_event* place = asked != nullptr || !queue->is_timed ? asked : &own;
  command.enqueued_ns = now_ns();
  const cl_int status = call(place);
  if (status != CL_SUCCESS) return status;
  command.event = !queue->is_timed || place == nullptr ? nullptr : *place;
  command.series = series_of(*queue);
  if (command.series != nullptr)
    queue->add(command, place == &own);
  else if (own != nullptr)
    under->clReleaseEvent(own);
  if (blocking == Blocking::yes) end_of_wait(queue, books().blocking_transfer, command.enqueued_ns);
  return status;
}

/// The same of a transfer.
template <class Call>
cl_int run_transfer(cl_command_queue handle, Transfer kind, std::uint64_t bytes, cl_bool blocking,
                    cl_event* asked, const Call& call) noexcept {
  Pending command;
  command.bytes = bytes;
  return run_command(
      handle, command, blocking != CL_FALSE ? Blocking::yes : Blocking::no, asked,
      [&](Queue& queue) { return &queue.device->transfer[static_cast<std::size_t>(kind)]; }, call);
}

}  // namespace kiln::layer::measure
