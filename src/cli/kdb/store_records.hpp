#pragma once

#include <string_view>

#include "cli/command.hpp"

/// `kiln kdb convert --to store` and `--from store`: databases and the tuning records of Kiln's own
/// store.
namespace kiln::cli {

class Context;

/// Puts a database's tuned records on record in the store.
int records_to_store(Context& context);
/// Writes a database of what the store has on record.
int records_from_store(Context& context);
/// The same in a layout, for commands that have no --to; takes --device, --double, --output.
int write_records(Context& context, std::string_view layout);

}  // namespace kiln::cli
