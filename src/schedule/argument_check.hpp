#pragma once

#include "kernel/artifact.hpp"
#include "schedule/job.hpp"
#include "schedule/safety/safety.hpp"

namespace kiln {

/// Whether a Job's arguments fit the compiled kernel: their count, and for each its address space
/// and size. The error names the argument, what was given and what the kernel takes. A driver that
/// tells nothing about its kernels' arguments is believed.
Expected<void> check_arguments_match(const KernelInfo& kernel, const Job& job);

/// Sets each buffer's element_bytes from the kernel's pointer type ("float4*" → 16), as the driver
/// or else the text says. An unknown type (a struct, a driver that tells nothing) may be as large
/// as the largest vector.
void take_element_sizes(const KernelInfo& kernel, const SplitSafety& safety, Job& job);

/// Refuses buffers that share memory where one of them is written: devices with memory of their own
/// could not do what those without do.
Expected<void> check_buffers_apart(const Job& job);

/// Bytes of an OpenCL scalar or vector type by name; 0 for anything else (a struct, a typedef).
std::size_t type_bytes(std::string_view name);

}  // namespace kiln
