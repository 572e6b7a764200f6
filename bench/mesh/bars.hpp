#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of meshes.
std::vector<Bar> mesh_bars();

std::vector<Bar> plan_bars();  ///< mesh/plan-…

}  // namespace kiln::bench
