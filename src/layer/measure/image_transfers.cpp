#include "layer/measure/queue.hpp"

// Transfers of images.
namespace kiln::layer::measure {
namespace {

/// Bytes of a region of an image.
std::uint64_t bytes_of(cl_mem image, const std::size_t* region) noexcept {
  std::size_t element = 0;
  if (region == nullptr || is_child() || memory_objects.find(image) == nullptr ||
      under->clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, nullptr) !=
          CL_SUCCESS)
    return 0;
  return std::uint64_t{region[0]} * region[1] * region[2] * element;
}

cl_int CL_API_CALL read(cl_command_queue queue, cl_mem image, cl_bool blocking,
                        const std::size_t* origin, const std::size_t* region, std::size_t row,
                        std::size_t slice, void* host, cl_uint wait_count, const cl_event* waits,
                        cl_event* event) {
  const auto bytes = bytes_of(image, region);
  return run_transfer(queue, Transfer::read, bytes, blocking, event, [&](cl_event* place) {
    return under->clEnqueueReadImage(queue, image, blocking, origin, region, row, slice, host,
                                     wait_count, waits, place);
  });
}

cl_int CL_API_CALL write(cl_command_queue queue, cl_mem image, cl_bool blocking,
                         const std::size_t* origin, const std::size_t* region, std::size_t row,
                         std::size_t slice, const void* host, cl_uint wait_count,
                         const cl_event* waits, cl_event* event) {
  const auto bytes = bytes_of(image, region);
  return run_transfer(queue, Transfer::write, bytes, blocking, event, [&](cl_event* place) {
    return under->clEnqueueWriteImage(queue, image, blocking, origin, region, row, slice, host,
                                      wait_count, waits, place);
  });
}

cl_int CL_API_CALL copy(cl_command_queue queue, cl_mem from, cl_mem to,
                        const std::size_t* from_origin, const std::size_t* to_origin,
                        const std::size_t* region, cl_uint wait_count, const cl_event* waits,
                        cl_event* event) {
  const auto bytes = bytes_of(from, region);
  return run_transfer(queue, Transfer::copy, bytes, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueCopyImage(queue, from, to, from_origin, to_origin, region, wait_count,
                                     waits, place);
  });
}

cl_int CL_API_CALL to_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                             const std::size_t* origin, const std::size_t* region,
                             std::size_t offset, cl_uint wait_count, const cl_event* waits,
                             cl_event* event) {
  const auto bytes = bytes_of(image, region);
  return run_transfer(queue, Transfer::copy, bytes, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, offset,
                                             wait_count, waits, place);
  });
}

cl_int CL_API_CALL from_buffer(cl_command_queue queue, cl_mem buffer, cl_mem image,
                               std::size_t offset, const std::size_t* origin,
                               const std::size_t* region, cl_uint wait_count, const cl_event* waits,
                               cl_event* event) {
  const auto bytes = bytes_of(image, region);
  return run_transfer(queue, Transfer::copy, bytes, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueCopyBufferToImage(queue, buffer, image, offset, origin, region,
                                             wait_count, waits, place);
  });
}

cl_int CL_API_CALL fill(cl_command_queue queue, cl_mem image, const void* colour,
                        const std::size_t* origin, const std::size_t* region, cl_uint wait_count,
                        const cl_event* waits, cl_event* event) {
  const auto bytes = bytes_of(image, region);
  return run_transfer(queue, Transfer::fill, bytes, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueFillImage(queue, image, colour, origin, region, wait_count, waits,
                                     place);
  });
}

void* CL_API_CALL map(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                      const std::size_t* origin, const std::size_t* region, std::size_t* row,
                      std::size_t* slice, cl_uint wait_count, const cl_event* waits,
                      cl_event* event, cl_int* error) {
  void* mapped = nullptr;
  const auto bytes = bytes_of(image, region);
  const cl_int status =
      run_transfer(queue, Transfer::map, bytes, blocking, event, [&](cl_event* place) {
        cl_int result = CL_SUCCESS;
        mapped = under->clEnqueueMapImage(queue, image, blocking, flags, origin, region, row, slice,
                                          wait_count, waits, place, &result);
        return result;
      });
  if (error != nullptr) *error = status;
  return mapped;
}

}  // namespace

void add_image_transfer_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clEnqueueReadImage, read);
  replace(table.clEnqueueWriteImage, write);
  replace(table.clEnqueueCopyImage, copy);
  replace(table.clEnqueueCopyImageToBuffer, to_buffer);
  replace(table.clEnqueueCopyBufferToImage, from_buffer);
  replace(table.clEnqueueFillImage, fill);
  replace(table.clEnqueueMapImage, map);
}

}  // namespace kiln::layer::measure
