#pragma once

#include "cli/command.hpp"

namespace kiln::cli {

/// `kiln devices`: what it is called, its options and its help.
extern const Command devices_command;

}  // namespace kiln::cli
