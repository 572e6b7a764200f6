#pragma once

#include <string>

#include "kiln/mesh/types.hpp"

namespace kiln::mesh {

/// What a reduction starts from, in OpenCL C: 0 of INC; of MIN the greatest value of the type, or
/// infinity; of MAX the least one, or minus infinity.
std::string identity(ScalarType type, Access access);

/// An expression that combines `a` and `b` (names, without side effects) as a reduction does. MIN
/// and MAX of floating type keep a NaN of either, so that it shows in the result.
std::string combined(ScalarType type, Access access, const std::string& a, const std::string& b);

}  // namespace kiln::mesh
