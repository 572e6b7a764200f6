#pragma once

#include "cli/command.hpp"

/// `kiln store …`: what is kept, and its upkeep.
namespace kiln::cli {

class Context;

extern const Command store_info_command, store_ls_command, store_show_command,
    store_explain_command, store_verify_command, store_gc_command, store_rm_command,
    store_clear_command;

int store_info(Context& context);
int store_ls(Context& context);
int store_show(Context& context);
int store_explain(Context& context);
int store_verify(Context& context);
int store_gc(Context& context);
int store_rm(Context& context);
int store_clear(Context& context);

}  // namespace kiln::cli
