#pragma once

#include <cstdint>
#include <vector>

#include "mesh/plan/plan_input.hpp"

namespace kiln::bench {

/// The other side of the plan bars: a plan with all of OP2's fields, made as OP2 makes it, block
/// after block and pair after pair on one thread.
struct SerialPlan {
  std::vector<std::int32_t> nelems, offset;         ///< by block
  std::vector<std::int32_t> ind_sizes, ind_offs;    ///< by block and pair; offsets within a pair
  std::vector<std::vector<std::int32_t>> ind_maps;  ///< by pair
  std::vector<std::vector<std::int16_t>> loc_maps;  ///< by pair and component
  std::vector<std::int32_t> nindirect;              ///< by pair
  std::vector<std::int32_t> thrcol, nthrcol;
  std::vector<std::int32_t> blkmap, ncolblk;
  std::int32_t ncolors = 0;
  std::size_t nshared = 0;
};

/// For inputs without a subset, whose part is the whole set and whose conflicts go through one Map
/// each.
SerialPlan serial_plan(const mesh::PlanInput& input);

}  // namespace kiln::bench
