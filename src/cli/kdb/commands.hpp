#pragma once

#include <string_view>

#include "cli/command/command.hpp"

/// `kiln kdb …`: clBLAS's kernel databases.
namespace kiln::cli {

class Context;

extern const Command kdb_info_command, kdb_dump_command, kdb_verify_command, kdb_diff_command,
    kdb_merge_command, kdb_build_command, kdb_convert_command, kdb_extract_command,
    kdb_summary_command;

int kdb_info(Context& context);
int kdb_dump(Context& context);
int kdb_verify(Context& context);
int kdb_diff(Context& context);
int kdb_merge(Context& context);
int kdb_build(Context& context);
int kdb_convert(Context& context);
int kdb_extract(Context& context);
int kdb_summary(Context& context);

/// Writes a database of what the store has on record, in this layout: the body of `kiln kdb convert
/// --from store`, for other commands, too, that take --device, --double and --output.
int write_records(Context& context, std::string_view layout);

}  // namespace kiln::cli
