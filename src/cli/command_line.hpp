#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "kiln/error.hpp"

namespace kiln::cli {

/// What the words after a sub-command's name say; nothing is looked at but their form.
struct CommandLine {
  std::map<std::string_view, std::vector<std::string>> values;  ///< by option; flags: true, false
  std::vector<std::string> arguments;                           ///< the positional words
  bool help = false;
};

/// Splits the words into options and arguments by the sub-command's definition. Errors: an
/// unknown option (with the nearest known one), a missing or an unexpected value, an option
/// given twice that is not repeatable, too few or too many arguments.
Expected<CommandLine> parse_command_line(const Command& command, std::vector<std::string> words);

/// The names of a sub-command's options, the common ones included.
std::vector<std::string_view> option_names(const Command& command);

/// The definition of an option by its name, or nullptr.
const Option* find_option(const Command& command, std::string_view name);

}  // namespace kiln::cli
