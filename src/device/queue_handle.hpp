#pragma once

#include "device/opencl.hpp"

namespace kiln {

/// Whether a handle that an application gave for a queue can be one. Drivers read any object of
/// theirs as what they were told it is: PoCL finds the context of a buffer that is given as a
/// queue, and takes the buffer's kind for the address of a device; NVIDIA's driver ends the
/// process. So a queue is told by the number of its type, where the driver keeps one behind its
/// table of functions, and by its context and device: objects of the same driver as itself, the
/// device one of the context's or a part of one. Costs system calls: for queues that are met for
/// the first time. Thread-safe.
bool is_queue(cl_command_queue queue);

/// Of a handle that a driver has already answered questions about, whether the number of its type
/// is that of another object: NVIDIA's driver answers for a buffer what is true of its context.
/// For each call: takes no lock once the driver is known. A driver without such numbers excludes
/// nothing. Thread-safe.
bool is_marked_otherwise(cl_command_queue queue);

}  // namespace kiln
