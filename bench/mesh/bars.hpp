#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of meshes.
std::vector<Bar> mesh_bars();

std::vector<Bar> plan_bars();     ///< mesh/plan-…
std::vector<Bar> call_bars();     ///< mesh/call…
std::vector<Bar> airfoil_bars();  ///< mesh/airfoil…, mesh/…-share

}  // namespace kiln::bench
