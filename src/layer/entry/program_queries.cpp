#include <cstring>

#include "layer/entry/state.hpp"

// What the application asks of programs and contexts: the program that serves answers for what was
// built, the application's own for its text, and the layer for what both would tell wrongly.
namespace kiln::layer {
namespace {

cl_int answer_count(cl_uint count, std::size_t size, void* value, std::size_t* size_ret) noexcept {
  return answer(&count, sizeof count, size, value, size_ret);
}

cl_int count_answer(const Program& program, cl_program served, std::size_t size, void* value,
                    std::size_t* size_ret) noexcept {
  cl_uint own = 0, others = 1;
  const cl_int status =
      below.clGetProgramInfo(program.handle, CL_PROGRAM_REFERENCE_COUNT, sizeof own, &own, nullptr);
  if (status != CL_SUCCESS) return status;
  (void)below.clGetProgramInfo(served, CL_PROGRAM_REFERENCE_COUNT, sizeof others, &others, nullptr);
  // Kernels hold the one that serves; the layer holds it, too, and after the application's own
  // release the handle.
  if (program.is_released.load(std::memory_order_acquire) && own > 0) --own;
  // Some drivers tell the size all the same.
  if (value != nullptr && size < sizeof own)
    return below.clGetProgramInfo(program.handle, CL_PROGRAM_REFERENCE_COUNT, size, value,
                                  size_ret);
  return answer_count(own + (others > 0 ? others - 1 : 0), size, value, size_ret);
}

/// CL_PROGRAM_BINARY_SIZES and CL_PROGRAM_BINARIES. Some drivers would compile what no launch needs
/// to give them.
cl_int binaries_answer(Program& program, cl_program served, cl_program_info what, std::size_t size,
                       void* value, std::size_t* size_ret) noexcept {
  const Serve* server = loaded_serve();
  cl_uint count = 0;
  const auto pass_on = [&] { return below.clGetProgramInfo(served, what, size, value, size_ret); };
  if (server == nullptr || below.clGetProgramInfo(served, CL_PROGRAM_NUM_DEVICES, sizeof count,
                                                  &count, nullptr) != CL_SUCCESS)
    return pass_on();
  const bool is_sizes = what == CL_PROGRAM_BINARY_SIZES;
  const std::size_t bytes = count * (is_sizes ? sizeof(std::size_t) : sizeof(unsigned char*));
  std::size_t own_size = 0;
  for (cl_uint i = 0; i < count; ++i)
    if (server->own_binary(program, i, &own_size) == nullptr) return pass_on();
  if (value != nullptr && size < bytes)
    return program.keeps_kernels.load(std::memory_order_relaxed) ? CL_INVALID_VALUE : pass_on();
  for (cl_uint i = 0; value != nullptr && i < count; ++i) {
    const unsigned char* own = server->own_binary(program, i, &own_size);
    unsigned char* place = is_sizes ? nullptr : static_cast<unsigned char**>(value)[i];
    if (is_sizes)
      static_cast<std::size_t*>(value)[i] = own_size;
    else if (place != nullptr)
      std::memcpy(place, own, own_size);
  }
  if (size_ret != nullptr) *size_ret = bytes;
  return CL_SUCCESS;
}

/// What a program has whether it is compiled or not.
bool is_of_text(cl_program_info what) noexcept {
  return what == CL_PROGRAM_REFERENCE_COUNT || what == CL_PROGRAM_CONTEXT ||
         what == CL_PROGRAM_NUM_DEVICES || what == CL_PROGRAM_DEVICES || what == CL_PROGRAM_SOURCE;
}

cl_int CL_API_CALL get_info(cl_program handle, cl_program_info what, std::size_t size, void* value,
                            std::size_t* size_ret) {
  Program* program = program_of(handle);
  const QueryLock lock(program, QueryLock::For::asking, is_child());
  const cl_program served = serving(program);
  if (served == nullptr) {
    if (program != nullptr && !is_of_text(what)) ask_driver(*program);
    return below.clGetProgramInfo(handle, what, size, value, size_ret);
  }
  switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
      return count_answer(*program, served, size, value, size_ret);
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES:
      return binaries_answer(*program, served, what, size, value, size_ret);
    case CL_PROGRAM_CONTEXT:
    case CL_PROGRAM_NUM_DEVICES:
    case CL_PROGRAM_DEVICES:
    case CL_PROGRAM_SOURCE:
    case CL_PROGRAM_IL:
      return below.clGetProgramInfo(handle, what, size, value, size_ret);
    default:
      return below.clGetProgramInfo(served, what, size, value, size_ret);
  }
}

/// What is asked after each compile, of a program that the driver has not compiled.
bool deferred_answer(Program& program, cl_device_id device, cl_program_build_info what,
                     std::size_t size, void* value, std::size_t* size_ret) noexcept {
  const Serve* server = loaded_serve();
  const char* log = server == nullptr ? nullptr : server->compile_log(program, device);
  if (log == nullptr) return false;
  const cl_build_status status = CL_BUILD_SUCCESS;
  if (what == CL_PROGRAM_BUILD_STATUS)
    return answer(&status, sizeof status, size, value, size_ret) == CL_SUCCESS;
  return what == CL_PROGRAM_BUILD_LOG &&
         answer(log, std::strlen(log) + 1, size, value, size_ret) == CL_SUCCESS;
}

cl_int CL_API_CALL get_build_info(cl_program handle, cl_device_id device,
                                  cl_program_build_info what, std::size_t size, void* value,
                                  std::size_t* size_ret) {
  Program* program = program_of(handle);
  const QueryLock lock(program, QueryLock::For::asking, is_child());
  cl_program served = serving(program);
  // A refused build leaves the type as it was.
  if (what == CL_PROGRAM_BINARY_TYPE && program != nullptr)
    served = program->served.load(std::memory_order_acquire);
  if (served == nullptr) {
    if (program != nullptr && program->is_deferred.load(std::memory_order_acquire)) {
      if (deferred_answer(*program, device, what, size, value, size_ret)) return CL_SUCCESS;
      ask_driver(*program);
    }
    return below.clGetProgramBuildInfo(handle, device, what, size, value, size_ret);
  }
  // Of one that the driver has linked after all it has the log.
  if (what == CL_PROGRAM_BUILD_LOG && !program->is_native.load(std::memory_order_acquire)) {
    const Serve* server = loaded_serve();
    const char* log = server == nullptr ? nullptr : server->build_log(*program, device);
    const std::size_t bytes = log == nullptr ? 0 : std::strlen(log) + 1;
    if (log != nullptr && (value == nullptr || size >= bytes))
      return answer(log, bytes, size, value, size_ret);
    if (log != nullptr) {
      // Some drivers tell the size all the same.
      std::size_t told = 0;
      const cl_int status = below.clGetProgramBuildInfo(served, device, what, 0, value, &told);
      if (told != 0 && size_ret != nullptr) *size_ret = bytes;
      return status == CL_SUCCESS ? CL_INVALID_VALUE : status;
    }
  }
  return below.clGetProgramBuildInfo(served, device, what, size, value, size_ret);
}

cl_int CL_API_CALL get_context_info(cl_context context, cl_context_info what, std::size_t size,
                                    void* value, std::size_t* size_ret) {
  if (what == CL_CONTEXT_REFERENCE_COUNT) release_events();
  const cl_int status = below.clGetContextInfo(context, what, size, value, size_ret);
  if (status != CL_SUCCESS || what != CL_CONTEXT_REFERENCE_COUNT || value == nullptr) return status;
  if (const auto* hidden = hidden_of(context)) {
    cl_uint count = 0;
    std::memcpy(&count, value, sizeof count);
    const auto own = static_cast<cl_uint>(hidden->load(std::memory_order_relaxed));
    count -= own < count ? own : 0;
    std::memcpy(value, &count, sizeof count);
  }
  return status;
}

}  // namespace

void add_query_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clGetProgramInfo, get_info);
  replace(table.clGetProgramBuildInfo, get_build_info);
  replace(table.clGetContextInfo, get_context_info);
}

}  // namespace kiln::layer
