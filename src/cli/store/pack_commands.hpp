#pragma once

#include "cli/command.hpp"

/// `kiln store …`: entries on their way to other machines, and who vouches for them.
namespace kiln::cli {

class Context;

extern const Command store_export_command, store_import_command, store_verify_pack_command,
    store_sign_command, store_key_command;

int store_export(Context& context);
int store_import(Context& context);
int store_verify_pack(Context& context);
int store_sign(Context& context);
int store_key(Context& context);

}  // namespace kiln::cli
