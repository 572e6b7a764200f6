#pragma once

#include <chrono>
#include <functional>

#include "device/context.hpp"

namespace kiln::graph {

/// When to give up waiting for a device.
struct Watch {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::chrono::nanoseconds timeout{0};  ///< since then; 0: none
  std::function<bool()> stop = {};      ///< asked now and then: true ends the wait
  bool is_on() const { return stop || timeout.count() > 0; }
};

/// The status of an event's command; an error code where the driver does not say.
cl_int status_of(cl_event event);

/// Waits for an event. Throws Error: timeout, refused after a stop, and what its command failed
/// with.
void wait_watched(cl_event event, const Watch& watch);
/// The same for all that a queue has.
void wait_watched(const Queue& queue, const Watch& watch);

}  // namespace kiln::graph
