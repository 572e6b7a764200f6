#include "device/transfer.hpp"

#include <atomic>

#include "device/opencl.hpp"

namespace kiln {
namespace {

/// A list of events as OpenCL takes it: null where there is none.
struct EventList {
  explicit EventList(std::span<const cl_event> events)
      : count(static_cast<cl_uint>(events.size())),
        data(events.empty() ? nullptr : events.data()) {}
  cl_uint count;
  const cl_event* data;
};

std::atomic<std::uint64_t> bytes_to_devices{0}, bytes_to_host{0};

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

cl::Event enqueue_write(const Queue& queue, const cl::Buffer& buffer, std::size_t at, ByteView from,
                        const TransferOrder& order) {
  const EventList after(order.after);
  cl_event done = nullptr;
  check_cl(::clEnqueueWriteBuffer(queue.cl()(), buffer(), order.waits ? CL_TRUE : CL_FALSE, at,
                                  from.size(), from.data(), after.count, after.data,
                                  order.waits ? nullptr : &done),
           "clEnqueueWriteBuffer");
  bytes_to_devices.fetch_add(from.size(), std::memory_order_relaxed);
  return cl::Event(done);
}

cl::Event enqueue_read(const Queue& queue, const cl::Buffer& buffer, std::size_t at,
                       std::span<std::byte> to, const TransferOrder& order) {
  const EventList after(order.after);
  cl_event done = nullptr;
  check_cl(
      ::clEnqueueReadBuffer(queue.cl()(), buffer(), order.waits ? CL_TRUE : CL_FALSE, at, to.size(),
                            to.data(), after.count, after.data, order.waits ? nullptr : &done),
      "clEnqueueReadBuffer");
  bytes_to_host.fetch_add(to.size(), std::memory_order_relaxed);
  return cl::Event(done);
}

cl::Event enqueue_fill(const Queue& queue, const cl::Buffer& buffer, const ByteRange& range,
                       ByteView pattern, std::span<const cl_event> events) {
  const EventList after(events);
  cl_event done = nullptr;
  check_cl(::clEnqueueFillBuffer(queue.cl()(), buffer(), pattern.data(), pattern.size(),
                                 range.begin, range.size(), after.count, after.data, &done),
           "clEnqueueFillBuffer");
  return cl::Event(done);
}

cl::Event enqueue_zeros(const Queue& queue, const cl::Buffer& buffer, const ByteRange& range,
                        std::span<const cl_event> after) {
  static constexpr std::byte zero{};
  return enqueue_fill(queue, buffer, range, {&zero, 1}, after);
}

TransferTotals transfer_totals() {
  return {bytes_to_devices.load(std::memory_order_relaxed),
          bytes_to_host.load(std::memory_order_relaxed)};
}

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
