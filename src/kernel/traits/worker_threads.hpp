#pragma once

#include "device/context.hpp"
#include "kernel/traits/driver_findings.hpp"

namespace kiln {

/// Pins a driver's threads (device/pinned_workers.hpp) where functions were found to run on threads
/// of its own: tried once a driver, a matter of a millisecond. Throws nothing: where it cannot be
/// tried, threads stay where they are. Thread-safe.
void pin_workers_as_found(DriverFindings& findings, const Context& context,
                          const DevicePtr& device);

}  // namespace kiln
