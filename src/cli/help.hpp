#pragma once

#include <string>

#include "cli/command.hpp"

namespace kiln::cli {

/// "--set NAME=VALUE", "-q, --quiet": how an option is typed.
std::string usage_of(const Option& option);
/// "kiln run [OPTION…] SPEC…".
std::string synopsis_of(const Command& command);
/// The help sentence with what the definition adds: default, choices, repeatable.
std::string meaning_of(const Option& option);

/// The heading over an option where it begins a group, else nothing.
std::string_view option_heading(std::span<const OptionGroup> groups, const Option& option);

/// What `kiln --help` prints: the sub-commands with their summaries.
std::string overview(int width);
/// What `kiln NOUN --help` prints: the verbs of the noun; empty where it has none.
std::string overview_of(std::string_view noun, int width);
/// What `kiln NAME --help` prints.
std::string help_of(const Command& command, int width);

}  // namespace kiln::cli
