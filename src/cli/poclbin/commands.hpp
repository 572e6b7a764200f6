#pragma once

#include "cli/command/command.hpp"

/// `kiln poclbin …`: PoCL's program archives.
namespace kiln::cli {

class Context;

extern const Command poclbin_info_command, poclbin_ls_command, poclbin_verify_command,
    poclbin_diff_command, poclbin_merge_command, poclbin_extract_command, poclbin_create_command,
    poclbin_strip_command, poclbin_convert_command, poclbin_check_device_command,
    poclbin_build_command, poclbin_export_command, poclbin_import_command;

int poclbin_info(Context& context);
int poclbin_ls(Context& context);
int poclbin_verify(Context& context);
int poclbin_diff(Context& context);
int poclbin_merge(Context& context);
int poclbin_extract(Context& context);
int poclbin_create(Context& context);
int poclbin_strip(Context& context);
int poclbin_convert(Context& context);
int poclbin_check_device(Context& context);
int poclbin_build(Context& context);
int poclbin_export(Context& context);
int poclbin_import(Context& context);

}  // namespace kiln::cli
