#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/gantt_lanes.hpp"

namespace kiln::cli {

/// The categories that occur, in the order of a program's life: lookup, compile, plan, write,
/// kernel, read, merge; then any others by name.
std::vector<std::string> categories_in(const Lanes& lanes);

/// The style class that colours a category: its own name, or "other" for one without a colour.
std::string_view style_class(std::string_view category);

}  // namespace kiln::cli
