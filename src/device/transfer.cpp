#include "device/transfer.hpp"

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

}  // namespace

cl::Event enqueue_write(const Queue& queue, const cl::Buffer& buffer, std::size_t at, ByteView from,
                        const TransferOrder& order) {
  const EventList after(order.after);
  cl_event done = nullptr;
  check_cl(::clEnqueueWriteBuffer(queue.cl()(), buffer(), order.waits ? CL_TRUE : CL_FALSE, at,
                                  from.size(), from.data(), after.count, after.data,
                                  order.waits ? nullptr : &done),
           "clEnqueueWriteBuffer");
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

}  // namespace kiln
