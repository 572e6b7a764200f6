#pragma once

#include <string>

#include "kernel/request/parameters.hpp"
#include "mesh/codegen/built_ins.hpp"
#include "mesh/codegen/user_kernel.hpp"

namespace kiln::mesh {

/// How many elements a loop works on at once.
struct Lanes {
  int count = 1;
  std::string copies;    ///< the kernel's text for them (lane_copies)
  std::string obstacle;  ///< of 1: why not more, with the user's file and line
};

/// The lanes of a loop that wants `wanted`, or 1: where the kernel cannot work on vectors
/// (lane_copies) or would gain nothing, for arguments of integers, with iteration indices,
/// matrices or indirect RW, and where the text would grow out of bounds. `on_vectors`: as
/// lane_copies takes them.
Lanes lanes_of(const LoopShape& shape, const UserKernel& kernel, int wanted,
               const BuiltIns& on_vectors);

/// Why a loop in blocks works on one element at a time, though it may have lanes otherwise: empty
/// where it has them. Reads the kernel, which takes tens of milliseconds.
std::string lanes_obstacle(const LoopShape& shape, const Parameters& parameters,
                           const BuiltIns& on_vectors);

/// The whole program: OpenCL C 1.2 for any of the forms. A pure function. Throws Error as
/// read_kernel fails, and unsupported (see plain_edits).
std::string loop_text(const LoopShape& shape, const Parameters& parameters,
                      const BuiltIns& on_vectors);

}  // namespace kiln::mesh
