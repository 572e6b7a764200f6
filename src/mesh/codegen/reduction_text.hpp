#pragma once

#include <string>

#include "kernel/text/kernel_writer.hpp"
#include "kiln/mesh/types.hpp"
#include "mesh/codegen/layout.hpp"

namespace kiln::mesh {

// OpenCL C for Globals: what a work-item has of a reduction, and its copies of those that are read.
// Of `lanes` elements at once each value is a vector; single elements have other
// names.

/// "double" or "double8".
std::string type_text(ScalarType type, int lanes);

/// What a reduction has so far: kiln_r0, in lanes kiln_v0.
std::string accumulator_name(int global, int lanes);
/// A Global that is read, copied for all elements of a work-item: kiln_g0, in lanes kiln_w0.
std::string global_name(int global, int lanes);

/// What a work-item has before its first element: Globals that are read, and for each reduction its
/// accumulator, from the reduction's identity. For MIN and MAX a second array, kiln_b0 or in lanes
/// kiln_bv0: the least or greatest of what the calls left so far, which is kept apart from what the
/// kernel works on.
void write_preparation(KernelWriter& out, const LoopShape& shape, int lanes);
/// After each call, since the next one may overwrite what this one left: a NaN, above all, which no
/// comparison of the kernel's would keep.
void keep_extremes(KernelWriter& out, const LoopShape& shape, int lanes);
/// Adds the lanes' results to those of single elements, lane after lane.
void fold_lanes(KernelWriter& out, const LoopShape& shape, int lanes);

/// Local arrays for folding a work-group's reductions; nothing where the loop reduces nothing.
void write_group_arrays(KernelWriter& out, const LoopShape& shape, const Parameters& parameters);
/// The end of a work-item: its group's partial results, which the work-items of one group fold in
/// local memory, always in the same order.
void leave_partials(KernelWriter& out, const LoopShape& shape, const Parameters& parameters);
/// The kernel that folds partial results into Globals; nothing where there is none.
void write_fold_kernel(KernelWriter& out, const LoopShape& shape, const Parameters& parameters);

}  // namespace kiln::mesh
