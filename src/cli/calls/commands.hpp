#pragma once

#include "cli/command.hpp"

/// The sub-commands about the calls that an application makes.
namespace kiln::cli {

extern const Command record_command;
int record(Context& context);

extern const Command prebuild_command;
int prebuild(Context& context);

}  // namespace kiln::cli
