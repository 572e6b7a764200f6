#include "device/transfer_memory.hpp"

namespace kiln {
namespace {

/// A buffer that is mapped as long as its memory is in use.
struct MappedBuffer {
  MappedBuffer(const Queue& of, cl::Buffer made, void* at)
      : queue(of), buffer(std::move(made)), memory(at) {}
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;
  ~MappedBuffer() {
    // Not waited for: a device that hangs would not answer.
    ::clEnqueueUnmapMemObject(queue.cl()(), buffer(), memory, 0, nullptr, nullptr);
    ::clFlush(queue.cl()());
  }
  Queue queue;
  cl::Buffer buffer;
  void* memory;
};

}  // namespace

HostArray transfer_memory(const Queue& queue, std::size_t bytes) {
  if (bytes == 0) return HostArray::undefined(0);
  cl_int status = CL_SUCCESS;
  cl::Buffer buffer(::clCreateBuffer(
      queue.context()->cl()(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &status));
  if (status != CL_SUCCESS) return HostArray::undefined(bytes);
  void* const memory =
      ::clEnqueueMapBuffer(queue.cl()(), buffer(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                           nullptr, nullptr, &status);
  if (status != CL_SUCCESS) return HostArray::undefined(bytes);
  auto owner = std::make_shared<MappedBuffer>(queue, std::move(buffer), memory);
  // Devices in the host's memory would need a copy of it.
  if (!is_buffer_aligned(memory)) return HostArray::undefined(bytes);
  return HostArray::borrowed({static_cast<std::byte*>(memory), bytes}, std::move(owner));
}

}  // namespace kiln
