#pragma once

#include <string>
#include <vector>

#include "mesh/code/layout.hpp"

namespace kiln::mesh {

/// The declaration of a kernel: qualifiers, name and parameters, in the layout's order.
std::string loop_signature(const LoopShape& shape, const Parameters& parameters);
std::string fold_signature(const LoopShape& shape, const Parameters& parameters);

/// The first argument of a Global that is reduced, or a Dat, or a Mat, of a number.
const ArgShape& first_argument(const LoopShape& shape, ArgShape::Kind kind, int number,
                               bool reduced = false);

/// Reductions of the loop: the first argument of each reduced Global, by number.
std::vector<ArgShape> reductions(const LoopShape& shape);
/// The first argument of each Global that is read.
std::vector<ArgShape> read_globals(const LoopShape& shape);

}  // namespace kiln::mesh
