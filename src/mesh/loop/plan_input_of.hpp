#pragma once

#include <vector>

#include "mesh/loop/loop_over.hpp"
#include "mesh/loop/shape.hpp"
#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// What the plan for a piece of a loop depends on, and what only exists for it.
struct LoopPlanInput {
  PlanInput input;
  /// Of loops over columns: values of Maps that stand for whole columns (column_classes), and the
  /// identities by which `input` knows them, of which nobody will ask again.
  std::vector<std::vector<std::int32_t>> classes;
  std::vector<std::uint64_t> identities;
};

/// The piece is elements (with a subset: places in its list) begin … end - 1. Only what the scheme
/// needs goes in, so that loops which differ in the rest share plans. `arguments` are those that
/// `shape` describes; the views are good as long as they are.
LoopPlanInput plan_input_of(const LoopShape& shape, const LoopOver& over,
                            std::span<const Arg> arguments, std::size_t begin, std::size_t end,
                            Scheme scheme, std::uint32_t block_size);

}  // namespace kiln::mesh
