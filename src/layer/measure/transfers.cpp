#include "layer/measure/queue.hpp"

// Transfers of buffers and shared virtual memory.
namespace kiln::layer::measure {
namespace {

std::uint64_t volume(const std::size_t* region) noexcept {
  return region == nullptr ? 0 : std::uint64_t{region[0]} * region[1] * region[2];
}

cl_int CL_API_CALL read(cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                        std::size_t size, void* host, cl_uint wait_count, const cl_event* waits,
                        cl_event* event) {
  return run_transfer(queue, Transfer::read, size, blocking, event, [&](cl_event* place) {
    return under->clEnqueueReadBuffer(queue, buffer, blocking, offset, size, host, wait_count,
                                      waits, place);
  });
}

cl_int CL_API_CALL write(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         std::size_t offset, std::size_t size, const void* host, cl_uint wait_count,
                         const cl_event* waits, cl_event* event) {
  return run_transfer(queue, Transfer::write, size, blocking, event, [&](cl_event* place) {
    return under->clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, host, wait_count,
                                       waits, place);
  });
}

cl_int CL_API_CALL copy(cl_command_queue queue, cl_mem from, cl_mem to, std::size_t from_offset,
                        std::size_t to_offset, std::size_t size, cl_uint wait_count,
                        const cl_event* waits, cl_event* event) {
  return run_transfer(queue, Transfer::copy, size, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, wait_count,
                                      waits, place);
  });
}

cl_int CL_API_CALL fill(cl_command_queue queue, cl_mem buffer, const void* pattern,
                        std::size_t pattern_size, std::size_t offset, std::size_t size,
                        cl_uint wait_count, const cl_event* waits, cl_event* event) {
  return run_transfer(queue, Transfer::fill, size, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size,
                                      wait_count, waits, place);
  });
}

cl_int CL_API_CALL read_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                             const std::size_t* buffer_origin, const std::size_t* host_origin,
                             const std::size_t* region, std::size_t buffer_row,
                             std::size_t buffer_slice, std::size_t host_row, std::size_t host_slice,
                             void* host, cl_uint wait_count, const cl_event* waits,
                             cl_event* event) {
  return run_transfer(queue, Transfer::read, volume(region), blocking, event, [&](cl_event* place) {
    return under->clEnqueueReadBufferRect(queue, buffer, blocking, buffer_origin, host_origin,
                                          region, buffer_row, buffer_slice, host_row, host_slice,
                                          host, wait_count, waits, place);
  });
}

cl_int CL_API_CALL write_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                              const std::size_t* buffer_origin, const std::size_t* host_origin,
                              const std::size_t* region, std::size_t buffer_row,
                              std::size_t buffer_slice, std::size_t host_row,
                              std::size_t host_slice, const void* host, cl_uint wait_count,
                              const cl_event* waits, cl_event* event) {
  return run_transfer(
      queue, Transfer::write, volume(region), blocking, event, [&](cl_event* place) {
        return under->clEnqueueWriteBufferRect(queue, buffer, blocking, buffer_origin, host_origin,
                                               region, buffer_row, buffer_slice, host_row,
                                               host_slice, host, wait_count, waits, place);
      });
}

cl_int CL_API_CALL copy_rect(cl_command_queue queue, cl_mem from, cl_mem to,
                             const std::size_t* from_origin, const std::size_t* to_origin,
                             const std::size_t* region, std::size_t from_row,
                             std::size_t from_slice, std::size_t to_row, std::size_t to_slice,
                             cl_uint wait_count, const cl_event* waits, cl_event* event) {
  return run_transfer(queue, Transfer::copy, volume(region), CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region, from_row,
                                          from_slice, to_row, to_slice, wait_count, waits, place);
  });
}

void* CL_API_CALL map(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                      std::size_t offset, std::size_t size, cl_uint wait_count,
                      const cl_event* waits, cl_event* event, cl_int* error) {
  void* mapped = nullptr;
  const cl_int status =
      run_transfer(queue, Transfer::map, size, blocking, event, [&](cl_event* place) {
        cl_int result = CL_SUCCESS;
        mapped = under->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, wait_count,
                                           waits, place, &result);
        return result;
      });
  if (error != nullptr) *error = status;
  return mapped;
}

cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem object, void* mapped, cl_uint wait_count,
                         const cl_event* waits, cl_event* event) {
  return run_transfer(queue, Transfer::unmap, 0, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueUnmapMemObject(queue, object, mapped, wait_count, waits, place);
  });
}

cl_int CL_API_CALL migrate(cl_command_queue queue, cl_uint count, const cl_mem* objects,
                           cl_mem_migration_flags flags, cl_uint wait_count, const cl_event* waits,
                           cl_event* event) {
  std::uint64_t bytes = 0;
  for (cl_uint i = 0; objects != nullptr && i < count; ++i)
    bytes += reinterpret_cast<std::uintptr_t>(memory_objects.find(objects[i]));
  return run_transfer(queue, Transfer::migrate, bytes, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueMigrateMemObjects(queue, count, objects, flags, wait_count, waits,
                                             place);
  });
}

cl_int CL_API_CALL svm_copy(cl_command_queue queue, cl_bool blocking, void* to, const void* from,
                            std::size_t size, cl_uint wait_count, const cl_event* waits,
                            cl_event* event) {
  return run_transfer(queue, Transfer::copy, size, blocking, event, [&](cl_event* place) {
    return under->clEnqueueSVMMemcpy(queue, blocking, to, from, size, wait_count, waits, place);
  });
}

cl_int CL_API_CALL svm_fill(cl_command_queue queue, void* to, const void* pattern,
                            std::size_t pattern_size, std::size_t size, cl_uint wait_count,
                            const cl_event* waits, cl_event* event) {
  return run_transfer(queue, Transfer::fill, size, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueSVMMemFill(queue, to, pattern, pattern_size, size, wait_count, waits,
                                      place);
  });
}

cl_int CL_API_CALL svm_map(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
                           void* pointer, std::size_t size, cl_uint wait_count,
                           const cl_event* waits, cl_event* event) {
  return run_transfer(queue, Transfer::map, size, blocking, event, [&](cl_event* place) {
    return under->clEnqueueSVMMap(queue, blocking, flags, pointer, size, wait_count, waits, place);
  });
}

cl_int CL_API_CALL svm_unmap(cl_command_queue queue, void* pointer, cl_uint wait_count,
                             const cl_event* waits, cl_event* event) {
  return run_transfer(queue, Transfer::unmap, 0, CL_FALSE, event, [&](cl_event* place) {
    return under->clEnqueueSVMUnmap(queue, pointer, wait_count, waits, place);
  });
}

}  // namespace

void add_transfer_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clEnqueueReadBuffer, read);
  replace(table.clEnqueueWriteBuffer, write);
  replace(table.clEnqueueCopyBuffer, copy);
  replace(table.clEnqueueFillBuffer, fill);
  replace(table.clEnqueueReadBufferRect, read_rect);
  replace(table.clEnqueueWriteBufferRect, write_rect);
  replace(table.clEnqueueCopyBufferRect, copy_rect);
  replace(table.clEnqueueMapBuffer, map);
  replace(table.clEnqueueUnmapMemObject, unmap);
  replace(table.clEnqueueMigrateMemObjects, migrate);
  replace(table.clEnqueueSVMMemcpy, svm_copy);
  replace(table.clEnqueueSVMMemFill, svm_fill);
  replace(table.clEnqueueSVMMap, svm_map);
  replace(table.clEnqueueSVMUnmap, svm_unmap);
}

}  // namespace kiln::layer::measure
