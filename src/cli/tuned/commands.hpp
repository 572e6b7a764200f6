#pragma once

#include "cli/command/command.hpp"

/// `kiln tuned …`: what the tuner has found, and how its searches went.
namespace kiln::cli {

class Context;

extern const Command tuned_ls_command, tuned_show_command, tuned_report_command,
    tuned_export_command, tuned_import_command;

int tuned_ls(Context& context);
int tuned_show(Context& context);
int tuned_report(Context& context);
int tuned_export(Context& context);
int tuned_import(Context& context);

}  // namespace kiln::cli
