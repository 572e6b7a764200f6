#pragma once

#include "cli/command.hpp"

namespace kiln::cli {

/// `kiln run`: what it is called, its options and its help.
extern const Command run_command;

}  // namespace kiln::cli
