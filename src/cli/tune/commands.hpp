#pragma once

#include "cli/command.hpp"

/// `kiln tune`: the search for the fastest parameters of a kernel.
namespace kiln::cli {

class Context;

extern const Command tune_command;

int tune(Context& context);

/// Strategies that --strategy takes besides `all`.
std::span<const std::string_view> tune_strategy_names();

/// `kiln tune --replay`: strategies on a measured space in place of a device.
int tune_replay(Context& context);

/// `kiln tune ROUTINE`: on a device.
int tune_search(Context& context);

}  // namespace kiln::cli
