#pragma once

#include <string>

#include "kiln/mesh/types.hpp"
#include "mesh/codegen/layout.hpp"

namespace kiln::mesh {

/// What a reduction starts from, in OpenCL C: 0 of INC; of MIN the greatest value of the type, or
/// infinity; of MAX the least one, or minus infinity.
std::string identity(ScalarType type, Access access);

/// An expression that combines `a` and `b` (names, without side effects) as a reduction does. MIN
/// and MAX of floating type keep a NaN of either, so that it shows in the result.
std::string combined(ScalarType type, Access access, const std::string& a, const std::string& b);

// OpenCL C for Globals: what a work-item has of a reduction, and its copies of those that are read.
// Of `lanes` elements at once each value is a vector; single elements have other
// names.

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

/// Local arrays for folding a work-group's reductions; nothing where the loop reduces nothing.
std::string group_arrays(const LoopShape& shape, const Parameters& parameters);

/// Folds the work-items' kiln_r arrays into those of work-item 0, always in the same order.
std::string fold_tree(const LoopShape& shape, const Parameters& parameters);

/// The same, and work-item 0 leaves the group's partial results.
std::string fold_group_text(const LoopShape& shape, const Parameters& parameters);

}  // namespace kiln::mesh
