#pragma once

#include <cstddef>

#include "kiln/mesh/types.hpp"

namespace kiln::mesh {

/// The place of the first value that is no number (NaN), or -1. Integers all are.
std::ptrdiff_t first_nan(ScalarType type, const std::byte* values, std::size_t count);

}  // namespace kiln::mesh
