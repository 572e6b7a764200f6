#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/plan/mesh_plan.hpp"
#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// Where the arrays of a staged plan are to be written, laid out as MeshPlan says.
struct StagedArrays {
  std::span<std::int32_t> ind_sizes, ind_offs, thrcol, nthrcol;
  std::span<std::byte> loc_map;
  std::size_t loc_bytes = 2;
  /// Room for each list's targets of every position and component.
  std::span<std::int32_t> ind_map;
};

/// What is known of them only in the end.
struct StagedTotals {
  std::size_t ind_map = 0;  ///< entries that are used
  std::vector<std::int32_t> nindirect;
  std::size_t nshared = 0;
  std::size_t cleared = 0;  ///< as in PlanWork
};

/// Writes the staging maps and the colours of elements of all blocks, on the threads of the
/// calling task arena.
StagedTotals stage(const PlanInput& input, const StagingLayout& layout,
                   const std::vector<Columns>& conflicts, const StagedArrays& into);

}  // namespace kiln::mesh
