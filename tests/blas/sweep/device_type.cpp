// An interpreter says that it is every type of device, of which Kiln takes "GPU", and PoCL's is a
// CPU. With KILN_TEST_DEVICE_TYPE=cpu, or gpu, this program sees a CPU, or a GPU, instead: its own
// clGetDeviceInfo comes before the library's, and hands on everything else.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "device/opencl.hpp"

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what,
                                                           size_t size, void* value,
                                                           size_t* needed) {
  using Function = cl_int(cl_device_id, cl_device_info, size_t, void*, size_t*);
  static auto* const next = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, "clGetDeviceInfo"));
  static const char* const wanted = std::getenv("KILN_TEST_DEVICE_TYPE");
  const cl_int status = next(device, what, size, value, needed);
  if (status == CL_SUCCESS && what == CL_DEVICE_TYPE && value != nullptr && wanted != nullptr) {
    const cl_device_type type =
        wanted == std::string_view("cpu") ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
    std::memcpy(value, &type, sizeof type);
  }
  return status;
}
