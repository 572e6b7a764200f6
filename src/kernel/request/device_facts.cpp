#include "kernel/request/device_facts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace kiln {
namespace {

/// PoCL names a processor "cpu-haswell-AMD EPYC", older releases "pthread-haswell-AMD EPYC": what
/// drives it, the compiler's name of it, its own.
std::string model_of(const Device& device) {
  const auto dash = device.name.find('-');
  if (!device.pocl || dash == std::string::npos) return device.name;
  return device.name.substr(dash + 1);
}

/// Of "skylake-avx512-AMD EPYC" what PoCL's own string ends with.
std::string processor_of(const std::string& model, std::string_view device_string) {
  std::string found;
  for (auto dash = model.find('-'); dash != std::string::npos; dash = model.find('-', dash + 1))
    if (device_string.ends_with("-" + model.substr(0, dash))) found = model.substr(0, dash);
  return found;
}

std::string architecture_of(const Device& device) {
  if (device.pocl) return processor_of(model_of(device), device.pocl_device_string);
  const auto [major, minor] = nvidia_compute_capability(device);
  return major == 0 ? "" : fmt::format("sm_{}{}", major, minor);
}

}  // namespace

DeviceFacts DeviceFacts::of(const Device& device) {
  return {name_of(device.type),
          device.vendor,
          device.compute_units,
          device.native_floats,
          static_cast<std::int64_t>(device.local_memory),
          model_of(device),
          architecture_of(device)};
}

std::string text_of(const DeviceFacts& device) {
  if (device.compute_units <= 0) return device.model;
  return fmt::format("{}, {} unit{}", device.model, device.compute_units,
                     device.compute_units == 1 ? "" : "s");
}

std::pair<unsigned, unsigned> nvidia_compute_capability(const Device& device) {
  if (device.vendor.find("NVIDIA") == std::string::npos) return {0, 0};
  const auto number = [&](cl_device_info what) {
    cl_uint value = 0;
    const bool is_told =
        ::clGetDeviceInfo(device.handle(), what, sizeof value, &value, nullptr) == CL_SUCCESS;
    return is_told ? value : 0u;
  };
  return {number(0x4000), number(0x4001)};
}

double doublings(std::int64_t a, std::int64_t b) {
  if (a <= 0 || b <= 0) return 0;
  return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

double device_distance(const DeviceFacts& a, const DeviceFacts& b) {
  double far =
      2 * (doublings(a.compute_units, b.compute_units) +
           doublings(a.native_floats, b.native_floats) + doublings(a.local_memory, b.local_memory));
  if (a.model == b.model) return far;
  if (a.vendor != b.vendor && !a.vendor.empty() && !b.vendor.empty()) return far + 40;
  return far + (!a.architecture.empty() && a.architecture == b.architecture ? 10 : 20);
}

}  // namespace kiln
