#pragma once

#include "device/device.hpp"

namespace kiln {

/// Takes a queue that nobody uses any more and releases it when `retired_queues` others have come
/// after it, or with the process.
///
/// Why: PoCL 3.1 tells a waiting thread that a command is complete before its worker has let go of
/// the command and the queue's lock. What is released in this moment is taken from under the
/// worker: the queue, and the sub-device that it works on, which PoCL's queue does not retain. The
/// moment is microseconds long; many queues later it is surely over. The price is that up to so
/// many queues, and their cl_contexts, live longer. Thread-safe.
void retire_queue(cl::CommandQueue queue, DevicePtr device);
inline constexpr std::size_t retired_queues = 16;

}  // namespace kiln
