#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.hpp"

namespace kiln::cli {

/// `kiln run --isolate`: every spec in a child process of its own (this program again), so that a
/// kernel which crashes the driver, hangs or writes out of bounds fails alone. Prints one line a
/// spec, then a summary; returns 1 if any spec is not ok.
int run_isolated(const Context& context);

/// The environment variable that tells a child to end with its parent; no option of the user's.
inline constexpr const char* child_mark = "KILN_ISOLATED_CHILD";

/// In such a child: ends this process when its parent has gone, so that a kernel which hangs does
/// not run on for ever after `kill -9`. Elsewhere it does nothing.
void end_with_parent();

/// The options of this run that `passed` names as words for a child of it, which runs specs and
/// reports as JSON. They hold what came from the config file and the environment, so the child
/// reads no file again.
std::vector<std::string> words_for_child(const Context& context,
                                         const std::function<bool(std::string_view)>& passed);

}  // namespace kiln::cli
