#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/opencl.hpp"
#include "kiln/error.hpp"
#include "kiln/runtime.hpp"

namespace kiln {

/// One OpenCL device (or sub-device) and the facts about it that Kiln uses. Immutable after
/// discovery, shared by pointer, safe in any thread.
class Device {
 public:
  using Type = DeviceType;

  std::string name, vendor, version, driver_version;
  std::string platform_name, platform_version;
  std::string il_versions;  ///< intermediate languages that it takes: "SPIR-V_1.0 SPIR-V_1.2"
  Type type = Type::other;
  cl_uint compute_units = 0;
  cl_uint address_bits = 0;
  std::size_t max_work_group_size = 0;
  std::vector<std::size_t> max_work_item_sizes;
  cl_ulong global_memory = 0, max_allocation = 0, local_memory = 0;  ///< bytes
  bool doubles = false;            ///< computes in double precision
  unsigned native_floats = 1;      ///< elements of a native vector of float
  bool vnni = false;               ///< kernels may use AVX-512 VNNI (sums of products of bytes)
  bool avx2 = false;               ///< they may use AVX2, and have no AVX-512
  bool host_memory = false;        ///< works in the host's memory: buffers need no copy
  bool pocl = false;               ///< driven by PoCL: programs are archives with variants
  std::string pocl_device_string;  ///< PoCL's HSTR, empty elsewhere
  cl::Device handle;
  std::shared_ptr<const Device> parent;  ///< set for sub-devices
  unsigned part = 0;                     ///< of a sub-device: its place among its siblings

  /// What a driver's binary depends on: platform name and version, device name and version,
  /// driver version, address bits. A sub-device has its parent's.
  const std::string& fingerprint() const { return fingerprint_; }
  /// What its speed depends on: the fingerprint and the compute units.
  const std::string& speed_identity() const { return speed_identity_; }

 private:
  friend std::shared_ptr<const Device> describe_device(cl::Device, std::shared_ptr<const Device>,
                                                       unsigned);
  std::string fingerprint_, speed_identity_;
};

using DevicePtr = std::shared_ptr<const Device>;

/// Reads the facts of a device. Throws kiln::Error where the driver refuses.
DevicePtr describe_device(cl::Device handle, DevicePtr parent = nullptr, unsigned part = 0);

/// Every device of every platform, GPUs first, then in the loader's order; asked once a process.
/// Error: not_found where there is no platform or no device.
Expected<std::vector<DevicePtr>> all_devices();

/// Devices by a list as on the command line, separated by commas: `all`, `gpu`, `cpu`, an index
/// into all_devices(), `~part of a name`, and for sub-devices a selector with `/2` (equal parts) or
/// `/1,3` (by compute units). Empty: `all`. The first one is "the GPU" of a partition class.
Expected<std::vector<DevicePtr>> select_devices(std::string_view list);

/// Equal parts, or parts by compute units, of one device.
Expected<std::vector<DevicePtr>> partition_equally(const DevicePtr& device, unsigned parts);
Expected<std::vector<DevicePtr>> partition_by_counts(const DevicePtr& device,
                                                     const std::vector<unsigned>& units);

}  // namespace kiln
