#pragma once

#include "kernel/artifact.hpp"
#include "schedule/job.hpp"

namespace kiln {

/// Whether a Job's arguments fit the compiled kernel: their count, and for each its address space
/// and size. The error names the argument, what was given and what the kernel takes. A driver that
/// tells nothing about its kernels' arguments is believed.
Expected<void> check_arguments_match(const KernelInfo& kernel, const Job& job);

/// Sets each buffer's element_bytes from the kernel's pointer type ("float4*" → 16).
void take_element_sizes(const KernelInfo& kernel, Job& job);

/// Bytes of an OpenCL scalar or vector type by name; 0 for anything else (a struct, a typedef).
std::size_t type_bytes(std::string_view name);

}  // namespace kiln
