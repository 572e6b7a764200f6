#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/command/context.hpp"

/// Specifications run in processes of their own: `kiln run --isolate`, and the look of
/// --check-bounds on oclgrind's device.
namespace kiln::cli {

/// `kiln run --isolate`: every spec in a child process of its own (this program again), so that a
/// kernel which crashes the driver, hangs or writes out of bounds fails alone. Prints one line a
/// spec, then a summary; returns 1 if any spec is not ok.
int run_isolated(const Context& context);

/// In a child of `kiln run --isolate`: ends this process when its parent has gone, so that a kernel
/// which hangs does not run on for ever after `kill -9`. Elsewhere it does nothing.
void end_with_parent();

/// Runs one spec once in a process of its own on oclgrind's device, which checks every access of
/// the kernel: what it finds, as one line; empty where it finds nothing. Nothing comes back where
/// oclgrind is not installed, where it cannot run the spec, or where this process is such a child.
std::optional<std::string> oclgrind_finding(const Context& context, const std::string& spec);

/// What a log of oclgrind says of accesses outside of buffers: the first, and how many there are;
/// empty where there is none.
std::string invalid_access_in(std::string_view log);

}  // namespace kiln::cli
