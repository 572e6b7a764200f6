#pragma once

#include <vector>

#include "frame/bar.hpp"

// What the Python package promises.
namespace kiln::bench {

std::vector<Bar> python_bars();

}  // namespace kiln::bench
