#include "cli/help.hpp"

#include <fmt/format.h>

#include "cli/layout.hpp"
#include "cli/terminal.hpp"

namespace kiln::cli {
namespace {

/// Where meanings begin: further left on a narrow terminal.
std::size_t option_column(std::size_t width) { return std::min<std::size_t>(26, width / 3); }
std::size_t command_column(std::size_t width) { return std::min<std::size_t>(24, width / 3); }

/// Beyond this many characters lines are hard to read, however wide the terminal.
std::size_t readable(int width) { return static_cast<std::size_t>(std::min(width, 100)); }

std::string help_title(std::string_view text) {
  return fmt::format("\n{}\n", styled(Style::bold, text));
}

std::string option_lines(std::span<const Option> options, std::size_t width,
                         std::span<const OptionGroup> groups = {}) {
  std::string out;
  for (const Option& option : options) {
    out += option_heading(groups, option).empty() ? "" : help_title(option_heading(groups, option));
    out += definition(usage_of(option), meaning_of(option), option_column(width), width);
  }
  return out;
}

/// A line for a shell, which stays one where it has to be broken: behind words, before a \, and
/// not within quotes.
std::string broken_line(std::string_view line, std::size_t width) {
  std::string out = "  ";
  std::size_t used = 2;
  while (!line.empty()) {
    std::size_t end = 0;
    for (bool quoted = false; end < line.size() && (quoted || line[end] != ' '); ++end)
      if (line[end] == '"') quoted = !quoted;
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    // A further word needs a blank and the room of " \" behind it.
    if (used > 2 && used + 1 + display_width(word) + (line.empty() ? 0 : 2) > width) {
      out += " \\\n      ";
      used = 6;
    } else if (used > 2) {
      out += ' ';
      ++used;
    }
    out += word;
    used += display_width(word);
  }
  return out + "\n";
}

}  // namespace

std::string_view option_heading(std::span<const OptionGroup> groups, const Option& option) {
  for (const auto& group : groups)
    if (group.first == option.name) return group.title;
  return {};
}

std::string usage_of(const Option& option) {
  std::string out = option.letter == 0 ? "" : fmt::format("-{}, ", option.letter);
  out += fmt::format("--{}", option.name);
  if (!option.value_name.empty()) out += fmt::format(" {}", option.value_name);
  return out;
}

std::string synopsis_of(const Command& command) {
  const Positional& positional = command.positional;
  std::string out = fmt::format("kiln {} [OPTION…]", command.name);
  if (positional.most == 0) return out;
  const std::string words =
      fmt::format("{}{}", positional.value_name, positional.most > 1 ? "…" : "");
  return out + (positional.least == 0 ? fmt::format(" [{}]", words) : " " + words);
}

std::string meaning_of(const Option& option) {
  std::string out(option.help);
  if (!option.choices.empty()) out += fmt::format(" One of {}.", fmt::join(option.choices, ", "));
  if (option.repeat == Repeat::yes) out += " May be given more than once.";
  if (!option.fallback.empty()) out += fmt::format(" Default: {}.", option.fallback);
  return out;
}

std::string overview(int width) {
  const std::size_t columns = readable(width);
  std::string out = wrapped("kiln looks after the whole life of an OpenCL kernel.", 0, columns);
  out += help_title("Usage");
  out += "  kiln COMMAND [OPTION…] [ARGUMENT…]\n  kiln COMMAND --help\n  kiln -V, --version\n";
  out += help_title("Commands");
  for (const Entry& entry : command_list())
    if (entry.shown == Entry::Shown::yes)
      out +=
          definition(entry.command->name, entry.command->summary, command_column(columns), columns);
  out += '\n';
  out += wrapped(
      "Every option can also be given by environment (KILN_NAME) and in the config file; kiln "
      "config shows each value and where it came from. Where a file is read, - is standard input; "
      "where one is written, standard output.",
      0, columns);
  return out;
}

std::string overview_of(std::string_view noun, int width) {
  const std::size_t columns = readable(width);
  std::string verbs;
  for (const Entry& entry : command_list())
    if (entry.shown == Entry::Shown::yes &&
        entry.command->name.starts_with(fmt::format("{} ", noun)))
      verbs +=
          definition(entry.command->name, entry.command->summary, command_column(columns), columns);
  if (verbs.empty()) return {};
  return help_title("Usage") +
         fmt::format("  kiln {0} VERB [OPTION…] [ARGUMENT…]\n  kiln {0} VERB --help\n", noun) +
         help_title("Commands") + verbs;
}

std::string help_of(const Command& command, int width) {
  const std::size_t columns = readable(width);
  std::string out = wrapped(fmt::format("kiln {}: {}", command.name, command.summary), 0, columns);
  out += help_title("Usage") + wrapped(synopsis_of(command), 2, columns) + "\n";
  out += wrapped(command.description, 0, columns);
  if (command.positional.most > 0) {
    out += help_title("Arguments");
    out += definition(command.positional.value_name, command.positional.help,
                      option_column(columns), columns);
  }
  if (!command.options.empty())
    out += (command.groups.empty() ? help_title("Options") : "") +
           option_lines(command.options, columns, command.groups);
  out += help_title("Options of every command") + option_lines(common_options(), columns);
  out += definition("-h, --help", "Prints this text.", option_column(columns), columns);
  if (!command.examples.empty()) out += help_title("Examples");
  for (const Example& example : command.examples)
    out += broken_line(example.line, columns) + wrapped(example.meaning, 6, columns);
  return out;
}

}  // namespace kiln::cli
