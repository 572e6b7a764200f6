// An OpenCL layer (cl_layer.h) for the ICD loader that takes the device away in the middle of a
// run: KILN_TEST_FAULT=FUNCTION:N makes the N-th call of FUNCTION fail, and from then on every
// call that reaches the device, as after a driver's reset. With FUNCTION:N:exit the process ends
// there.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

cl_icd_dispatch target{}, ours{};
std::atomic<bool> lost{false};
std::atomic<int> calls{0};
constexpr cl_int status = CL_DEVICE_NOT_AVAILABLE;

/// Counts a call; whether the device is gone.
bool is_lost(const char* function) {
  static const std::string fault = [] {
    const char* text = std::getenv("KILN_TEST_FAULT");
    return std::string(text == nullptr ? "" : text);
  }();
  const auto colon = fault.find(':');
  if (!lost && colon != fault.npos && fault.compare(0, colon, function) == 0 &&
      ++calls == std::atoi(fault.c_str() + colon + 1)) {
    if (fault.ends_with(":exit")) ::_exit(0);
    lost = true;
  }
  return lost;
}

template <auto member>
struct Wrapped;

/// A function that gives a status.
template <class... Parameters, cl_int (CL_API_CALL* cl_icd_dispatch::*member)(Parameters...)>
struct Wrapped<member> {
  static const char* name;
  static cl_int CL_API_CALL call(Parameters... parameters) {
    return is_lost(name) ? status : (target.*member)(parameters...);
  }
};
template <class... Parameters, cl_int (CL_API_CALL* cl_icd_dispatch::*member)(Parameters...)>
const char* Wrapped<member>::name = "";

template <class Handle>
Handle refuse(cl_int* error) {
  if (error != nullptr) *error = status;
  return nullptr;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                                 cl_int* error) {
  return is_lost("clCreateBuffer") ? refuse<cl_mem>(error)
                                   : target.clCreateBuffer(context, flags, size, host, error);
}
cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* error) {
  return is_lost("clCreateKernel") ? refuse<cl_kernel>(error)
                                   : target.clCreateKernel(program, name, error);
}
cl_context CL_API_CALL create_context(
    const cl_context_properties* properties, cl_uint count, const cl_device_id* devices,
    void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data, cl_int* error) {
  return is_lost("clCreateContext")
             ? refuse<cl_context>(error)
             : target.clCreateContext(properties, count, devices, notify, data, error);
}
cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int* error) {
  return is_lost("clCreateCommandQueue")
             ? refuse<cl_command_queue>(error)
             : target.clCreateCommandQueue(context, device, properties, error);
}

}  // namespace

#define KILN_WRAP(function)                               \
  Wrapped<& cl_icd_dispatch::function>::name = #function; \
  ours.function = Wrapped<&cl_icd_dispatch::function>::call

extern "C" __attribute__((visibility("default"))) cl_int CL_API_CALL
clGetLayerInfo(cl_layer_info what, size_t size, void* value, size_t* size_ret) {
  if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (value != nullptr && size < sizeof version) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, &version, sizeof version);
  if (size_ret != nullptr) *size_ret = sizeof version;
  return CL_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch* below, cl_uint* entries_ret,
            const cl_icd_dispatch** layer) {
  if (below == nullptr || layer == nullptr || entries_ret == nullptr) return CL_INVALID_VALUE;
  if (entries < sizeof(cl_icd_dispatch) / sizeof(void*)) return CL_INVALID_VALUE;
  std::memcpy(static_cast<void*>(&target), below, sizeof target);
  std::memcpy(static_cast<void*>(&ours), below, sizeof ours);
  KILN_WRAP(clFinish);
  KILN_WRAP(clFlush);
  KILN_WRAP(clBuildProgram);
  KILN_WRAP(clSetKernelArg);
  KILN_WRAP(clEnqueueNDRangeKernel);
  KILN_WRAP(clEnqueueReadBuffer);
  KILN_WRAP(clEnqueueWriteBuffer);
  KILN_WRAP(clEnqueueFillBuffer);
  ours.clCreateBuffer = create_buffer;
  ours.clCreateKernel = create_kernel;
  ours.clCreateContext = create_context;
  ours.clCreateCommandQueue = create_queue;
  *entries_ret = sizeof(cl_icd_dispatch) / sizeof(void*);
  *layer = &ours;
  return CL_SUCCESS;
}
