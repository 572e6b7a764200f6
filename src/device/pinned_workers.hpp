#pragma once

#include <chrono>

#include "device/context.hpp"

namespace kiln {

/// Whether a device is one whose threads pin_workers() would pin.
bool has_workers_to_pin(const Device& device);

/// On which threads functions of a driver ran: as many functions as the device has compute units,
/// each of which waits for the others.
struct WorkersSeen {
  unsigned threads = 0;    ///< different ones; fewer than units where some were busy
  bool on_caller = false;  ///< one of them was the thread that waits: no thread of the driver's
};
/// Throws Error where the driver refuses. Waits twice `patience` at most. Thread-safe.
WorkersSeen look_at_workers(const Context& context, const DevicePtr& device,
                            std::chrono::milliseconds patience = std::chrono::milliseconds(2));

/// Gives each of PoCL's threads a core of its own, once a process and device.
///
/// PoCL wakes its threads all at once. Where few cores are free the kernel often puts two of them
/// on one core and takes milliseconds to notice, so that a launch of a millisecond runs on half of
/// the machine. PoCL can pin its threads by POCL_AFFINITY alone, before it starts; this does the
/// same later, by functions that run on the threads themselves (clEnqueueNativeKernel), within the
/// cores that they may use.
///
/// Does nothing: on other devices; where the threads are pinned or outnumber their cores; with
/// KILN_PIN=off. Does not wait long for threads that are busy: those that are not reached within
/// `patience` stay as they are. Thread-safe.
void pin_workers(const Context& context, const DevicePtr& device,
                 std::chrono::milliseconds patience = std::chrono::milliseconds(2));

}  // namespace kiln
