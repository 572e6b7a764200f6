#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "device/device.hpp"

// What of a device tells how much another one is like it.
namespace kiln {

/// Plain data, so that devices that are not here can be compared, too.
struct DeviceFacts {
  std::string type, vendor;  ///< "CPU", "GPU"; the vendor as OpenCL has it
  /// Of a native vector of float, and bytes of local memory; 0: not known.
  std::int64_t compute_units = 0, native_floats = 0, local_memory = 0;
  /// The device's name, of PoCL's without the driver's word for it: the same with each release.
  std::string model = {};
  /// "sm_90" of NVIDIA's devices, of PoCL's the compiler's name of the processor
  /// ("skylake-avx512"); empty: not known.
  std::string architecture = {};
  bool operator==(const DeviceFacts&) const = default;

  static DeviceFacts of(const Device& device);
};

/// "NVIDIA H200, 132 units".
std::string text_of(const DeviceFacts& device);

/// The architecture of an NVIDIA device, major and minor number; 0 and 0 elsewhere
/// (cl_nv_device_attribute_query).
std::pair<unsigned, unsigned> nvidia_compute_capability(const Device& device);

/// How far two devices of one type are apart: a sum. What is not known of one of them counts for
/// nothing.
///
///     another model of the same architecture                10
///     another model otherwise                               20; of another vendor 40
///     compute units, native vector, local memory            2 for each factor of 2
double device_distance(const DeviceFacts& a, const DeviceFacts& b);

/// Factors of two between two numbers; 0 where one is not known.
double doublings(std::int64_t a, std::int64_t b);

}  // namespace kiln
