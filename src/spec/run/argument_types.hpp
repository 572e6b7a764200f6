#pragma once

#include "kernel/resolver.hpp"
#include "kiln/spec.hpp"
#include "schedule/job.hpp"
#include "schedule/safety/safety.hpp"

namespace kiln::spec {

/// Whether the types that a spec names fit those of the compiled kernel: the same scalar in a
/// buffer (its number of lanes may differ: float data for a float4 pointer), the same kind and
/// size for a value, and nothing called an output that the kernel cannot write. Signedness does not
/// matter. `parameters` say what the kernel's own type names stand for (typedefs); types that are
/// no OpenCL scalars or vectors are believed, since their sizes are checked
/// (check_arguments_match). The error names the argument, what was found and what was expected:
/// bad_input; unsupported for images and samplers.
Expected<void> check_argument_types(const BoundSpec& bound, const KernelInfo& kernel,
                                    const std::vector<ParameterUse>& parameters);

/// The same for a Job that has been resolved on this queue's device already. Throws kiln::Error.
void check_job_types(const BoundSpec& bound, const Job& job, Resolver& resolver,
                     const Queue& queue);

}  // namespace kiln::spec
