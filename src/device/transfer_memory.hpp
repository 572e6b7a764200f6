#pragma once

#include "device/context.hpp"

namespace kiln {

/// Memory of the host that a device transfers to and from as fast as it can: with memory of its
/// own, the driver pins it (an NVIDIA H100 reads it at four times the rate of other memory).
/// Devices that work in the host's memory work in it, too. Contents are undefined. Where the driver
/// has none, as HostArray::undefined(), which may throw std::bad_alloc. The queue stays as long as
/// the memory; transfers of it must have ended when that goes. Thread-safe.
HostArray transfer_memory(const Queue& queue, std::size_t bytes);

}  // namespace kiln
