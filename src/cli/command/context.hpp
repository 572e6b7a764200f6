#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command/command.hpp"
#include "kiln/error.hpp"

/// The values of a sub-command's options, and where each came from: the command line, the
/// environment, the config file or the option's default. Context is what a body asks.
namespace kiln::cli {

/// One `name = value` line of the config file.
struct ConfigLine {
  std::string section;  ///< the sub-command whose section it stands in; empty: for all
  std::string name, value;
  int line = 0;  ///< from 1
};

/// The config file: `name = value` lines; `[sub-command]` starts a section whose values count for
/// that sub-command only and take precedence over the others; `#` starts a comment line. Blanks
/// around names and values do not count.
struct ConfigFile {
  std::string path;    ///< where it is, or would be
  bool found = false;  ///< a file of that name exists
  std::vector<ConfigLine> lines;
};

/// The form only: any name is accepted. Errors begin with "PATH:LINE: ".
Expected<std::vector<ConfigLine>> parse_config(std::string_view text, const std::string& path);

/// Reads a config file. Errors for a section that is no sub-command, and a name that is no option
/// (of the section's sub-command, or of any), with the nearest known one. `chosen` is the file that
/// the user named, or "off"; empty: $XDG_CONFIG_HOME/kiln/config (~/.config/kiln/config), which may
/// be absent.
Expected<ConfigFile> read_config(const std::string& chosen);

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

/// What a sub-command's body gets: its arguments and the value of each of its options. Asking for
/// an option that the sub-command does not define is a defect and throws Errc::internal.
class Context {
 public:
  Context(const Command& command, std::vector<Setting> settings, std::vector<std::string> arguments,
          ConfigFile config);

  const Command& command() const { return *command_; }
  /// The words after the options.
  const std::vector<std::string>& arguments() const { return arguments_; }
  const std::vector<Setting>& settings() const { return settings_; }
  /// The config file that was read.
  const ConfigFile& config() const { return config_; }

  /// Whether the option has a value, be it the default.
  bool has(std::string_view option) const;
  bool flag(std::string_view option) const;
  /// The value, or "" where there is none.
  const std::string& text(std::string_view option) const;
  std::int64_t integer(std::string_view option) const;
  double number(std::string_view option) const;
  /// All values of a repeatable option, in the order given.
  const std::vector<std::string>& list(std::string_view option) const;
  std::vector<std::filesystem::path> paths(std::string_view option) const;
  /// The same for NAME=VALUE options, split.
  std::vector<std::pair<std::string, std::string>> assignments(std::string_view option) const;
  /// Where the value came from, for messages.
  const Origin& origin(std::string_view option) const;
  /// Whether a value is the user's, not the default.
  bool is_given(std::string_view option) const;
  /// Whether it stands on the command line: only there it is meant for this command alone.
  bool is_typed(std::string_view option) const;
  /// Whether the sub-command has such an option.
  bool defines(std::string_view option) const;
  /// The values of an option as words of a command line: "--set=a=1", "--no-json".
  std::vector<std::string> words_of(const Option& option) const;

 private:
  const Setting& find(std::string_view option) const;

  const Command* command_;
  std::vector<Setting> settings_;
  std::vector<std::string> arguments_;
  ConfigFile config_;
};

/// The text without the blanks around it.
std::string_view trimmed(std::string_view text);
/// The parts between separators, empty ones too; none of an empty text.
std::vector<std::string> split(std::string_view text, char separator);

/// The file that --output names, for write_file. Throws Error (bad input) where the option was not
/// given.
const std::string& required_output(const Context& context);

/// The value, or bad input with the file's name in front: to the user a damaged file is that,
/// whatever its reader calls it.
template <class T>
T value_or_bad_input(const std::string& path, Expected<T> parsed) {
  if (!parsed) throw bad_input("{}: {}", path, parsed.error().message());
  return *std::move(parsed);
}

/// The value, or the error with a name in front.
template <class T>
T value_or_named(const std::string& name, Expected<T> made) {
  if (!made) throw Error(made.error().code(), name + ": " + made.error().message());
  return *std::move(made);
}

/// Tells of one file among several that failed while the others are gone on with: a line on
/// standard error, and with --json an object on standard output
/// (print_failure_json()). Returns the exit code.
int tell_failure(const Context& context, const std::string& file, const Error& error);

}  // namespace kiln::cli
