#pragma once

#include <memory>

#include "cli/command.hpp"
#include "store/default_store.hpp"

/// `kiln store push` and `kiln store pull`: between this machine's store and the fleet's.
namespace kiln::cli {

class Context;

extern const Command store_push_command, store_pull_command;

int store_push(Context& context);
int store_pull(Context& context);

/// The fleet's store of these settings, for work that people wait for: each call may take five
/// seconds, or longer where --shared-timeout says so. Throws Error (bad input) where there is none.
std::unique_ptr<SharedLayer> open_shared(const Context& context, StoreSettings settings);

/// Whether an error says that the server cannot be reached, so that going on is of no use.
bool is_out_of_reach(const Error& error);

}  // namespace kiln::cli
