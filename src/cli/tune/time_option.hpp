#pragma once

#include <chrono>
#include <string_view>

namespace kiln::cli {

class Context;

/// The value of an option as "90s", "10m", "2h" or "1500ms"; a number alone counts seconds. Throws
/// Error (bad_input) for anything else, or for what is not above 0 or beyond a year.
std::chrono::milliseconds time_option(const Context& context, std::string_view option);

}  // namespace kiln::cli
