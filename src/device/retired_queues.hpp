#pragma once

#include "device/opencl.hpp"

namespace kiln {

/// Takes a queue that nobody uses any more and releases it when `retired_queues` others have come
/// after it, or with the process.
///
/// Why: PoCL 3.1 tells a waiting thread that a command is complete before its worker has let go of
/// the command, the queue and the queue's lock. A queue that is released in this moment is taken
/// from under the worker. The moment is microseconds long; many queues later it is surely over.
/// The price is that up to so many queues, and their contexts, live longer. Thread-safe.
void retire_queue(cl::CommandQueue queue);
inline constexpr std::size_t retired_queues = 16;

}  // namespace kiln
