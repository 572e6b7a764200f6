// The OpenCL functions that Kiln calls, for the program `kiln` alone: each looks the real one up in
// the ICD loader when it is first called. So the commands that touch no device load no OpenCL
// library; linked in the usual way, the loader would be there before main(). The linker takes these
// definitions, finds no use for libOpenCL.so, and leaves it out; a function that is missing here
// brings it back, which a test notices (tests/cli/version.cpp).
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <type_traits>

namespace {

/// What a call gives where there is no loader: the loader's own answer where it finds no platform.
constexpr cl_int no_platform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR

void* find(const char* name) {
  static void* const loader = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return loader == nullptr ? nullptr : ::dlsym(loader, name);
}

/// For every function, though only clGetPlatformIDs can be the first to be called: without a
/// platform there are no handles to pass to the others, and their errcode_ret is not read.
template <class Result>
Result without_loader() {
  if constexpr (std::is_pointer_v<Result>)
    return nullptr;
  else
    return static_cast<Result>(no_platform);
}

}  // namespace

#define KILN_LATE(result, name, parameters, arguments)                                  \
  extern "C" __attribute__((visibility("hidden"))) result CL_API_CALL name parameters { \
    static const auto real = reinterpret_cast<decltype(&name)>(find(#name));            \
    return real != nullptr ? real arguments : without_loader<result>();                 \
  }

KILN_LATE(cl_int, clBuildProgram,
          (cl_program program, cl_uint num_devices, const cl_device_id* device_list,
           const char* options, void(CL_CALLBACK* pfn_notify)(cl_program program, void* user_data),
           void* user_data),
          (program, num_devices, device_list, options, pfn_notify, user_data))
KILN_LATE(cl_mem, clCreateBuffer,
          (cl_context context, cl_mem_flags flags, size_t size, void* host_ptr,
           cl_int* errcode_ret),
          (context, flags, size, host_ptr, errcode_ret))
KILN_LATE(cl_command_queue, clCreateCommandQueue,
          (cl_context context, cl_device_id device, cl_command_queue_properties properties,
           cl_int* errcode_ret),
          (context, device, properties, errcode_ret))
KILN_LATE(cl_context, clCreateContext,
          (const cl_context_properties* properties, cl_uint num_devices,
           const cl_device_id* devices,
           void(CL_CALLBACK* pfn_notify)(const char* errinfo, const void* private_info, size_t cb,
                                         void* user_data),
           void* user_data, cl_int* errcode_ret),
          (properties, num_devices, devices, pfn_notify, user_data, errcode_ret))
KILN_LATE(cl_mem, clCreateImage,
          (cl_context context, cl_mem_flags flags, const cl_image_format* image_format,
           const cl_image_desc* image_desc, void* host_ptr, cl_int* errcode_ret),
          (context, flags, image_format, image_desc, host_ptr, errcode_ret))
KILN_LATE(cl_kernel, clCreateKernel,
          (cl_program program, const char* kernel_name, cl_int* errcode_ret),
          (program, kernel_name, errcode_ret))
KILN_LATE(cl_int, clCreateKernelsInProgram,
          (cl_program program, cl_uint num_kernels, cl_kernel* kernels, cl_uint* num_kernels_ret),
          (program, num_kernels, kernels, num_kernels_ret))
KILN_LATE(cl_program, clCreateProgramWithBinary,
          (cl_context context, cl_uint num_devices, const cl_device_id* device_list,
           const size_t* lengths, const unsigned char** binaries, cl_int* binary_status,
           cl_int* errcode_ret),
          (context, num_devices, device_list, lengths, binaries, binary_status, errcode_ret))
KILN_LATE(cl_program, clCreateProgramWithSource,
          (cl_context context, cl_uint count, const char** strings, const size_t* lengths,
           cl_int* errcode_ret),
          (context, count, strings, lengths, errcode_ret))
KILN_LATE(cl_sampler, clCreateSampler,
          (cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode,
           cl_filter_mode filter_mode, cl_int* errcode_ret),
          (context, normalized_coords, addressing_mode, filter_mode, errcode_ret))
KILN_LATE(cl_mem, clCreateSubBuffer,
          (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,
           const void* buffer_create_info, cl_int* errcode_ret),
          (buffer, flags, buffer_create_type, buffer_create_info, errcode_ret))
KILN_LATE(cl_int, clCreateSubDevices,
          (cl_device_id in_device, const cl_device_partition_property* properties,
           cl_uint num_devices, cl_device_id* out_devices, cl_uint* num_devices_ret),
          (in_device, properties, num_devices, out_devices, num_devices_ret))
KILN_LATE(cl_event, clCreateUserEvent, (cl_context context, cl_int* errcode_ret),
          (context, errcode_ret))
KILN_LATE(cl_int, clEnqueueBarrierWithWaitList,
          (cl_command_queue command_queue, cl_uint num_events_in_wait_list,
           const cl_event* event_wait_list, cl_event* event),
          (command_queue, num_events_in_wait_list, event_wait_list, event))
KILN_LATE(cl_int, clEnqueueCopyBuffer,
          (cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
           size_t dst_offset, size_t size, cl_uint num_events_in_wait_list,
           const cl_event* event_wait_list, cl_event* event),
          (command_queue, src_buffer, dst_buffer, src_offset, dst_offset, size,
           num_events_in_wait_list, event_wait_list, event))
KILN_LATE(cl_int, clEnqueueFillBuffer,
          (cl_command_queue command_queue, cl_mem buffer, const void* pattern, size_t pattern_size,
           size_t offset, size_t size, cl_uint num_events_in_wait_list,
           const cl_event* event_wait_list, cl_event* event),
          (command_queue, buffer, pattern, pattern_size, offset, size, num_events_in_wait_list,
           event_wait_list, event))
KILN_LATE(void*, clEnqueueMapBuffer,
          (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
           cl_map_flags map_flags, size_t offset, size_t size, cl_uint num_events_in_wait_list,
           const cl_event* event_wait_list, cl_event* event, cl_int* errcode_ret),
          (command_queue, buffer, blocking_map, map_flags, offset, size, num_events_in_wait_list,
           event_wait_list, event, errcode_ret))
KILN_LATE(cl_int, clEnqueueMarkerWithWaitList,
          (cl_command_queue command_queue, cl_uint num_events_in_wait_list,
           const cl_event* event_wait_list, cl_event* event),
          (command_queue, num_events_in_wait_list, event_wait_list, event))
KILN_LATE(cl_int, clEnqueueNDRangeKernel,
          (cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
           const size_t* global_work_offset, const size_t* global_work_size,
           const size_t* local_work_size, cl_uint num_events_in_wait_list,
           const cl_event* event_wait_list, cl_event* event),
          (command_queue, kernel, work_dim, global_work_offset, global_work_size, local_work_size,
           num_events_in_wait_list, event_wait_list, event))
KILN_LATE(cl_int, clEnqueueNativeKernel,
          (cl_command_queue command_queue, void(CL_CALLBACK* user_func)(void*), void* args,
           size_t cb_args, cl_uint num_mem_objects, const cl_mem* mem_list,
           const void** args_mem_loc, cl_uint num_events_in_wait_list,
           const cl_event* event_wait_list, cl_event* event),
          (command_queue, user_func, args, cb_args, num_mem_objects, mem_list, args_mem_loc,
           num_events_in_wait_list, event_wait_list, event))
KILN_LATE(cl_int, clEnqueueReadBuffer,
          (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset,
           size_t size, void* ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
           cl_event* event),
          (command_queue, buffer, blocking_read, offset, size, ptr, num_events_in_wait_list,
           event_wait_list, event))
KILN_LATE(cl_int, clEnqueueUnmapMemObject,
          (cl_command_queue command_queue, cl_mem memobj, void* mapped_ptr,
           cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event),
          (command_queue, memobj, mapped_ptr, num_events_in_wait_list, event_wait_list, event))
KILN_LATE(cl_int, clEnqueueWriteBuffer,
          (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset,
           size_t size, const void* ptr, cl_uint num_events_in_wait_list,
           const cl_event* event_wait_list, cl_event* event),
          (command_queue, buffer, blocking_write, offset, size, ptr, num_events_in_wait_list,
           event_wait_list, event))
KILN_LATE(cl_int, clFinish, (cl_command_queue command_queue), (command_queue))
KILN_LATE(cl_int, clFlush, (cl_command_queue command_queue), (command_queue))
KILN_LATE(cl_int, clGetCommandQueueInfo,
          (cl_command_queue command_queue, cl_command_queue_info param_name,
           size_t param_value_size, void* param_value, size_t* param_value_size_ret),
          (command_queue, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetContextInfo,
          (cl_context context, cl_context_info param_name, size_t param_value_size,
           void* param_value, size_t* param_value_size_ret),
          (context, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetDeviceIDs,
          (cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
           cl_device_id* devices, cl_uint* num_devices),
          (platform, device_type, num_entries, devices, num_devices))
KILN_LATE(cl_int, clGetDeviceInfo,
          (cl_device_id device, cl_device_info param_name, size_t param_value_size,
           void* param_value, size_t* param_value_size_ret),
          (device, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetEventInfo,
          (cl_event event, cl_event_info param_name, size_t param_value_size, void* param_value,
           size_t* param_value_size_ret),
          (event, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetEventProfilingInfo,
          (cl_event event, cl_profiling_info param_name, size_t param_value_size, void* param_value,
           size_t* param_value_size_ret),
          (event, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetKernelArgInfo,
          (cl_kernel kernel, cl_uint arg_indx, cl_kernel_arg_info param_name,
           size_t param_value_size, void* param_value, size_t* param_value_size_ret),
          (kernel, arg_indx, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetKernelInfo,
          (cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void* param_value,
           size_t* param_value_size_ret),
          (kernel, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetKernelWorkGroupInfo,
          (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,
           size_t param_value_size, void* param_value, size_t* param_value_size_ret),
          (kernel, device, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetMemObjectInfo,
          (cl_mem memobj, cl_mem_info param_name, size_t param_value_size, void* param_value,
           size_t* param_value_size_ret),
          (memobj, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetPlatformIDs,
          (cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms),
          (num_entries, platforms, num_platforms))
KILN_LATE(cl_int, clGetPlatformInfo,
          (cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
           void* param_value, size_t* param_value_size_ret),
          (platform, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetProgramBuildInfo,
          (cl_program program, cl_device_id device, cl_program_build_info param_name,
           size_t param_value_size, void* param_value, size_t* param_value_size_ret),
          (program, device, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clGetProgramInfo,
          (cl_program program, cl_program_info param_name, size_t param_value_size,
           void* param_value, size_t* param_value_size_ret),
          (program, param_name, param_value_size, param_value, param_value_size_ret))
KILN_LATE(cl_int, clReleaseCommandQueue, (cl_command_queue command_queue), (command_queue))
KILN_LATE(cl_int, clReleaseContext, (cl_context context), (context))
KILN_LATE(cl_int, clReleaseDevice, (cl_device_id device), (device))
KILN_LATE(cl_int, clReleaseEvent, (cl_event event), (event))
KILN_LATE(cl_int, clReleaseKernel, (cl_kernel kernel), (kernel))
KILN_LATE(cl_int, clReleaseMemObject, (cl_mem memobj), (memobj))
KILN_LATE(cl_int, clReleaseProgram, (cl_program program), (program))
KILN_LATE(cl_int, clReleaseSampler, (cl_sampler sampler), (sampler))
KILN_LATE(cl_int, clRetainCommandQueue, (cl_command_queue command_queue), (command_queue))
KILN_LATE(cl_int, clRetainContext, (cl_context context), (context))
KILN_LATE(cl_int, clRetainDevice, (cl_device_id device), (device))
KILN_LATE(cl_int, clRetainEvent, (cl_event event), (event))
KILN_LATE(cl_int, clRetainKernel, (cl_kernel kernel), (kernel))
KILN_LATE(cl_int, clRetainMemObject, (cl_mem memobj), (memobj))
KILN_LATE(cl_int, clRetainProgram, (cl_program program), (program))
KILN_LATE(cl_int, clSetEventCallback,
          (cl_event event, cl_int command_exec_callback_type,
           void(CL_CALLBACK* pfn_notify)(cl_event event, cl_int event_command_status,
                                         void* user_data),
           void* user_data),
          (event, command_exec_callback_type, pfn_notify, user_data))
KILN_LATE(cl_int, clSetKernelArg,
          (cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void* arg_value),
          (kernel, arg_index, arg_size, arg_value))
KILN_LATE(cl_int, clSetMemObjectDestructorCallback,
          (cl_mem memobj, void(CL_CALLBACK* pfn_notify)(cl_mem, void*), void* user_data),
          (memobj, pfn_notify, user_data))
KILN_LATE(cl_int, clSetUserEventStatus, (cl_event event, cl_int execution_status),
          (event, execution_status))
KILN_LATE(cl_int, clWaitForEvents, (cl_uint num_events, const cl_event* event_list),
          (num_events, event_list))
