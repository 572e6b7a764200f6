#pragma once

#include "device/context.hpp"

namespace kiln {

/// A buffer of `bytes` of memory in the host's large pages (2 MiB, where the system has them: a
/// wish, no promise), for devices that compute in the host's memory.
///
/// Small pages lie anywhere in the physical memory, so that a block that should fill half of a
/// cache falls on some of its sets twice, and differently in every process.
///
/// The memory goes when OpenCL no longer needs it. Its content is undefined. Thread-safe. Throws
/// cl::Error, with CL_MEM_OBJECT_ALLOCATION_FAILURE where there is no memory.
cl::Buffer large_page_buffer(const Context& context, std::size_t bytes);

/// Buffers from this size on gain by it.
constexpr std::size_t large_page = std::size_t{2} << 20;

}  // namespace kiln
