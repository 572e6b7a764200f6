#pragma once

#include <chrono>
#include <string>

#include "cli/command/command.hpp"

/// `kiln tune`: the search for the fastest parameters of a kernel.
namespace kiln::cli {

class Context;

extern const Command tune_command;

int tune(Context& context);

/// `kiln tune --replay`: strategies on a measured space in place of a device.
int tune_replay(Context& context);

/// `kiln tune --from` and `--all`: many searches. Returns the exit code. Throws Error, Interrupted.
int tune_campaign(const Context& context);

/// Strategies that --strategy takes besides `all`.
std::span<const std::string_view> tune_strategy_names();

/// The value of an option as "90s", "10m", "2h" or "1500ms"; a number alone counts seconds. Throws
/// Error (bad_input) for anything else, or for what is not above 0 or beyond a year.
std::chrono::milliseconds time_option(const Context& context, std::string_view option);

/// Throws Error (bad_input) for words and options of `kiln tune` that cannot be combined. Options
/// from the environment or the config file are ignored where they make no sense, never refused.
void refuse_combinations(const Context& context);

// `kiln tune` takes two kinds of files by one option, --from; their content tells them apart.

/// Throws Error (bad_input) where a file is a record of calls: `option` wants a measured space.
/// A file that cannot be read is left to whoever reads it.
void refuse_calls(const std::string& file, const std::string& option);
/// The other way round: --from without --replay wants a record of calls.
void refuse_measured_space(const std::string& file);

}  // namespace kiln::cli
