#pragma once

#include "cli/context.hpp"

namespace kiln::cli {

/// `kiln run --isolate`: every spec in a child process of its own (this program again), so that a
/// kernel which crashes the driver, hangs or writes out of bounds fails alone. Prints one line a
/// spec, then a summary; returns 1 if any spec is not ok.
int run_isolated(const Context& context);

/// In such a child: ends this process when its parent has gone, so that a kernel which hangs does
/// not run on for ever after `kill -9`. Elsewhere it does nothing.
void end_with_parent();

}  // namespace kiln::cli
