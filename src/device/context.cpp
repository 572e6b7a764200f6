#include "device/context.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "base/lifetime.hpp"
#include "device/queue_handle.hpp"

namespace kiln {
namespace {
/// A number for a sub-device that the application made: its own among all of this process, since
/// drivers mix up programs of sub-devices that look alike (kernel/program/program.cpp).
unsigned foreign_part(cl_device_id id) {
  static std::mutex mutex;
  static std::map<cl_device_id, unsigned> numbers;
  const std::lock_guard lock(mutex);
  // Kiln's own sub-devices count from 0, by compute units at most.
  return numbers.try_emplace(id, 0x10000 + static_cast<unsigned>(numbers.size())).first->second;
}
DevicePtr describe_foreign(const cl::Device& handle) {
  const auto parent = handle.getInfo<CL_DEVICE_PARENT_DEVICE>();
  if (parent() == nullptr) return describe_device(handle);
  return describe_device(handle, describe_device(parent), foreign_part(handle()));
}

std::shared_ptr<const cl::CommandQueue> retired_after_use(cl::CommandQueue queue,
                                                          DevicePtr device) {
  return {new cl::CommandQueue(std::move(queue)), [device](const cl::CommandQueue* used) {
            const std::unique_ptr<const cl::CommandQueue> owned(used);
            retire_queue(*owned, device);
          }};
}

}  // namespace

std::shared_ptr<Context> Context::create(std::vector<DevicePtr> devices) {
  refuse_after_fork();
  note_drivers();
  return with_cl_errors([&] {
    std::vector<cl::Device> handles;
    for (const auto& device : devices) handles.push_back(device->handle);
    cl::Context context(handles);
    return std::shared_ptr<Context>(new Context(std::move(context), std::move(devices)));
  });
}

std::shared_ptr<Context> Context::adopt(cl_context foreign) {
  refuse_after_fork();
  note_drivers();
  return with_cl_errors([&] {
    cl::Context context(foreign, true);
    std::vector<DevicePtr> devices;
    for (const auto& handle : context.getInfo<CL_CONTEXT_DEVICES>())
      devices.push_back(describe_foreign(handle));
    return std::shared_ptr<Context>(new Context(std::move(context), std::move(devices)));
  });
}

const DevicePtr& Context::device(cl_device_id id) const {
  for (const auto& device : devices_)
    if (device->handle() == id) return device;
  throw Error(Errc::not_found, "the device does not belong to this context");
}

Queue::Queue(ContextPtr context, DevicePtr device, Times times)
    : context_(std::move(context)), device_(std::move(device)) {
  refuse_after_fork();
  with_cl_errors([&] {
    cl::CommandQueue queue(context_->cl(), device_->handle,
                           times == Times::taken ? CL_QUEUE_PROFILING_ENABLE : 0);
    queue_ = device_->pocl ? retired_after_use(std::move(queue), device_)
                           : std::make_shared<const cl::CommandQueue>(std::move(queue));
  });
}

Queue Queue::adopt(cl_command_queue foreign, ContextPtr context) {
  refuse_after_fork();
  if (!is_queue(foreign)) throw Error(Errc::bad_input, "the handle is not that of a queue");
  return with_cl_errors([&] {
    Queue queue;
    queue.queue_ = std::make_shared<const cl::CommandQueue>(foreign, true);
    if (queue.cl().getInfo<CL_QUEUE_CONTEXT>()() != context->cl()())
      throw Error(Errc::bad_input, "the queue belongs to another context");
    const auto handle = queue.cl().getInfo<CL_QUEUE_DEVICE>();
    for (const auto& device : context->devices())
      if (device->handle() == handle()) queue.device_ = device;
    // PoCL lists a sub-device's parent as the device of its context.
    if (!queue.device_) queue.device_ = describe_foreign(handle);
    queue.context_ = std::move(context);
    return queue;
  });
}

bool is_buffer_aligned(const void* host) {
  return reinterpret_cast<std::uintptr_t>(host) % buffer_alignment == 0;
}

Buffer make_buffer(const Context& context, const Device& device, void* host, std::size_t bytes) {
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.is_host_memory = device.host_memory && host != nullptr && is_buffer_aligned(host);
  try {
    buffer.cl = buffer.is_host_memory
                    ? cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host)
                    : cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  } catch (const cl::Error& error) {
    throw Error(Errc::device,
                fmt::format("{} cannot hold a buffer of {} bytes: {} ({})", device.name, bytes,
                            cl_status_name(error.err()), error.err()));
  }
  return buffer;
}

void retire_queue(cl::CommandQueue queue, DevicePtr device) {
  struct Retired {
    DevicePtr device;  // outlives the queue, so it stands before it
    cl::CommandQueue queue;
  };
  struct Ring {
    std::mutex mutex;
    std::array<Retired, retired_queues> queues;
    std::size_t next = 0;
  };
  // At the end of a process the driver may be gone before its statics are.
  static NeverDestroyed<Ring> kept;
  Ring& ring = *kept;
  Retired retired{std::move(device), std::move(queue)};
  {
    const std::lock_guard lock(ring.mutex);
    std::swap(ring.queues[ring.next], retired);
    ring.next = (ring.next + 1) % retired_queues;
  }
  // The oldest is released here, outside the lock: this may free a context.
}

namespace {

void CL_CALLBACK forget(cl_mem, void* memory) { delete static_cast<HostArray*>(memory); }

}  // namespace

cl::Buffer large_page_buffer(const Context& context, std::size_t bytes) {
  const std::size_t whole_pages = (bytes + large_page - 1) / large_page * large_page;
  try {
    auto memory = std::make_unique<HostArray>(HostArray::undefined(whole_pages));
    cl::Buffer buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory->data());
    buffer.setDestructorCallback(forget, memory.get());
    (void)memory.release();  // the callback's now
    return buffer;
  } catch (const std::bad_alloc&) {
    throw cl::Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "aligned_alloc");
  }
}

}  // namespace kiln
