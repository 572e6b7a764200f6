#pragma once

#include "cli/context.hpp"
#include "store/default_store.hpp"

namespace kiln::cli {

/// The layers that --store, --system-store, --shared-store and their bounds name; each one's
/// default is the environment's. Options that the sub-command lacks keep their default. Throws
/// Error (bad input) for a size that is none.
StoreSettings store_settings_of(const Context& context);

}  // namespace kiln::cli
