#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace kiln::cli {

/// A script for the shell that completes kiln's commands, options and values.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// The commands that people see.
std::vector<const Command*> shown_commands();
/// The first words of the shown commands, each once: "run", "store".
std::vector<std::string_view> first_words();
/// The second words of the commands that begin with this noun; empty for one-word commands.
std::vector<std::string_view> verbs_of(std::string_view noun);
/// The command's own options and the common ones.
std::vector<const Option*> all_options(const Command& command);
/// The first sentence of a help text, without its full stop.
std::string_view first_sentence(std::string_view help);

}  // namespace kiln::cli
