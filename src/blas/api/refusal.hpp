#pragma once

#include "blas/call.hpp"
#include "blas/status.hpp"

namespace kiln::blas {

/// "dgemm: the leading dimension of A is too small", thrown, unless all is well. Statuses are about
/// arguments; what fails in the device throws by itself.
void throw_refusal(const Call& call, Status status);

/// "dgemm": as BLAS calls it.
std::string full_name_of(const Call& call);

/// Where a call runs, from what interfaces are given. Throws where there is not room for the
/// events.
Execution execution_of(std::span<const cl_command_queue> queues, std::span<const cl_event> after,
                       std::span<cl_event> events);

}  // namespace kiln::blas
