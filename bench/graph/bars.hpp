#pragma once

#include <vector>

#include "frame/bar.hpp"

// What task graphs promise.
namespace kiln::bench {

std::vector<Bar> graph_bars();
/// Those that need no device: parsing, planning, and how good plans are.
std::vector<Bar> graph_plan_bars();

}  // namespace kiln::bench
