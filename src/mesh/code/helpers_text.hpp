#pragma once

#include <string>

#include "mesh/code/layout.hpp"

namespace kiln::mesh {

/// Functions that a loop's kernel calls: bisection in a matrix's row, atomic additions, stores past
/// the caches. Those that it needs only.
std::string helpers_text(const LoopShape& shape, const Parameters& parameters);

}  // namespace kiln::mesh
