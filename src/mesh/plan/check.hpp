#pragma once

#include <string>

#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {

/// Holds a plan against its input by the definitions in mesh_plan.hpp alone, as slowly as it takes:
/// the first property that does not hold, in one line; empty where all do. For tests and for
/// `--check`; shares nothing with what builds plans. The input must be one that build_plan accepts.
///
/// What is checked: head and sizes; that blocks cut the part; that blkmap and order are
/// permutations, rising within each colour; that no two blocks (elements of a block, elements) of a
/// colour share a target of a conflict, and no colour is empty; that lists hold exactly the targets
/// of their block, rising, and rows the places of each element's; nindirect and nshared. Not
/// whether colours are as few as greedy ones.
std::string check_plan(const PlanInput& input, const MeshPlan& plan);

}  // namespace kiln::mesh
