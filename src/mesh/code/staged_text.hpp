#pragma once

#include <string>

#include "mesh/code/element_text.hpp"

namespace kiln::mesh {

/// Local arrays for folding a work-group's reductions; nothing where the loop reduces nothing.
std::string group_arrays(const LoopShape& shape, const Parameters& parameters);

/// Folds the work-items' kiln_r arrays into those of work-item 0, always in the same order.
std::string fold_tree(const LoopShape& shape, const Parameters& parameters);

/// The same, and work-item 0 leaves the group's partial results.
std::string fold_group_text(const LoopShape& shape, const Parameters& parameters);

/// The body of a loop in the staged form. `constants`: declarations to begin with.
std::string staged_body(const LoopShape& shape, const UserKernel& kernel, const ConstantUse& use,
                        const Parameters& parameters, const std::string& constants,
                        const Spaces& spaces);

}  // namespace kiln::mesh
