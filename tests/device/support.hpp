#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/context.hpp"

namespace kiln::testing {

/// The first CPU device: PoCL on every machine that runs the tests.
inline DevicePtr cpu_device() {
  for (const auto& device : value_or_throw(all_devices()))
    if (device->type == Device::Type::cpu) return device;
  throw Error(Errc::not_found, "the tests need a CPU device");
}

inline std::string message_of(const Expected<std::vector<DevicePtr>>& result) {
  return result ? "no error" : result.error().message();
}

}  // namespace kiln::testing
