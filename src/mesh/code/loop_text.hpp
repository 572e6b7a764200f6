#pragma once

#include <string>

#include "kernel/parameters.hpp"
#include "mesh/code/user_kernel.hpp"

namespace kiln::mesh {

/// The largest number of lanes, at most `wanted`, that the loop can have: 1 where the kernel cannot
/// work on vectors (lane_copies), where arguments are not all of one floating type, with iteration
/// indices, matrices or indirect RW, and where the text would grow out of bounds.
int lanes_of(const LoopShape& shape, const UserKernel& kernel, int wanted);

/// The whole program: OpenCL C 1.2 for any of the forms. A pure function. Throws Error as
/// read_kernel fails, and unsupported (see plain_edits).
std::string loop_text(const LoopShape& shape, const Parameters& parameters);

}  // namespace kiln::mesh
