#pragma once

#include <optional>
#include <string>

#include "mesh/code/user_text.hpp"

namespace kiln::mesh {

/// Copies of a function, and of those that it calls, that work on `lanes` elements at once: each
/// float or double becomes a vector of OpenCL C, each literal and constant stays a scalar. Nothing
/// where that could mean something else than the text does: branches, comparisons outside of ?:,
/// structs, sizeof, lists of initial values, built-in functions that are not elementwise, mixed
/// precisions; clang has the last word, since the copies must compile.
///
/// @return the copies' text, the function's name with lanes_suffix() behind it; to be put behind
///         the plain text.
std::optional<std::string> lane_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                       int function, int lanes);
std::string lanes_suffix(int lanes);

/// Whether a function moves real numbers without computing with any: then lanes gain nothing, and
/// what they turn about on the way in and out is all that they would do.
bool only_moves(const Syntax& syntax, int function);

}  // namespace kiln::mesh
