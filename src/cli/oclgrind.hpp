#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/context.hpp"

namespace kiln::cli {

/// Runs one spec once in a process of its own on oclgrind's device, which checks every access of
/// the kernel: what it finds, as one line; empty where it finds nothing. Nothing comes back where
/// oclgrind is not installed, where it cannot run the spec, or where this process is such a child.
std::optional<std::string> oclgrind_finding(const Context& context, const std::string& spec);

/// What a log of oclgrind says of accesses outside of buffers: the first, and how many there are;
/// empty where there is none.
std::string invalid_access_in(std::string_view log);

}  // namespace kiln::cli
