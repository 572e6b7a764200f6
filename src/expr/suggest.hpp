#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::expr {

/// "; did you mean 'x'?" where a known word is close, else the known words where they are few,
/// else nothing. For the end of a message about an unknown word.
std::string suggestion(std::string_view unknown, const std::vector<std::string>& known);

}  // namespace kiln::expr
