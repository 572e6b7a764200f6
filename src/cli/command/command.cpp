#include "cli/command/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/data/text.hpp"
#include "cli/command/options.hpp"

namespace kiln::cli {
namespace {

const Options common = {
    Option::file("config", "FILE",
                 "The config file to read in place of $XDG_CONFIG_HOME/kiln/config, or off for "
                 "none.",
                 Access::update),
    Option::choice("log", "LEVEL", options::log_levels,
                   "Which messages about the inner workings are printed on standard error.",
                   "warning")};

}  // namespace

Options common_options() { return common; }

const Command* find_command(std::string_view name) {
  for (const Command* command : command_list())
    if (command->name == name) return command;
  return nullptr;
}

std::vector<const Command*> shown_commands() {
  std::vector<const Command*> commands(command_list().begin(), command_list().end());
  std::erase_if(commands, [](const Command* command) { return command->is_hidden; });
  return commands;
}

std::vector<std::string_view> first_words() {
  std::vector<std::string_view> words;
  for (const Command* command : shown_commands()) {
    const std::string_view word = command->name.substr(0, command->name.find(' '));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

std::vector<std::string_view> verbs_of(std::string_view noun) {
  std::vector<std::string_view> verbs;
  for (const Command* command : shown_commands())
    if (const auto blank = command->name.find(' ');
        blank != std::string_view::npos && command->name.substr(0, blank) == noun)
      verbs.push_back(command->name.substr(blank + 1));
  return verbs;
}

std::vector<const Option*> own_options(const Command& command) {
  std::vector<const Option*> own;
  for (const Options& list : command.options)
    for (const Option& option : list) own.push_back(&option);
  return own;
}

std::vector<const Option*> all_options(const Command& command) {
  std::vector<const Option*> all = own_options(command);
  for (const Option& option : common_options()) all.push_back(&option);
  return all;
}

std::vector<std::string_view> option_names(const Command& command) {
  std::vector<std::string_view> names;
  for (const Option* option : all_options(command)) names.push_back(option->name);
  return names;
}

const Option* find_option(const Command& command, std::string_view name) {
  for (const Option* option : all_options(command))
    if (option->name == name) return option;
  return nullptr;
}

namespace {

tl::unexpected<Error> mismatch(std::string_view found, std::string_view expected) {
  return fail(Errc::bad_input, fmt::format("found '{}', expected {}", found, expected));
}

enum class Parsed { good, bad, out_of_range };

template <class T>
Parsed parse_option_number(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return Parsed::bad;
  return error == std::errc() ? Parsed::good : Parsed::out_of_range;
}

Expected<void> check_choice(const Option& option, const std::string& text) {
  if (std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end())
    return {};
  return mismatch(text, fmt::format("one of {}{}", fmt::join(option.choices, ", "),
                                    did_you_mean(text, option.choices)));
}

template <class T>
Expected<void> only_error(Expected<T> result) {
  if (!result) return tl::unexpected(std::move(result).error());
  return {};
}

}  // namespace

Expected<std::int64_t> to_integer(const Option& option, const std::string& text) {
  std::int64_t value = 0;
  const Parsed parsed = parse_option_number(text, value);
  if (parsed == Parsed::out_of_range && !text.starts_with('-'))
    return mismatch(
        text, fmt::format("an integer of at most {}", std::numeric_limits<std::int64_t>::max()));
  if (parsed != Parsed::good || static_cast<double>(value) < option.least)
    return mismatch(text, fmt::format("an integer of at least {}", option.least));
  return value;
}

Expected<double> to_number(const Option& option, const std::string& text) {
  double value = 0;
  if (parse_option_number(text, value) != Parsed::good || !std::isfinite(value) ||
      value < option.least)
    return mismatch(text, fmt::format("a number of at least {}", option.least));
  return value;
}

Expected<bool> to_flag(const std::string& text) {
  for (const char* word : {"true", "yes", "on", "1"})
    if (text == word) return true;
  for (const char* word : {"false", "no", "off", "0"})
    if (text == word) return false;
  return mismatch(text, "true or false");
}

Expected<std::pair<std::string, std::string>> to_assignment(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    return mismatch(text, "NAME=VALUE");
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Expected<void> check_value(const Option& option, const std::string& text) {
  switch (option.kind) {
    case Kind::flag:
      return only_error(to_flag(text));
    case Kind::integer:
      return only_error(to_integer(option, text));
    case Kind::number:
      return only_error(to_number(option, text));
    case Kind::choice:
      return check_choice(option, text);
    case Kind::assignment:
      return only_error(to_assignment(text));
    case Kind::file_assignment: {
      if (to_assignment(text)) return {};
      return mismatch(text, option.value_name);
    }
    case Kind::text:
    case Kind::file:
    case Kind::folder:
      break;
  }
  if (text.empty()) return mismatch(text, option.value_name);
  return {};
}

namespace {

/// A CLI11 parser for one sub-command. Only the chosen one gets one: each option costs a few
/// microseconds, and all sub-commands together have many.
struct Parser {
  CLI::App app;
  std::vector<std::pair<const Option*, CLI::Option*>> options;
  bool help = false;

  explicit Parser(const Command& command) {
    app.set_help_flag();
    // What is no option comes back: unknown options are reported here, with a suggestion, and
    // the arguments are no option of CLI11's, which would take "[a,b].json" for a list.
    app.allow_extras();
    app.add_flag("-h,--help", help);
    for (const Option* option : all_options(command)) add(*option);
  }

  void add(const Option& option) {
    std::string names = fmt::format("--{}", option.name);
    if (option.letter != 0) names = fmt::format("-{},{}", option.letter, names);
    const CLI::callback_t accept = [](const auto&) { return true; };
    CLI::Option* made = nullptr;
    if (option.kind == Kind::flag) {
      names += fmt::format(",!--no-{}", option.name);
      made = app.add_flag_callback(names, [] {});
    } else {
      made = app.add_option(names, accept);
    }
    made->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    options.emplace_back(&option, made);
  }
};

std::string where(const Command& command) { return fmt::format("{}: ", command.name); }

tl::unexpected<Error> unknown_option(const Command& command, std::string_view word) {
  const std::string_view given = word.substr(0, word.find('='));
  std::vector<std::string> forms{"--help"};
  for (const std::string_view name : option_names(command))
    forms.push_back(fmt::format("--{}", name));
  const std::vector<std::string_view> candidates(forms.begin(), forms.end());
  return fail(Errc::bad_input, fmt::format("{}unknown option {}{}", where(command), given,
                                           did_you_mean(given, candidates)));
}

/// The words after a lone `--` are arguments, whatever they look like; they are taken off.
std::vector<std::string> take_plain(std::vector<std::string>& words) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  if (mark == words.end()) return {};
  std::vector<std::string> plain(mark + 1, words.end());
  words.erase(mark, words.end());
  return plain;
}

/// `--name=` with nothing after it: CLI11 would take the next word as the value.
const std::string* empty_value(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.starts_with("--") && word.find('=') == word.size() - 1) return &word;
  return nullptr;
}

/// `--flag=maybe`, which CLI11 would refuse in words of its own.
Expected<void> check_flags(const Command& command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (!word.starts_with("--") || equals == word.npos) continue;
    const std::string_view name = std::string_view(word).substr(2, equals - 2);
    const Option* option = find_option(command, name);
    if (option == nullptr && name.starts_with("no-")) option = find_option(command, name.substr(3));
    if (option == nullptr || option->kind != Kind::flag) continue;
    if (const auto value = to_flag(word.substr(equals + 1)); !value)
      return fail(value.error().code(),
                  fmt::format("{}--{}: {}", where(command), name, value.error().message()));
  }
  return {};
}

Expected<void> check_count(const Command& command, std::size_t count) {
  const Positional& positional = command.positional;
  if (count < positional.least)
    return fail(
        Errc::bad_input,
        fmt::format("{}missing {}{} (kiln {} --help says more)", where(command),
                    positional.value_name,
                    positional.least == 1
                        ? ""
                        : fmt::format(": found {}, expected {}{}", count,
                                      positional.most == positional.least ? "" : "at least ",
                                      positional.least),
                    command.name));
  return {};
}

}  // namespace

Expected<CommandLine> parse_command_line(const Command& command, std::vector<std::string> words) {
  const std::vector<std::string> plain = take_plain(words);
  if (const std::string* word = empty_value(words))
    return fail(Errc::bad_input,
                fmt::format("{}{} has no value after the =", where(command), *word));
  if (auto checked = check_flags(command, words); !checked) return tl::unexpected(checked.error());
  Parser parser(command);
  std::reverse(words.begin(), words.end());  // the order that CLI11 wants
  try {
    parser.app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    std::string message = error.what();
    // "--size-n: 1 required  missing": the option stood last, without a value.
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
      if (const auto end = message.find(": 1 required"); end != std::string::npos)
        message = message.substr(0, end) + ": missing value";
    std::replace(message.begin(), message.end(), '\n', ' ');
    return fail(Errc::bad_input, where(command) + message);
  }
  CommandLine line;
  line.arguments = parser.app.remaining();
  for (const std::string& word : line.arguments)
    if (word.starts_with('-') && word != "-") return unknown_option(command, word);
  line.arguments.insert(line.arguments.end(), plain.begin(), plain.end());

  line.help = parser.help;
  for (const auto& [option, parsed] : parser.options) {
    if (parsed->count() == 0) continue;
    std::vector<std::string> values = parsed->results();
    if (option->repeat == Repeat::no && option->kind != Kind::flag && values.size() > 1)
      return fail(Errc::bad_input, fmt::format("{}--{} is given {} times, expected once",
                                               where(command), option->name, values.size()));
    // The last of --json and --no-json counts, so that an alias can be overruled.
    if (option->kind == Kind::flag) values = {values.back()};
    line.values.emplace(option->name, std::move(values));
  }
  if (line.help) return line;
  if (line.arguments.size() > command.positional.most)
    return fail(Errc::bad_input, fmt::format("{}unexpected argument '{}'", where(command),
                                             line.arguments[command.positional.most]));
  if (auto counted = check_count(command, line.arguments.size()); !counted)
    return tl::unexpected(counted.error());
  return line;
}

}  // namespace kiln::cli
