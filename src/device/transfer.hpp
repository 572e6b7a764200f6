#pragma once

#include <cstdint>
#include <span>

#include "base/data/bytes.hpp"
#include "device/context.hpp"

/// Transfers between buffers and the host's memory: all that Kiln makes of its own accord are
/// enqueued here.
namespace kiln {

/// Bytes [begin, end) of a buffer.
struct ByteRange {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// How a transfer is enqueued.
struct TransferOrder {
  std::span<const cl_event> after = {};  ///< what must be complete before it begins
  bool waits = false;                    ///< the call returns when it is complete
};
/// Brings bytes to a buffer, from byte `at` on. Gives the event of its end, none where it waited;
/// until then the memory must stay. Throws kiln::Error, as do the others.
cl::Event enqueue_write(const Queue& queue, const cl::Buffer& buffer, std::size_t at, ByteView from,
                        const TransferOrder& order = {});
/// Brings bytes of a buffer, from byte `at` on, to the host.
cl::Event enqueue_read(const Queue& queue, const cl::Buffer& buffer, std::size_t at,
                       std::span<std::byte> to, const TransferOrder& order = {});
/// Repeats a pattern of 1, 2, 4 … 128 bytes, of which the driver takes a copy.
cl::Event enqueue_fill(const Queue& queue, const cl::Buffer& buffer, const ByteRange& range,
                       ByteView pattern, std::span<const cl_event> after = {});
cl::Event enqueue_zeros(const Queue& queue, const cl::Buffer& buffer, const ByteRange& range,
                        std::span<const cl_event> after = {});

/// Bytes that this process has brought to devices and back so far, by enqueue_write() and
/// enqueue_read(). Thread-safe.
struct TransferTotals {
  std::uint64_t to_devices = 0, to_host = 0;
};
TransferTotals transfer_totals();

/// Memory of the host that a device transfers to and from as fast as it can: with memory of its
/// own, the driver pins it (an NVIDIA H100 reads it at four times the rate of other memory).
/// Devices that work in the host's memory work in it, too. Contents are undefined. Where the driver
/// has none, as HostArray::undefined(), which may throw std::bad_alloc. The queue stays as long as
/// the memory; transfers of it must have ended when that goes. Thread-safe.
HostArray transfer_memory(const Queue& queue, std::size_t bytes);

}  // namespace kiln
