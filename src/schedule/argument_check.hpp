#pragma once

#include "kernel/artifact.hpp"
#include "schedule/job.hpp"
#include "schedule/safety/safety.hpp"

namespace kiln {

/// Whether a Job's arguments fit the compiled kernel: their count, and for each its address space
/// and size; of a buffer, that its elements are as large where its caller says so. Sizes are those
/// of the driver's type names or else of the kernel's text (`parameters`, of analyse_job() or
/// parameters_of()). The error names the argument, what was given and what the kernel takes. What
/// neither says is believed.
Expected<void> check_arguments_match(const KernelInfo& kernel, const Job& job,
                                     const std::vector<ParameterUse>& parameters);

/// Sets each buffer's element_bytes from the kernel's pointer type ("float4*" → 16), as the driver
/// or else the text says. Where neither does, what the caller says holds; without that it may be as
/// large as the largest vector.
void take_element_sizes(const KernelInfo& kernel, const SplitSafety& safety, Job& job);

/// How messages name an argument: "2 (result)", or "2" where nobody knows its name.
std::string argument_name(const KernelInfo& kernel, const std::vector<ParameterUse>& parameters,
                          std::size_t argument);

/// Refuses buffers that share memory where one of them is written: devices with memory of their own
/// could not do what those without do.
Expected<void> check_buffers_apart(const Job& job);

/// Bytes of an OpenCL scalar or vector type by a driver's name of it ("float4*"); 0 for anything
/// else (a struct, a typedef).
std::size_t type_bytes(std::string_view name);

}  // namespace kiln
