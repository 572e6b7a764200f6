#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/config_file.hpp"

namespace kiln::cli {

/// Where a value came from.
struct Origin {
  enum class From { fallback, file, environment, command_line };
  From from = From::fallback;
  std::string name;  ///< the file's path, or the variable's name
  int line = 0;      ///< of the file

  /// "default", "FILE:LINE", "KILN_NAME", "command line".
  std::string text() const;
};

/// The values of one option: none, one, or many where it is repeatable. Checked against the
/// option's kind.
struct Setting {
  const Option* option = nullptr;
  std::vector<std::string> values;
  Origin origin;
};

/// The environment variable of an option: "KILN_SOURCE_DIR".
std::string variable_of(const Option& option);

/// All settings of one sub-command, each from the first of command line, environment, config
/// file (the sub-command's section, then the lines for all) and default that gives it; a
/// repeatable option too takes its values from one place only. Error: a value that does not fit
/// its option, with where it came from.
Expected<std::vector<Setting>> resolve(const Command& command, const CommandLine& line,
                                       const ConfigFile& file);

}  // namespace kiln::cli
