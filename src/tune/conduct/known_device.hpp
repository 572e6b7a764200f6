#pragma once

#include <functional>
#include <string>

#include "device/device.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "tune/records/kept_run.hpp"

/// What a search must know of its device is asked in a child process: the one that forks those that
/// measure stays free of drivers and threads.
namespace kiln::tune {

/// Gives the device, in a process that may load drivers. Throws Error where it is absent.
using FindDevice = std::function<DevicePtr()>;

/// What is known of a device without loading its driver.
struct KnownDevice {
  std::string name, speed_identity;
  bool is_cpu = false;
  bool doubles = false;  ///< computes in double precision
  RecordedDevice recorded;
  DeviceFacts nearness;  ///< for telling which searches on record are near
  std::string more;      ///< what the caller asked of it
};

/// Asks in a child process; `more` says there what else is to be known. Throws Error (not_found,
/// with what find_device threw).
KnownDevice look_at_device(const FindDevice& find_device,
                           const std::function<std::string(const Device&)>& more = {});

}  // namespace kiln::tune
