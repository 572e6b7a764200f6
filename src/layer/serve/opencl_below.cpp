#include "layer/serve/opencl_below.hpp"

// OpenCL's functions as this library's own code calls them: hidden definitions that go to the table
// below the layer. A library that took them from the loader would meet the layer that it belongs
// to, and hang where the loader is just being initialised.

namespace kiln::layer {

const cl_icd_dispatch* below = nullptr;

}  // namespace kiln::layer

#define KILN_HIDDEN extern "C" __attribute__((visibility("hidden")))

KILN_HIDDEN cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint num_devices,
                                              const cl_device_id* device_list, const char* options,
                                              void(CL_CALLBACK* pfn_notify)(cl_program, void*),
                                              void* user_data) {
  return kiln::layer::below->clBuildProgram(program, num_devices, device_list, options, pfn_notify,
                                            user_data);
}
KILN_HIDDEN cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                              void* host_ptr, cl_int* errcode_ret) {
  return kiln::layer::below->clCreateBuffer(context, flags, size, host_ptr, errcode_ret);
}
KILN_HIDDEN cl_command_queue CL_API_CALL
clCreateCommandQueue(cl_context context, cl_device_id device,
                     cl_command_queue_properties properties, cl_int* errcode_ret) {
  return kiln::layer::below->clCreateCommandQueue(context, device, properties, errcode_ret);
}
KILN_HIDDEN cl_context CL_API_CALL clCreateContext(
    const cl_context_properties* properties, cl_uint num_devices, const cl_device_id* devices,
    void(CL_CALLBACK* pfn_notify)(const char*, const void*, size_t, void*), void* user_data,
    cl_int* errcode_ret) {
  return kiln::layer::below->clCreateContext(properties, num_devices, devices, pfn_notify,
                                             user_data, errcode_ret);
}
KILN_HIDDEN cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags,
                                             const cl_image_format* image_format,
                                             const cl_image_desc* image_desc, void* host_ptr,
                                             cl_int* errcode_ret) {
  return kiln::layer::below->clCreateImage(context, flags, image_format, image_desc, host_ptr,
                                           errcode_ret);
}
KILN_HIDDEN cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char* kernel_name,
                                                 cl_int* errcode_ret) {
  return kiln::layer::below->clCreateKernel(program, kernel_name, errcode_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint num_kernels,
                                                        cl_kernel* kernels,
                                                        cl_uint* num_kernels_ret) {
  return kiln::layer::below->clCreateKernelsInProgram(program, num_kernels, kernels,
                                                      num_kernels_ret);
}
KILN_HIDDEN cl_program CL_API_CALL clCreateProgramWithBinary(
    cl_context context, cl_uint num_devices, const cl_device_id* device_list, const size_t* lengths,
    const unsigned char** binaries, cl_int* binary_status, cl_int* errcode_ret) {
  return kiln::layer::below->clCreateProgramWithBinary(context, num_devices, device_list, lengths,
                                                       binaries, binary_status, errcode_ret);
}
KILN_HIDDEN cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void* il,
                                                         size_t length, cl_int* errcode_ret) {
  return kiln::layer::below->clCreateProgramWithIL(context, il, length, errcode_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clCompileProgram(
    cl_program program, cl_uint num_devices, const cl_device_id* device_list, const char* options,
    cl_uint num_input_headers, const cl_program* input_headers, const char** header_include_names,
    void(CL_CALLBACK* pfn_notify)(cl_program, void*), void* user_data) {
  return kiln::layer::below->clCompileProgram(program, num_devices, device_list, options,
                                              num_input_headers, input_headers,
                                              header_include_names, pfn_notify, user_data);
}
KILN_HIDDEN cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint num_devices,
                                                 const cl_device_id* device_list,
                                                 const char* options, cl_uint num_input_programs,
                                                 const cl_program* input_programs,
                                                 void(CL_CALLBACK* pfn_notify)(cl_program, void*),
                                                 void* user_data, cl_int* errcode_ret) {
  return kiln::layer::below->clLinkProgram(context, num_devices, device_list, options,
                                           num_input_programs, input_programs, pfn_notify,
                                           user_data, errcode_ret);
}
KILN_HIDDEN cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                             const char** strings,
                                                             const size_t* lengths,
                                                             cl_int* errcode_ret) {
  return kiln::layer::below->clCreateProgramWithSource(context, count, strings, lengths,
                                                       errcode_ret);
}
KILN_HIDDEN cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized_coords,
                                                   cl_addressing_mode addressing_mode,
                                                   cl_filter_mode filter_mode,
                                                   cl_int* errcode_ret) {
  return kiln::layer::below->clCreateSampler(context, normalized_coords, addressing_mode,
                                             filter_mode, errcode_ret);
}
KILN_HIDDEN cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                                 cl_buffer_create_type buffer_create_type,
                                                 const void* buffer_create_info,
                                                 cl_int* errcode_ret) {
  return kiln::layer::below->clCreateSubBuffer(buffer, flags, buffer_create_type,
                                               buffer_create_info, errcode_ret);
}
KILN_HIDDEN cl_int CL_API_CALL
clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property* partition_properties,
                   cl_uint num_entries, cl_device_id* out_devices, cl_uint* num_devices) {
  return kiln::layer::below->clCreateSubDevices(in_device, partition_properties, num_entries,
                                                out_devices, num_devices);
}
KILN_HIDDEN cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer,
                                                   const void* pattern, size_t pattern_size,
                                                   size_t offset, size_t cb,
                                                   cl_uint num_events_in_wait_list,
                                                   const cl_event* event_wait_list,
                                                   cl_event* event) {
  return kiln::layer::below->clEnqueueFillBuffer(command_queue, buffer, pattern, pattern_size,
                                                 offset, cb, num_events_in_wait_list,
                                                 event_wait_list, event);
}
KILN_HIDDEN cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
                                                           cl_uint num_events_in_wait_list,
                                                           const cl_event* event_wait_list,
                                                           cl_event* event) {
  return kiln::layer::below->clEnqueueMarkerWithWaitList(command_queue, num_events_in_wait_list,
                                                         event_wait_list, event);
}
KILN_HIDDEN cl_int CL_API_CALL clEnqueueNDRangeKernel(
    cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
    const size_t* global_work_offset, const size_t* global_work_size, const size_t* local_work_size,
    cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) {
  return kiln::layer::below->clEnqueueNDRangeKernel(
      command_queue, kernel, work_dim, global_work_offset, global_work_size, local_work_size,
      num_events_in_wait_list, event_wait_list, event);
}
KILN_HIDDEN cl_int CL_API_CALL clEnqueueNativeKernel(
    cl_command_queue command_queue, void(CL_CALLBACK* user_func)(void*), void* args, size_t cb_args,
    cl_uint num_mem_objects, const cl_mem* mem_list, const void** args_mem_loc,
    cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) {
  return kiln::layer::below->clEnqueueNativeKernel(command_queue, user_func, args, cb_args,
                                                   num_mem_objects, mem_list, args_mem_loc,
                                                   num_events_in_wait_list, event_wait_list, event);
}
KILN_HIDDEN cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer,
                                                   cl_bool blocking_read, size_t offset, size_t cb,
                                                   void* ptr, cl_uint num_events_in_wait_list,
                                                   const cl_event* event_wait_list,
                                                   cl_event* event) {
  return kiln::layer::below->clEnqueueReadBuffer(command_queue, buffer, blocking_read, offset, cb,
                                                 ptr, num_events_in_wait_list, event_wait_list,
                                                 event);
}
KILN_HIDDEN cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer,
                                                    cl_bool blocking_write, size_t offset,
                                                    size_t cb, const void* ptr,
                                                    cl_uint num_events_in_wait_list,
                                                    const cl_event* event_wait_list,
                                                    cl_event* event) {
  return kiln::layer::below->clEnqueueWriteBuffer(command_queue, buffer, blocking_write, offset, cb,
                                                  ptr, num_events_in_wait_list, event_wait_list,
                                                  event);
}
KILN_HIDDEN cl_int CL_API_CALL clFinish(cl_command_queue command_queue) {
  return kiln::layer::below->clFinish(command_queue);
}
KILN_HIDDEN cl_int CL_API_CALL clFlush(cl_command_queue command_queue) {
  return kiln::layer::below->clFlush(command_queue);
}
KILN_HIDDEN cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue command_queue,
                                                     cl_command_queue_info param_name,
                                                     size_t param_value_size, void* param_value,
                                                     size_t* param_value_size_ret) {
  return kiln::layer::below->clGetCommandQueueInfo(command_queue, param_name, param_value_size,
                                                   param_value, param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info param_name,
                                                size_t param_value_size, void* param_value,
                                                size_t* param_value_size_ret) {
  return kiln::layer::below->clGetContextInfo(context, param_name, param_value_size, param_value,
                                              param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type,
                                              cl_uint num_entries, cl_device_id* devices,
                                              cl_uint* num_devices) {
  return kiln::layer::below->clGetDeviceIDs(platform, device_type, num_entries, devices,
                                            num_devices);
}
KILN_HIDDEN cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info param_name,
                                               size_t param_value_size, void* param_value,
                                               size_t* param_value_size_ret) {
  return kiln::layer::below->clGetDeviceInfo(device, param_name, param_value_size, param_value,
                                             param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info param_name,
                                              size_t param_value_size, void* param_value,
                                              size_t* param_value_size_ret) {
  return kiln::layer::below->clGetEventInfo(event, param_name, param_value_size, param_value,
                                            param_value_size_ret);
}
KILN_HIDDEN void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                       const char* function_name) {
  return kiln::layer::below->clGetExtensionFunctionAddressForPlatform(platform, function_name);
}
KILN_HIDDEN cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx,
                                                  cl_kernel_arg_info param_name,
                                                  size_t param_value_size, void* param_value,
                                                  size_t* param_value_size_ret) {
  return kiln::layer::below->clGetKernelArgInfo(kernel, arg_indx, param_name, param_value_size,
                                                param_value, param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name,
                                               size_t param_value_size, void* param_value,
                                               size_t* param_value_size_ret) {
  return kiln::layer::below->clGetKernelInfo(kernel, param_name, param_value_size, param_value,
                                             param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                        cl_kernel_work_group_info param_name,
                                                        size_t param_value_size, void* param_value,
                                                        size_t* param_value_size_ret) {
  return kiln::layer::below->clGetKernelWorkGroupInfo(kernel, device, param_name, param_value_size,
                                                      param_value, param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name,
                                                  size_t param_value_size, void* param_value,
                                                  size_t* param_value_size_ret) {
  return kiln::layer::below->clGetMemObjectInfo(memobj, param_name, param_value_size, param_value,
                                                param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id* platforms,
                                                cl_uint* num_platforms) {
  return kiln::layer::below->clGetPlatformIDs(num_entries, platforms, num_platforms);
}
KILN_HIDDEN cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                 cl_platform_info param_name,
                                                 size_t param_value_size, void* param_value,
                                                 size_t* param_value_size_ret) {
  return kiln::layer::below->clGetPlatformInfo(platform, param_name, param_value_size, param_value,
                                               param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                     cl_program_build_info param_name,
                                                     size_t param_value_size, void* param_value,
                                                     size_t* param_value_size_ret) {
  return kiln::layer::below->clGetProgramBuildInfo(program, device, param_name, param_value_size,
                                                   param_value, param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info param_name,
                                                size_t param_value_size, void* param_value,
                                                size_t* param_value_size_ret) {
  return kiln::layer::below->clGetProgramInfo(program, param_name, param_value_size, param_value,
                                              param_value_size_ret);
}
KILN_HIDDEN cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue command_queue) {
  return kiln::layer::below->clReleaseCommandQueue(command_queue);
}
KILN_HIDDEN cl_int CL_API_CALL clReleaseContext(cl_context context) {
  return kiln::layer::below->clReleaseContext(context);
}
KILN_HIDDEN cl_int CL_API_CALL clReleaseDevice(cl_device_id device) {
  return kiln::layer::below->clReleaseDevice(device);
}
KILN_HIDDEN cl_int CL_API_CALL clReleaseEvent(cl_event event) {
  return kiln::layer::below->clReleaseEvent(event);
}
KILN_HIDDEN cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel) {
  return kiln::layer::below->clReleaseKernel(kernel);
}
KILN_HIDDEN cl_int CL_API_CALL clReleaseMemObject(cl_mem memobj) {
  return kiln::layer::below->clReleaseMemObject(memobj);
}
KILN_HIDDEN cl_int CL_API_CALL clReleaseProgram(cl_program program) {
  return kiln::layer::below->clReleaseProgram(program);
}
KILN_HIDDEN cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler) {
  return kiln::layer::below->clReleaseSampler(sampler);
}
KILN_HIDDEN cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue command_queue) {
  return kiln::layer::below->clRetainCommandQueue(command_queue);
}
KILN_HIDDEN cl_int CL_API_CALL clRetainContext(cl_context context) {
  return kiln::layer::below->clRetainContext(context);
}
KILN_HIDDEN cl_int CL_API_CALL clRetainDevice(cl_device_id device) {
  return kiln::layer::below->clRetainDevice(device);
}
KILN_HIDDEN cl_int CL_API_CALL clRetainEvent(cl_event event) {
  return kiln::layer::below->clRetainEvent(event);
}
KILN_HIDDEN cl_int CL_API_CALL clRetainMemObject(cl_mem memobj) {
  return kiln::layer::below->clRetainMemObject(memobj);
}
KILN_HIDDEN cl_int CL_API_CALL clRetainProgram(cl_program program) {
  return kiln::layer::below->clRetainProgram(program);
}
KILN_HIDDEN cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
                                              const void* arg_value) {
  return kiln::layer::below->clSetKernelArg(kernel, arg_index, arg_size, arg_value);
}
KILN_HIDDEN cl_int CL_API_CALL clSetMemObjectDestructorCallback(
    cl_mem memory, void(CL_CALLBACK* notify)(cl_mem, void*), void* data) {
  return kiln::layer::below->clSetMemObjectDestructorCallback(memory, notify, data);
}
KILN_HIDDEN cl_int CL_API_CALL clWaitForEvents(cl_uint num_events, const cl_event* event_list) {
  return kiln::layer::below->clWaitForEvents(num_events, event_list);
}
