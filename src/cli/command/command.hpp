#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/error.hpp"

/// The definition of a sub-command, and the words of a command line read by it.
///
/// A definition is plain data. Parsing, --help, the man
/// page, the completions, the environment variables and the keys of the config file all come
/// from it, so they cannot disagree. To add a sub-command: one file that defines a Command and
/// its body, its name in command/commands.hpp and in command_list.cpp.
namespace kiln::cli {

enum class Kind : std::uint8_t {
  flag,             ///< no value; --no-NAME turns off what the environment or the file turned on
  text,             ///< any text
  integer,          ///< an integer of at least Option::least
  number,           ///< a number of at least Option::least
  choice,           ///< one of Option::choices
  assignment,       ///< NAME=VALUE
  file_assignment,  ///< NAME=FILE
  file,             ///< a path of a file
  folder,           ///< a path of a folder
};

enum class Repeat : bool { no, yes };

/// What a command does with a file that it is given. `-` and /dev/stdin are standard input where a
/// file is read, `-` and /dev/stdout standard output where it is written (files.hpp).
enum class Access : std::uint8_t {
  read,
  write,
  update,  ///< read and written, or made under exactly this name: no stream will do
  none,    ///< not a file, or not always one
};

/// One option: `--name` on the command line, `KILN_NAME` in the environment (`-` becomes `_`),
/// `name = …` in the config file. A repeatable option collects its values; in the environment
/// they are separated by `;`, in the file each has a line of its own.
struct Option {
  std::string_view name;
  Kind kind = Kind::flag;
  Access access = Access::read;      ///< of the kinds file and file_assignment
  std::string_view value_name = {};  ///< how the help calls the value; empty for flags
  std::string_view help = {};        ///< sentences
  std::string_view fallback = {};    ///< the value where none is given; empty: no value
  Repeat repeat = Repeat::no;
  std::span<const std::string_view> choices = {};
  double least = 0;
  char letter = 0;  ///< one-letter form, 0: none

  // One of each kind.

  static constexpr Option flag(std::string_view name, std::string_view help) {
    return {.name = name, .help = help};
  }
  /// `parts`: its name, the value's, the help and, where there is one, the default.
  static constexpr Option text(auto... parts) { return of(Kind::text, parts...); }
  static constexpr Option integer(auto... parts) { return of(Kind::integer, parts...); }
  static constexpr Option number(auto... parts) { return of(Kind::number, parts...); }
  static constexpr Option folder(auto... parts) { return of(Kind::folder, parts...); }
  static constexpr Option assignment(auto... parts) { return of(Kind::assignment, parts...); }
  static constexpr Option choice(std::string_view name, std::string_view value_name,
                                 std::span<const std::string_view> choices, auto... parts) {
    return of(Kind::choice, name, value_name, parts...).with(&Option::choices, choices);
  }
  static constexpr Option file(std::string_view name, std::string_view value_name,
                               std::string_view help, Access access = Access::read) {
    return of(Kind::file, name, value_name, help).with(&Option::access, access);
  }
  static constexpr Option file_assignment(std::string_view name, std::string_view value_name,
                                          std::string_view help, Access access = Access::read) {
    return of(Kind::file_assignment, name, value_name, help).with(&Option::access, access);
  }

  // The same with a further property.

  constexpr Option repeatable() const { return with(&Option::repeat, Repeat::yes); }
  constexpr Option at_least(double bound) const { return with(&Option::least, bound); }
  constexpr Option with_letter(char one) const { return with(&Option::letter, one); }

 private:
  static constexpr Option of(Kind kind, std::string_view name, std::string_view value_name,
                             std::string_view help, std::string_view fallback = {}) {
    return {name, kind, Access::read, value_name, help, fallback};
  }
  template <class T>
  constexpr Option with(T Option::*part, T value) const {
    Option option = *this;
    option.*part = value;
    return option;
  }
};

/// Options in the order of the help; several commands may have them. Views: the constants that they
/// are made from live as long as the program.
using Options = std::initializer_list<Option>;

/// More words than any command line has.
inline constexpr std::size_t any_number = 1'000'000;

/// What follows the options: at least `least` and at most `most` words.
struct Positional {
  std::string_view value_name = {};
  std::string_view help = {};
  std::size_t least = 0, most = 0;
  Kind kind = Kind::text;             ///< for completion
  Access access = Access::read;       ///< of the kind file: of the first word
  Access access_rest = Access::read;  ///< of the others
  std::span<const std::string_view> choices = {};

  static constexpr Positional word(std::string_view value_name, std::string_view help) {
    return words(value_name, help, 1, 1);
  }
  static constexpr Positional words(std::string_view value_name, std::string_view help,
                                    std::size_t least = 1, std::size_t most = any_number) {
    return {value_name, help, least, most};
  }
  static constexpr Positional file(std::string_view value_name, std::string_view help,
                                   Access access = Access::read) {
    return {value_name, help, 1, 1, Kind::file, access};
  }
  static constexpr Positional files(std::string_view value_name, std::string_view help,
                                    std::size_t least = 1, std::size_t most = any_number) {
    return {value_name, help, least, most, Kind::file};
  }
};

/// A heading before an option, for commands with many: it stands over all up to the next heading.
struct OptionGroup {
  std::string_view first;  ///< the name of the option that begins it
  std::string_view title;
};

struct Example {
  std::string_view line;  ///< as typed, without a prompt
  std::string_view meaning;
};

class Context;

/// A sub-command. The lists live as long as the constant that holds them.
struct Command {
  std::string_view name;         ///< one word, or "noun verb"
  std::string_view summary;      ///< a phrase: lower case, no full stop
  std::string_view description;  ///< paragraphs with an empty line between
  std::initializer_list<Options> options = {};
  Positional positional = {};
  std::initializer_list<Example> examples = {};
  std::initializer_list<OptionGroup> groups = {};  ///< in the order of the options; empty: one list
  bool in_place = false;                           ///< --output may be the file that is read
  bool is_hidden = false;                          ///< from help, man pages and completions
  /// Returns the exit code; throws kiln::Error for what went wrong.
  int (*body)(Context& context) = nullptr;
};

/// All sub-commands in the order of the help. Lives for the whole process.
std::span<const Command* const> command_list();

/// What is wrong with words, options or files.
template <class... Arguments>
Error bad_input(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  return {Errc::bad_input, fmt::vformat(format, fmt::make_format_args(arguments...))};
}

/// The whole program: finds the sub-command, reads its settings, runs it, reports errors (app.cpp).
/// Returns the exit code: 0 success, 1 a failed run or a difference, 2 bad input.
int run(int count, char** words);

/// The options that every sub-command has besides its own.
Options common_options();

/// The sub-command of this name, or nullptr.
const Command* find_command(std::string_view name);

/// The commands that people see.
std::vector<const Command*> shown_commands();
/// The first words of the shown commands, each once: "run", "store".
std::vector<std::string_view> first_words();
/// The second words of the shown commands that begin with this noun; empty for one-word commands.
std::vector<std::string_view> verbs_of(std::string_view noun);

/// The command's own options, and all with the common ones.
std::vector<const Option*> own_options(const Command& command);
std::vector<const Option*> all_options(const Command& command);
/// Their names.
std::vector<std::string_view> option_names(const Command& command);
/// The definition of an option by its name, or nullptr.
const Option* find_option(const Command& command, std::string_view name);

/// Whether a text fits an option's kind and bounds. Errors of this and the next functions read
/// "found 'x', expected y".
Expected<void> check_value(const Option& option, const std::string& text);

/// The numeric value of a text; the option's bounds count.
Expected<std::int64_t> to_integer(const Option& option, const std::string& text);
Expected<double> to_number(const Option& option, const std::string& text);
/// on/off, true/false, yes/no, 1/0.
Expected<bool> to_flag(const std::string& text);
/// NAME=VALUE in two parts, neither empty.
Expected<std::pair<std::string, std::string>> to_assignment(const std::string& text);

/// The words after a sub-command's name, split up. Only their form has been checked.
struct CommandLine {
  std::map<std::string_view, std::vector<std::string>> values;  ///< by option; flags: true, false
  std::vector<std::string> arguments;                           ///< the positional words
  bool help = false;
};

/// Splits the words into options and arguments by the sub-command's definition. Errors: an
/// unknown option (with the nearest known one), a missing or an unexpected value, an option
/// given twice that is not repeatable, too few or too many arguments.
Expected<CommandLine> parse_command_line(const Command& command, std::vector<std::string> words);

}  // namespace kiln::cli
