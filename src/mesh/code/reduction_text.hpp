#pragma once

#include <string>

#include "mesh/code/layout.hpp"

namespace kiln::mesh {

// OpenCL C for Globals: what a work-item has of a reduction, and its copies of those that are read.
// Of `lanes` elements at once each value is a vector; single elements have names of their own
// beside theirs.

/// "double" or "double8".
std::string type_text(ScalarType type, int lanes);

/// What a reduction has so far: kiln_r0, in lanes kiln_v0.
std::string accumulator_name(int global, int lanes);
/// The array of this name, from the reduction's identity; of MIN and MAX with that of
/// extreme_name().
std::string accumulator(const ArgShape& reduction, int lanes);
/// The accumulator of single elements alone.
std::string one_accumulator(const ArgShape& reduction);

bool is_extreme(const ArgShape& reduction);
/// Of MIN and MAX: the least or greatest of what the calls left so far, which is kept apart from
/// what the kernel works on: kiln_b0, in lanes kiln_bv0.
std::string extreme_name(int global, int lanes);
/// After each call, since the next one may overwrite what this one left: a NaN, above all, which no
/// comparison of the kernel's would keep.
std::string keep_extremes(const LoopShape& shape, int lanes);
/// Makes the extremes of single elements what the work-item leaves.
std::string settle_extremes(const LoopShape& shape);

/// A Global that is read, copied for all elements of a work-item: kiln_g0, in lanes kiln_w0.
std::string global_name(int global, int lanes);
std::string global_copy(const ArgShape& global, int lanes);

}  // namespace kiln::mesh
