#pragma once

#include <vector>

#include "frame/bar.hpp"

// What the OpenCL layer promises.
namespace kiln::bench {

/// What programs wait for before their kernels run, with the layer and without.
std::vector<Bar> layer_program_bars();
/// What a call that is passed on costs, and the layer's mere presence.
std::vector<Bar> layer_cost_bars();
/// What local sizes are worth that the layer chooses where a program passes none.
std::vector<Bar> layer_tune_bars();
/// What measuring a program costs, and how true the roofs are that its profile shows.
std::vector<Bar> layer_profile_bars();

std::vector<Bar> layer_bars();

}  // namespace kiln::bench
