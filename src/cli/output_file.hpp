#pragma once

#include <string>

#include "cli/context.hpp"

namespace kiln::cli {

/// The file that --output names, for write_file. Throws Error (bad input) where the option was not
/// given.
const std::string& required_output(const Context& context);

}  // namespace kiln::cli
