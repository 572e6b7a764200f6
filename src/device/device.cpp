#include "device/device.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln {
namespace {

Device::Type type_of(cl_device_type bits) {
  // PoCL's CPU says DEFAULT|CPU, so bits are tested, never compared.
  if (bits & CL_DEVICE_TYPE_GPU) return Device::Type::gpu;
  if (bits & CL_DEVICE_TYPE_CPU) return Device::Type::cpu;
  return Device::Type::other;
}

std::string device_string(const std::string& version) {
  static constexpr std::string_view mark = "HSTR: ";
  const auto at = version.find(mark);
  return at == std::string::npos ? "" : version.substr(at + mark.size());
}

/// Drivers pad or end some strings with NULs and blanks.
std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first);
}

/// A driver that has no intermediate language may not know the question.
std::string il_versions(const cl::Device& device) {
  std::size_t size = 0;
  if (::clGetDeviceInfo(device(), CL_DEVICE_IL_VERSION, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string versions(size, '\0');
  if (::clGetDeviceInfo(device(), CL_DEVICE_IL_VERSION, size, versions.data(), nullptr) !=
      CL_SUCCESS)
    return "";
  return trimmed(std::move(versions));
}

/// Whether this machine has AVX-512 VNNI, and kernels are compiled for AVX-512. PoCL's compiler may
/// not know the processor, so that its own macros do not tell.
bool has_vnni([[maybe_unused]] unsigned native_floats) {
#if defined(__x86_64__)
  return native_floats >= 16 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

/// Whether this machine has AVX2, and kernels are compiled for vectors of its size.
bool has_avx2([[maybe_unused]] unsigned native_floats) {
#if defined(__x86_64__)
  return native_floats == 8 && __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

}  // namespace

const char* name_of(DeviceType type) noexcept {
  return type == DeviceType::cpu ? "CPU" : type == DeviceType::gpu ? "GPU" : "other";
}

DevicePtr describe_device(cl::Device handle, DevicePtr parent, unsigned part) {
  return with_cl_errors([&] {
    auto device = std::make_shared<Device>();
    const cl::Platform platform(handle.getInfo<CL_DEVICE_PLATFORM>());
    device->name = trimmed(handle.getInfo<CL_DEVICE_NAME>());
    device->vendor = trimmed(handle.getInfo<CL_DEVICE_VENDOR>());
    device->version = trimmed(handle.getInfo<CL_DEVICE_VERSION>());
    device->driver_version = trimmed(handle.getInfo<CL_DRIVER_VERSION>());
    device->platform_name = trimmed(platform.getInfo<CL_PLATFORM_NAME>());
    device->platform_version = trimmed(platform.getInfo<CL_PLATFORM_VERSION>());
    device->type = type_of(handle.getInfo<CL_DEVICE_TYPE>());
    device->compute_units = handle.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    device->address_bits = handle.getInfo<CL_DEVICE_ADDRESS_BITS>();
    device->max_work_group_size = handle.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
    for (const auto size : handle.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>())
      device->max_work_item_sizes.push_back(size);
    device->global_memory = handle.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    device->max_allocation = handle.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    device->local_memory = handle.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
    device->doubles = handle.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0;
    device->native_floats =
        std::max<cl_uint>(handle.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>(), 1);
    device->host_memory = handle.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() == CL_TRUE &&
                          device->type == Device::Type::cpu;
    device->il_versions = il_versions(handle);
    device->pocl_device_string = device_string(device->version);
    device->pocl = !device->pocl_device_string.empty();
    device->vnni = device->pocl && device->host_memory && has_vnni(device->native_floats);
    device->avx2 = device->pocl && device->host_memory && has_avx2(device->native_floats);
    device->fingerprint_ =
        parent ? parent->fingerprint()
               : fmt::format("{}|{}|{}|{}|{}|{}", device->platform_name, device->platform_version,
                             device->name, device->version, device->driver_version,
                             device->address_bits);
    device->speed_identity_ =
        fmt::format("{}|{} units", device->fingerprint_, device->compute_units);
    device->handle = std::move(handle);
    device->parent = std::move(parent);
    device->part = part;
    return device;
  });
}

Expected<std::vector<DevicePtr>> all_devices() {
  if (is_forked_with_drivers()) return tl::unexpected(error_after_fork());
  note_drivers();
  // The first call loads the drivers (15 ms for PoCL); C++ makes concurrent callers wait for it.
  static const Expected<std::vector<DevicePtr>> devices = []() -> Expected<std::vector<DevicePtr>> {
    std::vector<DevicePtr> found;
    try {
      std::vector<cl::Platform> platforms;
      cl::Platform::get(&platforms);
      for (const auto& platform : platforms) {
        std::vector<cl::Device> handles;
        cl_int status = CL_SUCCESS;
        try {
          status = platform.getDevices(CL_DEVICE_TYPE_ALL, &handles);
        } catch (const cl::Error& error) {
          status = error.err();  // one broken platform must not hide the others
        }
        if (status != CL_SUCCESS) continue;
        for (auto& handle : handles) found.push_back(describe_device(handle));
      }
    } catch (const cl::Error& error) {
      return fail(Errc::not_found,
                  fmt::format("no OpenCL platform: {} ({}); install a driver, e.g. the package "
                              "pocl-opencl-icd",
                              cl_status_name(error.err()), error.err()));
    } catch (const Error& error) {
      return tl::unexpected(error);
    }
    if (found.empty())
      return fail(
          Errc::not_found,
          "no OpenCL device: the installed drivers have none (PoCL has none where it cannot "
          "write its cache folder: POCL_CACHE_DIR, else XDG_CACHE_HOME/pocl or "
          "~/.cache/pocl)");
    std::stable_sort(found.begin(), found.end(), [](const DevicePtr& a, const DevicePtr& b) {
      return (a->type == Device::Type::gpu) > (b->type == Device::Type::gpu);
    });
    return found;
  }();
  return devices;
}

namespace {

Expected<std::vector<DevicePtr>> make_parts(const DevicePtr& device,
                                            std::vector<cl_device_partition_property> properties) {
  try {
    std::vector<cl::Device> handles;
    cl::Device parent = device->handle;
    parent.createSubDevices(properties.data(), &handles);
    std::vector<DevicePtr> parts;
    for (auto& handle : handles)
      parts.push_back(describe_device(handle, device, static_cast<unsigned>(parts.size())));
    return parts;
  } catch (const cl::Error& error) {
    return fail(Errc::bad_input,
                fmt::format("{} with {} compute units cannot be divided so: {}", device->name,
                            device->compute_units, cl_status_name(error.err())));
  }
}

}  // namespace

Expected<std::vector<DevicePtr>> partition_equally(const DevicePtr& device, unsigned parts) {
  if (parts == 0 || parts > device->compute_units)
    return fail(Errc::bad_input,
                fmt::format("{0} has {1} compute units: found {2} parts, expected 1 to {1}",
                            device->name, device->compute_units, parts));
  auto made = make_parts(
      device, {CL_DEVICE_PARTITION_EQUALLY,
               static_cast<cl_device_partition_property>(device->compute_units / parts), 0});
  // The standard divides into as many parts of that size as fit, which can be more than asked.
  if (made && made->size() > parts) made->resize(parts);
  return made;
}

Expected<std::vector<DevicePtr>> partition_by_counts(const DevicePtr& device,
                                                     const std::vector<unsigned>& units) {
  std::vector<cl_device_partition_property> properties{CL_DEVICE_PARTITION_BY_COUNTS};
  std::uint64_t total = 0;
  for (const unsigned count : units) {
    total += count;
    properties.push_back(count);
  }
  if (units.empty() || total > device->compute_units ||
      std::find(units.begin(), units.end(), 0u) != units.end())
    return fail(
        Errc::bad_input,
        fmt::format("{0} has {1} compute units: found parts of {2}, expected parts of at least 1 "
                    "with a sum of at most {1}",
                    device->name, device->compute_units, fmt::join(units, " + ")));
  properties.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
  properties.push_back(0);
  return make_parts(device, properties);
}

}  // namespace kiln
