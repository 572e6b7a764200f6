// A driver for OpenCL loaders whose functions return at once, to measure what a layer adds to a
// call. Programs build without a compiler, kernels of any name exist, launches and transfers do
// nothing. Start a program with OCL_ICD_VENDORS (ocl-icd) or OCL_ICD_FILENAMES (Khronos) set to
// this library. clSetKernelArg and clEnqueueNDRangeKernel take no lock and count nothing.
#include "null_driver.hpp"

#include <cstring>
#include <tuple>

cl_icd_dispatch table{};
_cl_platform_id platform;
_cl_device_id device;

Counted::Counted() : dispatch(&table) {}

namespace {

// What the device is.

using Uint = std::pair<cl_uint, cl_uint>;
using Long = std::pair<cl_uint, cl_ulong>;  // also sizes: 64-bit machines only
using Text = std::pair<cl_uint, const char*>;

constexpr cl_device_info zero_uints[] = {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
                                         CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
                                         CL_DEVICE_LINKER_AVAILABLE,
                                         CL_DEVICE_IMAGE_SUPPORT,
                                         CL_DEVICE_MAX_READ_IMAGE_ARGS,
                                         CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
                                         CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                                         CL_DEVICE_MAX_SAMPLERS,
                                         CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
                                         CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
                                         CL_DEVICE_MAX_PIPE_ARGS,
                                         CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
                                         CL_DEVICE_PIPE_MAX_PACKET_SIZE,
                                         CL_DEVICE_PIPE_SUPPORT,
                                         CL_DEVICE_ERROR_CORRECTION_SUPPORT,
                                         CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
                                         CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT,
                                         CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT,
                                         CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT,
                                         CL_DEVICE_MAX_NUM_SUB_GROUPS,
                                         CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
                                         CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
                                         CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
                                         CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
                                         CL_DEVICE_MAX_ON_DEVICE_QUEUES,
                                         CL_DEVICE_MAX_ON_DEVICE_EVENTS,
                                         CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
                                         CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE};
constexpr Uint device_uints[] = {
    {CL_DEVICE_VENDOR_ID, 0x4b4c},
    {CL_DEVICE_MAX_COMPUTE_UNITS, 4},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 16},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 8},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 8},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 8},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 16},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 8},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 8},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 8},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 4},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, 2000},
    {CL_DEVICE_ADDRESS_BITS, 64},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 64},
    {CL_DEVICE_MAX_CONSTANT_ARGS, 8},
    {CL_DEVICE_LOCAL_MEM_TYPE, CL_GLOBAL},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, CL_TRUE},
    {CL_DEVICE_ENDIAN_LITTLE, CL_TRUE},
    {CL_DEVICE_AVAILABLE, CL_TRUE},
    {CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE},
    {CL_DEVICE_REFERENCE_COUNT, 1},
    {CL_DEVICE_NUMERIC_VERSION, CL_MAKE_VERSION(3, 0, 0)},
};
constexpr cl_device_info zero_longs[] = {CL_DEVICE_IMAGE2D_MAX_WIDTH,
                                         CL_DEVICE_IMAGE2D_MAX_HEIGHT,
                                         CL_DEVICE_IMAGE3D_MAX_WIDTH,
                                         CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                                         CL_DEVICE_IMAGE3D_MAX_DEPTH,
                                         CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
                                         CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
                                         CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE,
                                         CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
                                         CL_DEVICE_HALF_FP_CONFIG,
                                         CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
                                         CL_DEVICE_PARTITION_AFFINITY_DOMAIN,
                                         CL_DEVICE_SVM_CAPABILITIES,
                                         CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
                                         CL_DEVICE_PARENT_DEVICE};
constexpr Long device_longs[] = {
    {CL_DEVICE_TYPE, CL_DEVICE_TYPE_CPU},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, 1024},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 1ull << 30},
    {CL_DEVICE_GLOBAL_MEM_SIZE, 4ull << 30},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 1 << 20},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 64 << 10},
    {CL_DEVICE_LOCAL_MEM_SIZE, 64 << 10},
    {CL_DEVICE_MAX_PARAMETER_SIZE, 1024},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 8},
    {CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA},
    {CL_DEVICE_DOUBLE_FP_CONFIG, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA},
    {CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
     CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, CL_DEVICE_ATOMIC_ORDER_RELAXED |
                                              CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                                              CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
};
constexpr Text device_texts[] = {
    {CL_DEVICE_NAME, "null"},
    {CL_DEVICE_VENDOR, "Kiln"},
    {CL_DRIVER_VERSION, "1.0"},
    {CL_DEVICE_PROFILE, "FULL_PROFILE"},
    {CL_DEVICE_VERSION, "OpenCL 3.0 null"},
    {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 null"},
    {CL_DEVICE_EXTENSIONS, "cl_khr_fp64"},
    {CL_DEVICE_BUILT_IN_KERNELS, ""},
    {CL_DEVICE_IL_VERSION, ""},
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, ""},
};
constexpr Text platform_texts[] = {
    {CL_PLATFORM_PROFILE, "FULL_PROFILE"},  {CL_PLATFORM_VERSION, "OpenCL 3.0 null"},
    {CL_PLATFORM_NAME, "Kiln null driver"}, {CL_PLATFORM_VENDOR, "Kiln"},
    {CL_PLATFORM_EXTENSIONS, "cl_khr_icd"}, {CL_PLATFORM_ICD_SUFFIX_KHR, "KILN"},
};

void fill_devices() {
  table.clGetPlatformInfo = [](cl_platform_id, cl_platform_info name, size_t size, void* value,
                               size_t* told) -> cl_int {
    const Answer answer{size, value, told};
    for (const auto& [key, text] : platform_texts)
      if (key == name) return answer.text(text);
    if (name == CL_PLATFORM_HOST_TIMER_RESOLUTION) return answer(cl_ulong{0});
    if (name == CL_PLATFORM_NUMERIC_VERSION) return answer(cl_version{CL_MAKE_VERSION(3, 0, 0)});
    if (name == CL_PLATFORM_EXTENSIONS_WITH_VERSION)
      return answer(cl_name_version{CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"});
    return CL_INVALID_VALUE;
  };
  table.clGetDeviceIDs = [](cl_platform_id, cl_device_type type, cl_uint places,
                            cl_device_id* devices, cl_uint* count) -> cl_int {
    if ((devices == nullptr && count == nullptr) || (devices != nullptr && places == 0))
      return CL_INVALID_VALUE;
    if ((type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT)) == 0) return CL_DEVICE_NOT_FOUND;
    if (devices != nullptr) devices[0] = &device;
    if (count != nullptr) *count = 1;
    return CL_SUCCESS;
  };
  table.clGetDeviceInfo = [](cl_device_id of, cl_device_info name, size_t size, void* value,
                             size_t* told) -> cl_int {
    if (of == nullptr) return CL_INVALID_DEVICE;
    const Answer answer{size, value, told};
    for (const cl_device_info zero : zero_uints)
      if (zero == name) return answer(cl_uint{0});
    for (const cl_device_info zero : zero_longs)
      if (zero == name) return answer(cl_ulong{0});
    cl_int status = CL_SUCCESS;
    if (answer.from(name, device_uints, status) || answer.from(name, device_longs, status))
      return status;
    for (const auto& [key, text] : device_texts)
      if (key == name) return answer.text(text);
    switch (name) {
      case CL_DEVICE_PLATFORM:
        return answer(&platform);
      case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return answer(std::vector<size_t>{1024, 1024, 1024});
      case CL_DEVICE_PARTITION_PROPERTIES:
      case CL_DEVICE_PARTITION_TYPE:
        return answer(cl_device_partition_property{0});
      case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return answer(cl_name_version{CL_MAKE_VERSION(1, 2, 0), "OpenCL C"});
      case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return answer(cl_name_version{CL_MAKE_VERSION(1, 0, 0), "cl_khr_fp64"});
      case CL_DEVICE_ILS_WITH_VERSION:
      case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
      case CL_DEVICE_OPENCL_C_FEATURES:
        return answer(std::vector<cl_name_version>{});
      default:
        return CL_INVALID_VALUE;
    }
  };
  table.clRetainDevice = table.clReleaseDevice = [](cl_device_id of) -> cl_int {
    return of == nullptr ? CL_INVALID_DEVICE : CL_SUCCESS;
  };
}

// Contexts and queues.

void fill_contexts() {
  table.clCreateContext = [](const cl_context_properties* properties, cl_uint count,
                             const cl_device_id* devices, auto, void*, cl_int* status) {
    if (count == 0 || devices == nullptr) return failed<_cl_context>(CL_INVALID_VALUE, status);
    auto* context = new _cl_context;
    for (; properties != nullptr && *properties != 0; properties += 2)
      context->properties.insert(context->properties.end(), properties, properties + 2);
    if (!context->properties.empty()) context->properties.push_back(0);
    return created(context, status);
  };
  table.clCreateContextFromType = [](const cl_context_properties* properties, cl_device_type,
                                     auto notify, void* data, cl_int* status) {
    const cl_device_id only = &device;
    return table.clCreateContext(properties, 1, &only, notify, data, status);
  };
  table.clRetainContext = [](cl_context c) { return retain(c, CL_INVALID_CONTEXT); };
  table.clReleaseContext = [](cl_context c) { return release(c, CL_INVALID_CONTEXT); };
  table.clGetContextInfo = [](cl_context c, cl_context_info name, size_t size, void* value,
                              size_t* told) -> cl_int {
    if (c == nullptr) return CL_INVALID_CONTEXT;
    const Answer answer{size, value, told};
    switch (name) {
      case CL_CONTEXT_REFERENCE_COUNT:
        return answer(c->count.load());
      case CL_CONTEXT_DEVICES:
        return answer(&device);
      case CL_CONTEXT_NUM_DEVICES:
        return answer(cl_uint{1});
      case CL_CONTEXT_PROPERTIES:
        return answer(c->properties);
      default:
        return CL_INVALID_VALUE;
    }
  };
  table.clSetContextDestructorCallback = [](cl_context c, auto call, void* data) -> cl_int {
    if (c == nullptr) return CL_INVALID_CONTEXT;
    if (call == nullptr) return CL_INVALID_VALUE;
    c->destructors.emplace_back([=] { call(c, data); });
    return CL_SUCCESS;
  };
  table.clCreateCommandQueue = [](cl_context c, cl_device_id, cl_command_queue_properties wanted,
                                  cl_int* status) {
    if (c == nullptr) return failed<_cl_command_queue>(CL_INVALID_CONTEXT, status);
    return created(new _cl_command_queue{{}, c, wanted}, status);
  };
  table.clCreateCommandQueueWithProperties = [](cl_context c, cl_device_id of,
                                                const cl_queue_properties* list, cl_int* status) {
    cl_command_queue_properties wanted = 0;
    for (; list != nullptr && *list != 0; list += 2)
      if (*list == CL_QUEUE_PROPERTIES) wanted = list[1];
    return table.clCreateCommandQueue(c, of, wanted, status);
  };
  table.clRetainCommandQueue = [](cl_command_queue q) {
    return retain(q, CL_INVALID_COMMAND_QUEUE);
  };
  table.clReleaseCommandQueue = [](cl_command_queue q) {
    return release(q, CL_INVALID_COMMAND_QUEUE);
  };
  table.clGetCommandQueueInfo = [](cl_command_queue q, cl_command_queue_info name, size_t size,
                                   void* value, size_t* told) -> cl_int {
    if (q == nullptr) return CL_INVALID_COMMAND_QUEUE;
    const Answer answer{size, value, told};
    switch (name) {
      case CL_QUEUE_CONTEXT:
        return answer(q->context.get());
      case CL_QUEUE_DEVICE:
        return answer(&device);
      case CL_QUEUE_REFERENCE_COUNT:
        return answer(q->count.load());
      case CL_QUEUE_PROPERTIES:
        return answer(q->properties);
      default:
        return CL_INVALID_VALUE;
    }
  };
  table.clFlush = table.clFinish = [](cl_command_queue q) -> cl_int {
    return q == nullptr ? CL_INVALID_COMMAND_QUEUE : CL_SUCCESS;
  };
}

// The rest of the table.

/// A function that is not supported. Loaders call what is in the table without a look.
template <class R, class... A>
void refuse(R (*&function)(A...)) {
  if (function != nullptr) return;
  function = [](A... arguments) -> R {
    if constexpr (std::is_same_v<R, cl_int>) {
      return CL_INVALID_OPERATION;
    } else if constexpr (!std::is_void_v<R>) {
      const auto last = std::get<sizeof...(A) - 1>(std::tuple<A...>(arguments...));
      if constexpr (std::is_same_v<decltype(last), cl_int* const>)
        if (last != nullptr) *last = CL_INVALID_OPERATION;
      return nullptr;
    }
  };
}

template <class... F>
void refuse_all(F&... functions) {
  (refuse(functions), ...);
}

void* address_of(const char* name);

void fill_extensions() {
  table.clGetExtensionFunctionAddress = address_of;
  table.clGetExtensionFunctionAddressForPlatform = [](cl_platform_id, const char* name) {
    return address_of(name);
  };
  table.clUnloadCompiler = [] { return CL_SUCCESS; };
  table.clUnloadPlatformCompiler = [](cl_platform_id) { return CL_SUCCESS; };
  auto& t = table;
  refuse_all(t.clSetCommandQueueProperty, t.clCreateImage2D, t.clCreateImage3D,
             t.clGetSupportedImageFormats, t.clGetImageInfo, t.clCreateSampler, t.clRetainSampler,
             t.clReleaseSampler, t.clGetSamplerInfo, t.clEnqueueReadImage, t.clEnqueueWriteImage,
             t.clEnqueueCopyImage, t.clEnqueueCopyImageToBuffer, t.clEnqueueCopyBufferToImage,
             t.clEnqueueMapImage, t.clEnqueueNativeKernel, t.clCreateSubDevices, t.clCreateImage,
             t.clCreateProgramWithBuiltInKernels, t.clEnqueueFillImage, t.clCreatePipe,
             t.clGetPipeInfo, t.clSVMAlloc, t.clSVMFree, t.clEnqueueSVMFree, t.clEnqueueSVMMemcpy,
             t.clEnqueueSVMMemFill, t.clEnqueueSVMMap, t.clEnqueueSVMUnmap,
             t.clCreateSamplerWithProperties, t.clSetKernelArgSVMPointer, t.clSetKernelExecInfo,
             t.clGetKernelSubGroupInfoKHR, t.clCreateProgramWithIL, t.clEnqueueSVMMigrateMem,
             t.clGetDeviceAndHostTimer, t.clGetHostTimer, t.clGetKernelSubGroupInfo,
             t.clSetDefaultDeviceCommandQueue, t.clSetProgramReleaseCallback, t.clCompileProgram,
             t.clLinkProgram, t.clSetMemObjectDestructorCallback,
             t.clSetProgramSpecializationConstant, t.clCreateImageWithProperties);
  refuse_all(t.clCreateFromGLBuffer, t.clCreateFromGLTexture2D, t.clCreateFromGLTexture3D,
             t.clCreateFromGLRenderbuffer, t.clGetGLObjectInfo, t.clGetGLTextureInfo,
             t.clEnqueueAcquireGLObjects, t.clEnqueueReleaseGLObjects, t.clGetGLContextInfoKHR,
             t.clCreateEventFromGLsyncKHR, t.clCreateFromGLTexture, t.clCreateFromEGLImageKHR,
             t.clEnqueueAcquireEGLObjectsKHR, t.clEnqueueReleaseEGLObjectsKHR,
             t.clCreateEventFromEGLSyncKHR, t.clCreateSubDevicesEXT, t.clRetainDeviceEXT,
             t.clReleaseDeviceEXT);
}

cl_int CL_API_CALL platforms(cl_uint places, cl_platform_id* list, cl_uint* count) {
  if ((list == nullptr && count == nullptr) || (list != nullptr && places == 0))
    return CL_INVALID_VALUE;
  if (list != nullptr) list[0] = &platform;
  if (count != nullptr) *count = 1;
  return CL_SUCCESS;
}

void* address_of(const char* name) {
  if (name == nullptr) return nullptr;
  if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return reinterpret_cast<void*>(platforms);
  if (std::strcmp(name, "clGetPlatformInfo") == 0)
    return reinterpret_cast<void*>(table.clGetPlatformInfo);
  return nullptr;
}

[[maybe_unused]] const bool filled = [] {
  table.clGetPlatformIDs = platforms;
  fill_devices();
  fill_contexts();
  fill_memory();
  fill_programs();
  fill_kernels();
  fill_launches();
  fill_events();
  fill_extensions();
  return true;
}();

}  // namespace

extern "C" __attribute__((visibility("default"))) cl_int CL_API_CALL
clIcdGetPlatformIDsKHR(cl_uint places, cl_platform_id* list, cl_uint* count) {
  return platforms(places, list, count);
}

extern "C" __attribute__((visibility("default"))) void* CL_API_CALL
clGetExtensionFunctionAddress(const char* name) {
  return address_of(name);
}
