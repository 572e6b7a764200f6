#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "cli/values.hpp"

namespace kiln::cli {
namespace {

template <class Visit>
void for_each_option(const Command& command, Visit visit) {
  for (const Option& option : command.options) visit(option);
  for (const Option& option : common_options()) visit(option);
}

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
    for_each_option(command, [&](const Option& option) { add(option); });
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
  for_each_option(command, [&](const Option& o) { forms.push_back(fmt::format("--{}", o.name)); });
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

std::vector<std::string_view> option_names(const Command& command) {
  std::vector<std::string_view> names;
  for_each_option(command, [&](const Option& option) { names.push_back(option.name); });
  return names;
}

const Option* find_option(const Command& command, std::string_view name) {
  const Option* found = nullptr;
  for_each_option(command, [&](const Option& option) {
    if (option.name == name) found = &option;
  });
  return found;
}

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
