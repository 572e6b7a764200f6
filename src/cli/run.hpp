#pragma once

#include "cli/context.hpp"

namespace kiln::cli {

/// The bodies of the sub-commands that use devices; their definitions are in *_options.cpp.
int run_specs(Context& context);
int verify_specs(Context& context);
int list_devices(Context& context);

}  // namespace kiln::cli
