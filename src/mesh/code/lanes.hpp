#pragma once

#include <string>

#include "mesh/code/user_text.hpp"

namespace kiln::mesh {

/// Copies of a function, and of those that it calls, that work on `lanes` elements at once: each
/// float or double becomes a vector of OpenCL C, literals, constants and whole numbers stay
/// scalars. Where elements part, at an if, loop or return that depends on real numbers, masks say
/// who goes on. clang has the last word, since the copies must compile.
///
/// @return the copies' text, the functions' names with lanes_suffix() behind them; to be put behind
///         the plain text. Error unsupported: what stands against it, with the user's file and
///         line: a whole number, index or pointer that depends on real ones, structs, built-in
///         functions that are not elementwise.
Expected<std::string> lane_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                  int function, int lanes);
std::string lanes_suffix(int lanes);

/// Whether a function moves real numbers without computing with any: then lanes gain nothing, and
/// what they turn about on the way in and out is all that they would do.
bool only_moves(const Syntax& syntax, int function);

}  // namespace kiln::mesh
