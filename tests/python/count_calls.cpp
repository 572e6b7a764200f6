// An OpenCL layer (cl_layer.h) for the ICD loader that counts what a program enqueues:
// kiln_test_calls("clEnqueueReadBuffer") says how many there were so far.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>

#include <atomic>
#include <cstring>

namespace {

cl_icd_dispatch target{}, ours{};

/// A function of the table that gives a status, or a pointer to mapped memory.
template <auto member>
struct Counted;
template <class Result, class... Parameters,
          Result (CL_API_CALL* cl_icd_dispatch::*member)(Parameters...)>
struct Counted<member> {
  static inline std::atomic<long> calls{0};
  static Result CL_API_CALL call(Parameters... parameters) {
    ++calls;
    return (target.*member)(parameters...);
  }
};

struct Counter {
  const char* name;
  std::atomic<long>* calls;
};
Counter counters[32];
int counter_count = 0;

template <auto member>
void count(const char* name) {
  ours.*member = &Counted<member>::call;
  counters[counter_count++] = {name, &Counted<member>::calls};
}

}  // namespace

#define KILN_COUNT(function) count<&cl_icd_dispatch::function>(#function)

extern "C" {

/// -1 for a function that is not counted.
__attribute__((visibility("default"))) long kiln_test_calls(const char* function) {
  for (int i = 0; i < counter_count; ++i)
    if (std::strcmp(counters[i].name, function) == 0) return *counters[i].calls;
  return -1;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what,
                                                                         size_t size, void* value,
                                                                         size_t* size_ret) {
  if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (value != nullptr && size < sizeof version) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, &version, sizeof version);
  if (size_ret != nullptr) *size_ret = sizeof version;
  return CL_SUCCESS;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch* below, cl_uint* entries_ret,
            const cl_icd_dispatch** layer) {
  if (below == nullptr || layer == nullptr || entries_ret == nullptr) return CL_INVALID_VALUE;
  if (entries < sizeof(cl_icd_dispatch) / sizeof(void*)) return CL_INVALID_VALUE;
  std::memcpy(static_cast<void*>(&target), below, sizeof target);
  std::memcpy(static_cast<void*>(&ours), below, sizeof ours);
  KILN_COUNT(clEnqueueNDRangeKernel);
  KILN_COUNT(clEnqueueReadBuffer);
  KILN_COUNT(clEnqueueWriteBuffer);
  KILN_COUNT(clEnqueueCopyBuffer);
  KILN_COUNT(clEnqueueMapBuffer);
  KILN_COUNT(clEnqueueUnmapMemObject);
  KILN_COUNT(clEnqueueReadBufferRect);
  KILN_COUNT(clEnqueueWriteBufferRect);
  KILN_COUNT(clEnqueueCopyBufferRect);
  KILN_COUNT(clEnqueueMigrateMemObjects);
  KILN_COUNT(clEnqueueSVMMemcpy);
  KILN_COUNT(clEnqueueSVMMap);
  KILN_COUNT(clEnqueueSVMMigrateMem);
  *entries_ret = sizeof(cl_icd_dispatch) / sizeof(void*);
  *layer = &ours;
  return CL_SUCCESS;
}

}  // extern "C"
