#include <fmt/format.h>

#include "cli/completion.hpp"

namespace kiln::cli {
namespace {

std::string quoted_for_fish(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string value_flags(Kind kind, std::span<const std::string_view> choices) {
  switch (kind) {
    case Kind::flag:
      return "";
    case Kind::choice:
      return fmt::format(" -x -a '{}'", fmt::join(choices, " "));
    case Kind::file:
    case Kind::file_assignment:
      return " -r -F";
    case Kind::folder:
      return " -x -a '(__fish_complete_directories)'";
    default:
      return " -x";
  }
}

std::string option_line(std::string_view condition, const Option& option) {
  std::string out = fmt::format("complete -c kiln -n '{}' -l {}", condition, option.name);
  if (option.letter != 0) out += fmt::format(" -s {}", option.letter);
  return out + value_flags(option.kind, option.choices) +
         fmt::format(" -d {}\n", quoted_for_fish(first_sentence(option.help)));
}

std::string command_lines(const Command& command) {
  const std::string condition = fmt::format("__kiln_is {}", command.name);
  std::string out;
  for (const Option* option : all_options(command)) out += option_line(condition, *option);
  out += fmt::format("complete -c kiln -n '{}' -s h -l help -d 'Prints the help'\n", condition);
  const Positional& positional = command.positional;
  if (positional.kind == Kind::file) out += fmt::format("complete -c kiln -n '{}' -F\n", condition);
  if (!positional.choices.empty())
    out += fmt::format("complete -c kiln -n '{}' -a '{}'\n", condition,
                       fmt::join(positional.choices, " "));
  return out;
}

std::string first_word_line(std::string_view word) {
  const Entry* entry = find_command(word);
  const auto verbs = verbs_of(word);
  std::string out = fmt::format("complete -c kiln -n '__kiln_count 1' -a {} -d {}\n", word,
                                quoted_for_fish(entry ? std::string(entry->command->summary)
                                                      : fmt::format("{}", fmt::join(verbs, ", "))));
  if (!verbs.empty())
    out += fmt::format("complete -c kiln -n '__kiln_count 2; and __kiln_is {}' -a '{}'\n", word,
                       fmt::join(verbs, " "));
  return out;
}

}  // namespace

std::string fish_completion() {
  std::string out = R"(# fish completion for kiln, made by `kiln completion fish`
function __kiln_is
    set -l words (commandline -opc)
    set -l last (math 1 + (count $argv))
    test "$words[2..$last]" = "$argv"
end
function __kiln_count
    test (count (commandline -opc)) -eq $argv[1]
end
complete -c kiln -f
complete -c kiln -n '__kiln_count 1' -l version -d 'Prints the version'
complete -c kiln -n '__kiln_count 1' -s h -l help -d 'Prints the help'
)";
  for (const std::string_view word : first_words()) out += first_word_line(word);
  out +=
      fmt::format("complete -c kiln -n '__kiln_is help' -a '{}'\n", fmt::join(first_words(), " "));
  for (const Command* command : shown_commands()) out += command_lines(*command);
  return out;
}

}  // namespace kiln::cli
