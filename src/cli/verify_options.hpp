#pragma once

#include "cli/command.hpp"

namespace kiln::cli {

/// `kiln verify`: what it is called, its options and its help.
extern const Command verify_command;

}  // namespace kiln::cli
