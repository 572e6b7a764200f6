#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mesh/code/user_text.hpp"

namespace kiln::mesh {

/// Where a pointer points. OpenCL C 1.2 has no pointer to anywhere.
enum class Space : char { private_ = 'p', global = 'g', constant = 'c', local = 'l' };

/// One for each parameter of a function; private_ for those that are no pointers.
using Spaces = std::vector<Space>;

/// What is put behind the name of a function's copy for these spaces; nothing where all are
/// private.
std::string spaces_suffix(const Spaces& spaces);

/// Copies of a function, and of those that it hands its pointers to, one for each combination of
/// spaces that occurs, with qualifiers at parameters and local pointers. Local pointers get the
/// space of what they are given, wherever that is in the function. Nothing where that has no answer
/// within OpenCL C 1.2: a pointer that gets two spaces, is returned, kept in a struct or array,
/// cast, or declared beside something else; then private copies of the data do. To be put behind
/// the plain text.
std::optional<std::string> space_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                        int function, const Spaces& spaces);

}  // namespace kiln::mesh
