#include "layer/measure/state.hpp"

// Memory objects and their sizes, for what kernels are bound to. What is shared with graphics or
// made by extension functions is not known here.
namespace kiln::layer::measure {

HandleTable memory_objects, svm_allocations;

namespace {

void add(HandleTable& table, const void* handle, std::size_t bytes) noexcept {
  if (handle != nullptr && bytes != 0 && !is_child())
    table.insert(handle, reinterpret_cast<void*>(bytes));
}

cl_mem add_object(cl_mem made) noexcept {
  std::size_t bytes = 0;
  if (made != nullptr && !is_child() &&
      under->clGetMemObjectInfo(made, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr) == CL_SUCCESS)
    add(memory_objects, made, bytes);
  return made;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, std::size_t size,
                                 void* host, cl_int* error) {
  const cl_mem made = under->clCreateBuffer(context, flags, size, host, error);
  add(memory_objects, made, size);
  return made;
}

cl_mem CL_API_CALL create_buffer_with(cl_context context, const cl_mem_properties* properties,
                                      cl_mem_flags flags, std::size_t size, void* host,
                                      cl_int* error) {
  return add_object(
      under->clCreateBufferWithProperties(context, properties, flags, size, host, error));
}

cl_mem CL_API_CALL create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void* region, cl_int* error) {
  return add_object(under->clCreateSubBuffer(buffer, flags, type, region, error));
}

cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                const cl_image_format* format, const cl_image_desc* description,
                                void* host, cl_int* error) {
  return add_object(under->clCreateImage(context, flags, format, description, host, error));
}

cl_mem CL_API_CALL create_image_with(cl_context context, const cl_mem_properties* properties,
                                     cl_mem_flags flags, const cl_image_format* format,
                                     const cl_image_desc* description, void* host, cl_int* error) {
  return add_object(under->clCreateImageWithProperties(context, properties, flags, format,
                                                       description, host, error));
}

cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags,
                                   const cl_image_format* format, std::size_t width,
                                   std::size_t height, std::size_t pitch, void* host,
                                   cl_int* error) {
  return add_object(
      under->clCreateImage2D(context, flags, format, width, height, pitch, host, error));
}

cl_mem CL_API_CALL create_image_3d(cl_context context, cl_mem_flags flags,
                                   const cl_image_format* format, std::size_t width,
                                   std::size_t height, std::size_t depth, std::size_t row_pitch,
                                   std::size_t slice_pitch, void* host, cl_int* error) {
  return add_object(under->clCreateImage3D(context, flags, format, width, height, depth, row_pitch,
                                           slice_pitch, host, error));
}

cl_int CL_API_CALL release(cl_mem object) {
  cl_uint references = 0;
  if (!is_child() && memory_objects.find(object) != nullptr &&
      under->clGetMemObjectInfo(object, CL_MEM_REFERENCE_COUNT, sizeof references, &references,
                                nullptr) == CL_SUCCESS &&
      references == 1)
    memory_objects.erase(object);
  return under->clReleaseMemObject(object);
}

void* CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, std::size_t size,
                            cl_uint alignment) {
  void* made = under->clSVMAlloc(context, flags, size, alignment);
  add(svm_allocations, made, size);
  return made;
}

void CL_API_CALL svm_free(cl_context context, void* pointer) {
  if (!is_child() && pointer != nullptr) svm_allocations.erase(pointer);
  under->clSVMFree(context, pointer);
}

}  // namespace

void add_memory_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clCreateBuffer, create_buffer);
  replace(table.clCreateBufferWithProperties, create_buffer_with);
  replace(table.clCreateSubBuffer, create_sub_buffer);
  replace(table.clCreateImage, create_image);
  replace(table.clCreateImageWithProperties, create_image_with);
  replace(table.clCreateImage2D, create_image_2d);
  replace(table.clCreateImage3D, create_image_3d);
  replace(table.clReleaseMemObject, release);
  replace(table.clSVMAlloc, svm_alloc);
  replace(table.clSVMFree, svm_free);
}

}  // namespace kiln::layer::measure
