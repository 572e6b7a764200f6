#pragma once

#include "device/opencl.hpp"

namespace kiln {

/// Whether a handle that an application gave for a queue can be one. Drivers read any object of
/// theirs as what they were told it is: PoCL finds the context of a buffer that is given as a
/// queue, and takes the buffer's kind for the address of a device; NVIDIA's answers for a buffer
/// what is true of its context. So a queue is told by its context and device, objects of the same
/// driver as itself, the device one of the context's or a part of one; and, where the driver keeps
/// the type of an object behind its table of functions, by that, which is learnt from two queues
/// and a buffer in that context, once for a driver. Costs system calls: for queues that are met for
/// the first time. Thread-safe.
bool is_queue(cl_command_queue queue);

}  // namespace kiln
