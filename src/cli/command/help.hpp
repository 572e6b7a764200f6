#pragma once

#include <string>
#include <string_view>

#include "cli/command/command.hpp"

/// Texts made from the definitions of commands: help, man pages, completion scripts.
namespace kiln::cli {

/// "--set NAME=VALUE", "-q, --quiet": how an option is typed.
std::string usage_of(const Option& option);
/// "kiln run [OPTION…] SPEC…".
std::string synopsis_of(const Command& command);
/// The help sentence with what the definition adds: default, choices, repeatable.
std::string meaning_of(const Option& option);

/// What `kiln --help` prints: the sub-commands with their summaries.
std::string overview(int width);
/// What `kiln NOUN --help` prints: the verbs of the noun; empty where it has none.
std::string overview_of(std::string_view noun, int width);
/// What `kiln NAME --help` prints.
std::string help_of(const Command& command, int width);

/// The man page of a sub-command as scdoc text.
std::string man_page(const Command& command);
/// The page kiln(1).
std::string main_man_page();
/// "kiln-run" for "run", "kiln-store-explain" for "store explain".
std::string page_name(const Command& command);

/// Text in which nothing has a meaning for scdoc.
std::string scdoc_text(std::string_view text);

/// A script for the shell that completes kiln's commands, options and values.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// The first sentence of a help text, without its full stop.
std::string_view first_sentence(std::string_view help);

}  // namespace kiln::cli
