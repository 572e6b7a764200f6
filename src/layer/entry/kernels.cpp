#include <cstdlib>
#include <cstring>
#include <new>

#include "layer/entry/state.hpp"

// The functions of kernels, and launches. Arguments are no business of the layer: clSetKernelArg is
// the driver's own.
namespace kiln::layer {
namespace {

/// Notes a kernel of a program whose launches are of interest, or that serves.
void add_kernel(cl_kernel handle, Program* program) noexcept {
  if (handle == nullptr) return;
  // Of an earlier kernel with this handle, whose end the layer did not see.
  if (kernel_of(handle) != nullptr) kernels.erase(handle);
  if (program == nullptr || is_child()) return;
  void* memory = std::calloc(1, sizeof(Kernel));
  if (memory == nullptr) return;
  auto* kernel = new (memory) Kernel;
  kernel->handle = handle;
  kernel->program = program;
  if (!kernels.insert(handle, kernel)) return std::free(memory);
  program->holds.fetch_add(1, std::memory_order_relaxed);
}

/// What creates kernels of a program: the program that serves, where there is one.
cl_program maker_of(cl_program handle, Program*& program) noexcept {
  program = program_of(handle);
  if (program == nullptr) return handle;
  ask_driver(*program);
  if (const cl_program served = serving(program)) return served;
  program->has_own_kernels.store(true, std::memory_order_relaxed);
  if (!program->learns.load(std::memory_order_relaxed)) program = nullptr;
  return handle;
}

cl_kernel CL_API_CALL create(cl_program handle, const char* name, cl_int* error) {
  Program* program = nullptr;
  const cl_kernel made = below.clCreateKernel(maker_of(handle, program), name, error);
  add_kernel(made, program);
  return made;
}

cl_int CL_API_CALL create_all(cl_program handle, cl_uint count, cl_kernel* made,
                              cl_uint* made_count) {
  Program* program = nullptr;
  const cl_program maker = maker_of(handle, program);
  cl_uint number = 0;
  const cl_int status = below.clCreateKernelsInProgram(maker, count, made, &number);
  if (status != CL_SUCCESS) return status;
  if (made_count != nullptr) *made_count = number;
  for (cl_uint i = 0; made != nullptr && i < number && i < count; ++i) add_kernel(made[i], program);
  return status;
}

cl_kernel CL_API_CALL clone(cl_kernel source, cl_int* error) {
  const cl_kernel made = below.clCloneKernel(source, error);
  const Kernel* kernel = kernel_of(source);
  add_kernel(made, kernel == nullptr ? nullptr : kernel->program);
  return made;
}

cl_int CL_API_CALL retain(cl_kernel handle) {
  const cl_int result = below.clRetainKernel(handle);
  if (result != CL_SUCCESS) return result;
  if (Kernel* kernel = kernel_of(handle))
    kernel->references.fetch_add(1, std::memory_order_relaxed);
  return result;
}

cl_int CL_API_CALL release(cl_kernel handle) {
  Kernel* kernel = kernel_of(handle);
  if (kernel == nullptr || kernel->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return below.clReleaseKernel(handle);
  Program* program = kernel->program;
  kernels.erase(handle);
  void* tuning = kernel->tuning.load(std::memory_order_acquire);
  const Serve* server = tuning == nullptr ? nullptr : loaded_serve();
  if (server != nullptr) server->forget_kernel(tuning);
  std::free(kernel);
  const cl_int result = below.clReleaseKernel(handle);
  release_hold(*program);
  return result;
}

/// CL_KERNEL_ATTRIBUTES of a served program, where its binary has lost them for the driver.
const char* attributes_of(const Kernel& kernel) noexcept {
  char name[1024];
  const Serve* server = loaded_serve();
  if (server == nullptr || below.clGetKernelInfo(kernel.handle, CL_KERNEL_FUNCTION_NAME,
                                                 sizeof name, name, nullptr) != CL_SUCCESS)
    return nullptr;
  return server->attributes(*kernel.program, name);
}

cl_int CL_API_CALL get_info(cl_kernel handle, cl_kernel_info what, std::size_t size, void* value,
                            std::size_t* size_ret) {
  if (what == CL_KERNEL_REFERENCE_COUNT) release_events();
  const bool is_own = what == CL_KERNEL_PROGRAM || what == CL_KERNEL_ATTRIBUTES;
  const Kernel* kernel = is_own ? kernel_of(handle) : nullptr;
  const QueryLock lock(kernel == nullptr ? nullptr : kernel->program, QueryLock::For::asking,
                       is_child());
  const bool is_served =
      kernel != nullptr && kernel->program->served.load(std::memory_order_acquire) != nullptr;
  const char* attributes =
      is_served && what == CL_KERNEL_ATTRIBUTES ? attributes_of(*kernel) : nullptr;
  if (attributes != nullptr)
    return answer(attributes, std::strlen(attributes) + 1, size, value, size_ret);
  const cl_int status = below.clGetKernelInfo(handle, what, size, value, size_ret);
  if (kernel != nullptr && what == CL_KERNEL_PROGRAM && status == CL_SUCCESS && value != nullptr)
    std::memcpy(value, &kernel->program->handle, sizeof(cl_program));
  return status;
}

// Launches.

std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) noexcept {
  return (digest ^ value) * 0x9E3779B97F4A7C15u ^ (digest >> 29);
}

/// A number for all that the driver's choice of code can depend on; never 0. Sizes of the grid
/// matter where no local size is given, and whether they are large.
std::uint64_t digest_of(const Geometry& launch) noexcept {
  std::uint64_t digest = launch.local == nullptr ? 1 : 2;
  bool is_large = false, has_offset = false;
  for (cl_uint d = 0; d < launch.dimensions; ++d) {
    digest = mixed(digest, launch.local == nullptr ? launch.global[d] : launch.local[d]);
    is_large = is_large || launch.global[d] > 0xFFFF;
    has_offset = has_offset || (launch.offset != nullptr && launch.offset[d] != 0);
  }
  digest = mixed(digest, launch.dimensions * 4 + (is_large ? 2u : 0u) + (has_offset ? 1u : 0u));
  return digest | 1;
}

/// Whether the kernel was launched so before; it is noted.
bool was_seen(Kernel& kernel, std::uint64_t digest) noexcept {
  for (auto& place : kernel.seen) {
    std::uint64_t there = place.load(std::memory_order_relaxed);
    if (there == digest) return true;
    if (there == 0 && place.compare_exchange_strong(there, digest)) return false;
    if (there == digest) return true;
  }
  return false;
}

/// A launch without a local size, with one that was chosen. It is as if the driver had chosen it:
/// where it refuses, it chooses itself.
cl_int launch_chosen(cl_command_queue queue, Kernel& kernel, Geometry geometry,
                     const LocalChoice& choice, cl_uint wait_count, const cl_event* waits,
                     cl_event* event) {
  cl_event own = nullptr;
  cl_event* place = event == nullptr && choice.is_timed ? &own : event;
  const auto launch = [&](const std::size_t* local) {
    return below.clEnqueueNDRangeKernel(queue, kernel.handle, geometry.dimensions, geometry.offset,
                                        geometry.global, local, wait_count, waits, place);
  };
  const std::size_t* local = choice.is_set ? choice.local : nullptr;
  geometry.local = local;
  const Serve* server = was_seen(kernel, digest_of(geometry)) ? nullptr : loaded_serve();
  if (server != nullptr && local != nullptr) server->before_launch(kernel, geometry);
  cl_int result = launch(local);
  bool is_refused = false;
  if (result != CL_SUCCESS && local != nullptr) {
    result = launch(nullptr);
    is_refused = result == CL_SUCCESS;
  }
  if (server != nullptr && local == nullptr && result == CL_SUCCESS) server->after_launch(kernel);
  const bool has_event = result == CL_SUCCESS && choice.is_timed && !is_refused;
  judge(choice, has_event ? *place : nullptr, is_refused);
  if (own != nullptr) below.clReleaseEvent(own);
  return result;
}

cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel handle, cl_uint dimensions,
                           const std::size_t* offset, const std::size_t* global,
                           const std::size_t* local, cl_uint wait_count, const cl_event* waits,
                           cl_event* event) {
  Kernel* kernel = kernel_of(handle);
  if (kernel == nullptr || dimensions < 1 || dimensions > 3 || global == nullptr)
    return below.clEnqueueNDRangeKernel(queue, handle, dimensions, offset, global, local,
                                        wait_count, waits, event);
  const Geometry geometry{dimensions, offset, global, local};
  if (local == nullptr && is_tuning()) {
    const LocalChoice choice = chosen_local(*kernel, geometry, queue);
    if (choice.problem != nullptr)
      return launch_chosen(queue, *kernel, geometry, choice, wait_count, waits, event);
  }
  const Serve* server = was_seen(*kernel, digest_of(geometry)) ? nullptr : loaded_serve();
  if (server != nullptr && local != nullptr) server->before_launch(*kernel, geometry);
  const cl_int result = below.clEnqueueNDRangeKernel(queue, handle, dimensions, offset, global,
                                                     local, wait_count, waits, event);
  if (server != nullptr && local == nullptr && result == CL_SUCCESS) server->after_launch(*kernel);
  return result;
}

cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel handle, cl_uint wait_count,
                                const cl_event* waits, cl_event* event) {
  constexpr std::size_t one = 1;
  const Geometry geometry{1, nullptr, &one, &one};
  Kernel* kernel = kernel_of(handle);
  const Serve* server =
      kernel == nullptr || was_seen(*kernel, digest_of(geometry)) ? nullptr : loaded_serve();
  if (server != nullptr) server->before_launch(*kernel, geometry);
  return below.clEnqueueTask(queue, handle, wait_count, waits, event);
}

// Waits: what was launched before has run then.

void learn() noexcept {
  const Serve* server = loaded_serve();
  if (server == nullptr) return;
  if (server->unseen->load(std::memory_order_relaxed) != 0) server->after_wait();
  if (is_tuning()) server->collect_times();
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
  const cl_int result = below.clFinish(queue);
  learn();
  return result;
}

cl_int CL_API_CALL wait(cl_uint count, const cl_event* events) {
  const cl_int result = below.clWaitForEvents(count, events);
  learn();
  return result;
}

cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                               std::size_t offset, std::size_t size, void* host, cl_uint wait_count,
                               const cl_event* waits, cl_event* event) {
  const cl_int result = below.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, host,
                                                  wait_count, waits, event);
  if (blocking != CL_FALSE) learn();
  return result;
}

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                             cl_map_flags flags, std::size_t offset, std::size_t size,
                             cl_uint wait_count, const cl_event* waits, cl_event* event,
                             cl_int* error) {
  void* result = below.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, wait_count,
                                          waits, event, error);
  if (blocking != CL_FALSE) learn();
  return result;
}

}  // namespace

void add_kernel_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clCreateKernel, create);
  replace(table.clCreateKernelsInProgram, create_all);
  replace(table.clCloneKernel, clone);
  replace(table.clRetainKernel, retain);
  replace(table.clReleaseKernel, release);
  replace(table.clGetKernelInfo, get_info);
  replace(table.clEnqueueNDRangeKernel, enqueue);
  replace(table.clEnqueueTask, enqueue_task);
  replace(table.clFinish, finish);
  replace(table.clWaitForEvents, wait);
  replace(table.clEnqueueReadBuffer, read_buffer);
  replace(table.clEnqueueMapBuffer, map_buffer);
}

}  // namespace kiln::layer
