#pragma once

#include "device/device.hpp"
#include "kernel/traits/driver_findings.hpp"

namespace kiln {

/// What a device can do at most, measured, for rooflines (Williams, Waterman, Patterson: Roofline,
/// CACM 52(4), 2009). 0: it cannot, or could not be measured.
///
/// A work-item that has one chain of dependent multiply-adds waits for each result: the two
/// `chained` figures are what clpeak measures, with the same kernels. Kernels with independent
/// operations can do more, on CPUs much more.
struct DeviceRoofs {
  double single_flops = 0, single_chained_flops = 0;  ///< floating-point operations a second
  double double_flops = 0, double_chained_flops = 0;
  double read_bytes = 0, copy_bytes = 0;  ///< of global memory, bytes a second; copy: both ways

  /// The higher one.
  double memory_bytes() const { return read_bytes > copy_bytes ? read_bytes : copy_bytes; }
};

/// Measures a device at the first call, which takes seconds, and keeps it with what drivers were
/// found to do: by device, driver, number of compute units and machine. A figure that cannot be
/// measured is 0 and tried again by another process. Throws kiln::Error where the device cannot be
/// used at all. Thread-safe.
DeviceRoofs device_roofs(DriverFindings& findings, const DevicePtr& device);

}  // namespace kiln
