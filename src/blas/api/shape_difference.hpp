#pragma once

#include <string>

#include "blas/shape.hpp"

namespace kiln::blas {

/// "n is 8, the plan's is 16": the first thing but the values of scalars in which a call's shape is
/// not the one that was prepared; empty where there is none.
std::string difference_of(const Shape& asked, const Shape& prepared);

}  // namespace kiln::blas
