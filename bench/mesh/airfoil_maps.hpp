#pragma once

#include <cstdint>
#include <vector>

#include "mesh/plan/plan_input.hpp"

namespace kiln::bench {

/// The Maps of the NACA0012 C-mesh's edges; coordinates do not matter to plans.
struct AirfoilMaps {
  std::size_t nodes = 0, cells = 0, edges = 0;
  std::vector<std::int32_t> edge_nodes, edge_cells;  ///< two a row
};

/// `along` cells along the surface and along each branch of the wake, `outward` away from it; 400
/// and 600 are the field's reference mesh.
AirfoilMaps airfoil_maps(std::int32_t along, std::int32_t outward);

/// What the plan of airfoil's res_calc depends on, in double precision; views of the maps.
mesh::PlanInput res_calc_input(const AirfoilMaps& maps, mesh::Scheme scheme,
                               std::uint32_t block_size);

}  // namespace kiln::bench
