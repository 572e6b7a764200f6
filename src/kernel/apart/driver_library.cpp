#include "kernel/apart/driver_library.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "device/device.hpp"

namespace kiln::apart {
namespace {

bool loader_takes_libraries() {
  void* loader = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (loader == nullptr) return false;
  const auto find = reinterpret_cast<void*(CL_API_CALL*)(const char*)>(
      ::dlsym(loader, "clGetExtensionFunctionAddress"));
  const bool is_ocl_icd = find != nullptr && find("clGetICDLoaderInfoOCLICD") != nullptr;
  ::dlclose(loader);
  return is_ocl_icd;
}

/// The library that a platform's functions lie in. A handle of the ICD mechanism (cl_khr_icd)
/// begins with the address of the driver's table of functions; clGetPlatformInfo is the second.
std::optional<std::string> library_of(cl_platform_id platform) {
  const void* const* table = *reinterpret_cast<const void* const* const*>(platform);
  Dl_info info{};
  if (table == nullptr || table[1] == nullptr || ::dladdr(table[1], &info) == 0 ||
      info.dli_fname == nullptr || info.dli_fname[0] != '/')
    return {};
  return info.dli_fname;
}

std::optional<std::string> find_library() {
  if (std::getenv("OCL_ICD_VENDORS") != nullptr || !loader_takes_libraries()) return {};
  const auto devices = all_devices();
  if (!devices) return {};
  for (const auto& device : *devices)
    if (device->pocl) return library_of(device->handle.getInfo<CL_DEVICE_PLATFORM>());
  return {};
}

}  // namespace

std::optional<std::string> driver_library() {
  static const auto found = find_library();
  return found;
}

}  // namespace kiln::apart
