#pragma once

#include <span>
#include <string>

#include "kiln/mesh/set.hpp"

namespace kiln::mesh {

/// Throws bad_input where values cannot be a Map's: their number, or one outside the target set.
void check_map_values(const std::string& name, const Set& from, const Set& to, std::size_t arity,
                      std::span<const std::int32_t> values);

}  // namespace kiln::mesh
