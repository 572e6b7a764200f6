#pragma once

#include <span>
#include <vector>

#include "device/device.hpp"
#include "kernel/recorded_call.hpp"

namespace kiln::cli {

/// Devices of this machine that a record means, one for each: of the same fingerprint, whole or a
/// sub-device of as many compute units. Error: not_found, with the name of the one that is absent.
Expected<std::vector<DevicePtr>> find_devices(std::span<const RecordedDevice> recorded);

}  // namespace kiln::cli
