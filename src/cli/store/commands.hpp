#pragma once

#include "cli/command/command.hpp"

/// `kiln store …`: what is kept, its upkeep, and its way to other machines.
namespace kiln::cli {

class Context;

// The local store (info.cpp, entries.cpp, explain.cpp).
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

// Packs of entries, and who vouches for them (exchange.cpp, packs.cpp).
extern const Command store_export_command, store_import_command, store_verify_pack_command,
    store_sign_command, store_key_command;

int store_export(Context& context);
int store_import(Context& context);
int store_verify_pack(Context& context);
int store_sign(Context& context);
int store_key(Context& context);

// Between this machine's store and the fleet's (shared.cpp).
extern const Command store_push_command, store_pull_command;

int store_push(Context& context);
int store_pull(Context& context);

}  // namespace kiln::cli
