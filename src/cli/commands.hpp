#pragma once

#include "cli/command.hpp"

/// The sub-commands that are small enough to have their definition and body in one file.
namespace kiln::cli {

extern const Command check_command;
int check_specs(Context& context);

extern const Command init_command;
int init_spec_file(Context& context);

extern const Command config_command;
int show_config(Context& context);

extern const Command completion_command;
int print_completion(Context& context);

}  // namespace kiln::cli
