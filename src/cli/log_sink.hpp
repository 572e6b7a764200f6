#pragma once

#include <string_view>

namespace kiln::cli {

/// Prints the library's messages of at least this level ("debug", "info", "warning"; "off" for
/// none) on standard error.
void print_log(std::string_view level);

}  // namespace kiln::cli
