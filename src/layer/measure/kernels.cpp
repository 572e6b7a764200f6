#include <algorithm>
#include <cstring>
#include <new>

#include "layer/measure/queue.hpp"

// Kernels, what their buffer arguments are bound to, and their launches.
namespace kiln::layer::measure {
namespace {

/// A kernel of the program. Setting an argument takes no lock and no memory; OpenCL lets only one
/// thread at a time change a kernel's arguments.
struct Kernel {
  struct Argument {
    const void* object = nullptr;  ///< a memory object or an SVM allocation
    std::uint64_t bytes = 0;
  };
  std::string name;
  const Program* program = nullptr;
  std::atomic<Series*> series{nullptr};  ///< of the last launch: mostly there is one device
  std::vector<Argument> arguments;
  // Threads may launch it at once.
  std::atomic<bool> is_changed{true};   ///< since `bytes` was summed
  std::atomic<std::uint64_t> bytes{0};  ///< of all objects, each once
};
HandleTable kernels;

Kernel* kernel_of(cl_kernel handle) noexcept {
  return is_child() ? nullptr : static_cast<Kernel*>(kernels.find(handle));
}

/// Notes a kernel. A handle that is there already is of a kernel that is gone.
void add_kernel(cl_kernel handle, cl_program program, const Kernel* like) noexcept {
  if (handle == nullptr || is_child()) return;
  try {
    auto* kernel = static_cast<Kernel*>(kernels.find(handle));
    const bool is_new = kernel == nullptr;
    if (is_new) kernel = new Kernel;
    char name[1024] = "";
    cl_uint count = 0;
    (void)under->clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
    (void)under->clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
    if (*name == '\0')
      // Longer than any name that a person writes: its length tells it from others.
      std::strcpy(name, "(a name of more than 1023 letters)");
    kernel->name = name;
    kernel->program = like != nullptr ? like->program : &program_of(program);
    kernel->series.store(nullptr, std::memory_order_relaxed);
    kernel->arguments.assign(count, {});
    if (like != nullptr && like->arguments.size() == count) kernel->arguments = like->arguments;
    kernel->is_changed = true;
    if (is_new) kernels.insert(handle, kernel);
  } catch (...) {
    // No memory: its launches are passed on.
  }
}

cl_kernel CL_API_CALL create(cl_program program, const char* name, cl_int* error) {
  const cl_kernel made = under->clCreateKernel(program, name, error);
  add_kernel(made, program, nullptr);
  return made;
}

cl_int CL_API_CALL create_all(cl_program program, cl_uint count, cl_kernel* made,
                              cl_uint* made_count) {
  cl_uint number = 0;
  const cl_int status = under->clCreateKernelsInProgram(program, count, made, &number);
  if (status != CL_SUCCESS) return status;
  if (made_count != nullptr) *made_count = number;
  for (cl_uint i = 0; made != nullptr && i < number && i < count; ++i)
    add_kernel(made[i], program, nullptr);
  return status;
}

cl_kernel CL_API_CALL clone(cl_kernel source, cl_int* error) {
  const cl_kernel made = under->clCloneKernel(source, error);
  if (const Kernel* kernel = kernel_of(source)) add_kernel(made, nullptr, kernel);
  return made;
}

cl_int CL_API_CALL release(cl_kernel handle) {
  Kernel* kernel = kernel_of(handle);
  cl_uint references = 0;
  if (kernel != nullptr)
    (void)under->clGetKernelInfo(handle, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references,
                                 nullptr);
  // Where commands hold it, too, its object waits for the next kernel with this handle.
  if (kernel != nullptr && references == 1) {
    kernels.erase(handle);
    delete kernel;
  }
  return under->clReleaseKernel(handle);
}

void bind(Kernel& kernel, cl_uint index, const void* object, const HandleTable& known) noexcept {
  if (index >= kernel.arguments.size()) return;
  const auto bytes = reinterpret_cast<std::uintptr_t>(known.find(object));
  Kernel::Argument& argument = kernel.arguments[index];
  argument = bytes == 0 ? Kernel::Argument{} : Kernel::Argument{object, bytes};
  kernel.is_changed = true;
}

cl_int CL_API_CALL set_argument(cl_kernel handle, cl_uint index, std::size_t size,
                                const void* value) {
  const cl_int status = under->clSetKernelArg(handle, index, size, value);
  if (status != CL_SUCCESS) return status;
  if (Kernel* kernel = kernel_of(handle)) {
    // What has a handle's size and equals one that there is, is taken for it.
    const void* object = nullptr;
    if (size == sizeof object && value != nullptr) std::memcpy(&object, value, sizeof object);
    bind(*kernel, index, object, memory_objects);
  }
  return status;
}

cl_int CL_API_CALL set_svm_argument(cl_kernel handle, cl_uint index, const void* value) {
  const cl_int status = under->clSetKernelArgSVMPointer(handle, index, value);
  if (status != CL_SUCCESS) return status;
  if (Kernel* kernel = kernel_of(handle)) bind(*kernel, index, value, svm_allocations);
  return status;
}

// Launches.

std::uint64_t bound_bytes(Kernel& kernel) noexcept {
  if (!kernel.is_changed.load(std::memory_order_acquire))
    return kernel.bytes.load(std::memory_order_relaxed);
  std::uint64_t bytes = 0;
  const auto first = kernel.arguments.begin();
  for (auto at = first; at != kernel.arguments.end(); ++at) {
    const auto is_same = [&](const auto& earlier) { return earlier.object == at->object; };
    if (at->bytes != 0 && std::none_of(first, at, is_same)) bytes += at->bytes;
  }
  kernel.bytes.store(bytes, std::memory_order_relaxed);
  kernel.is_changed.store(false, std::memory_order_release);
  return bytes;
}

Series* series_of(Kernel& kernel, const Queue& queue) noexcept {
  Series* series = kernel.series.load(std::memory_order_acquire);
  if (series != nullptr && series->device == queue.device->number) return series;
  try {
    series = &books().kernel(kernel.name, *kernel.program, queue.device->number);
    kernel.series.store(series, std::memory_order_release);
    return series;
  } catch (...) {
    return nullptr;
  }
}

template <class Call>
cl_int launch(cl_command_queue queue, cl_kernel handle, const LaunchSizes& sizes, cl_event* event,
              const Call& call) noexcept {
  Kernel* kernel = kernel_of(handle);
  if (kernel == nullptr) return call(event);
  Pending command;
  command.bytes = bound_bytes(*kernel);
  command.sizes = sizes;
  return run_command(
      queue, command, Blocking::no, event, [&](Queue& at) { return series_of(*kernel, at); }, call);
}

cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel handle, cl_uint dimensions,
                           const std::size_t* offset, const std::size_t* global,
                           const std::size_t* local, cl_uint wait_count, const cl_event* waits,
                           cl_event* event) {
  const auto call = [&](cl_event* place) {
    return under->clEnqueueNDRangeKernel(queue, handle, dimensions, offset, global, local,
                                         wait_count, waits, place);
  };
  if (dimensions < 1 || dimensions > 3 || global == nullptr) return call(event);
  LaunchSizes sizes;
  sizes.dimensions = dimensions;
  for (cl_uint d = 0; d < dimensions; ++d) {
    sizes.global[d] = global[d];
    if (local != nullptr) sizes.local[d] = local[d];
    if (offset != nullptr) sizes.offset[d] = offset[d];
  }
  return launch(queue, handle, sizes, event, call);
}

cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel handle, cl_uint wait_count,
                                const cl_event* waits, cl_event* event) {
  const LaunchSizes sizes{.global = {1, 1, 1}, .local = {1, 0, 0}, .offset = {}, .dimensions = 1};
  return launch(queue, handle, sizes, event, [&](cl_event* place) {
    return under->clEnqueueTask(queue, handle, wait_count, waits, place);
  });
}

}  // namespace

void add_kernel_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clCreateKernel, create);
  replace(table.clCreateKernelsInProgram, create_all);
  replace(table.clCloneKernel, clone);
  replace(table.clReleaseKernel, release);
  replace(table.clSetKernelArg, set_argument);
  replace(table.clSetKernelArgSVMPointer, set_svm_argument);
  replace(table.clEnqueueNDRangeKernel, enqueue);
  replace(table.clEnqueueTask, enqueue_task);
}

}  // namespace kiln::layer::measure
