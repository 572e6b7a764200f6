#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/plan/mesh_plan.hpp"
#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// The arrays of a plan in the making.
using DraftArrays = PlanArrays<std::int32_t, std::byte>;

/// What is known of them only in the end.
struct StagedTotals {
  std::size_t ind_map = 0;  ///< entries that are used
  std::size_t nshared = 0;
  std::size_t cleared = 0;  ///< as in PlanWork
};

/// Writes the staging maps, the totals of pairs and the colours of elements of all blocks, on the
/// threads of the calling task arena. ind_map has room for each list's targets of every position
/// and component.
StagedTotals stage(const PlanInput& input, const StagingLayout& layout,
                   const std::vector<Columns>& conflicts, const DraftArrays& into);

}  // namespace kiln::mesh
