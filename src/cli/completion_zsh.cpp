#include <fmt/format.h>

#include "cli/completion.hpp"

namespace kiln::cli {
namespace {

/// For a single-quoted word of the shell, with the letters that _arguments takes for its own
/// preceded by a backslash.
std::string quoted_for_zsh(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out;
}

std::string action(Kind kind, std::span<const std::string_view> choices) {
  switch (kind) {
    case Kind::choice:
      return fmt::format("({})", fmt::join(choices, " "));
    case Kind::file:
      return "_files";
    case Kind::folder:
      return "_files -/";
    // After the = of NAME=FILE only the file is completed.
    case Kind::file_assignment:
      return "{compset -P \"*=\" && _files}";
    default:
      return " ";
  }
}

std::string option_spec(const Option& option) {
  std::string out = "      '";
  if (option.repeat == Repeat::yes) {
    out += "*";
  } else if (option.letter != 0) {
    out += fmt::format("(-{} --{})'{{-{},--{}}}'", option.letter, option.name, option.letter,
                       option.name);
  }
  if (option.repeat == Repeat::yes || option.letter == 0) out += fmt::format("--{}", option.name);
  if (option.kind != Kind::flag && option.letter == 0) out += "=";
  out += fmt::format("[{}]", quoted_for_zsh(first_sentence(option.help), "[]:\\"));
  if (option.kind != Kind::flag)
    out += fmt::format(":{}:{}", quoted_for_zsh(option.value_name, ":\\"),
                       action(option.kind, option.choices));
  return out + "' \\\n";
}

std::string zsh_command_case(const Command& command) {
  // The words of the command itself do not count for _arguments.
  const int words = command.name.find(' ') == std::string_view::npos ? 1 : 2;
  std::string out = fmt::format("    '{}')\n      shift {} words; (( CURRENT -= {} ))\n",
                                command.name, words, words);
  out += "      _arguments -S \\\n";
  for (const Option* option : all_options(command)) out += option_spec(*option);
  out += "      '(-h --help)'{-h,--help}'[Prints the help]'";
  const Positional& positional = command.positional;
  if (positional.most > 0)
    out += fmt::format(" \\\n      '{}:{}:{}'", positional.most > 1 ? "*" : "1",
                       positional.value_name, action(positional.kind, positional.choices));
  return out + " ;;\n";
}

std::string command_list_text() {
  std::string out = "  commands=(\n";
  for (const std::string_view word : first_words()) {
    const auto verbs = verbs_of(word);
    const Entry* entry = find_command(word);
    const std::string meaning =
        entry ? std::string(entry->command->summary) : fmt::format("{}", fmt::join(verbs, ", "));
    out += fmt::format("    '{}:{}'\n", word, quoted_for_zsh(meaning, ":\\"));
  }
  return out + "  )\n";
}

}  // namespace

std::string zsh_completion() {
  std::string out =
      "#compdef kiln\n# zsh completion for kiln, made by `kiln completion zsh`\n_kiln() {\n"
      "  local -a commands\n";
  out += command_list_text();
  out +=
      "  if (( CURRENT == 2 )); then\n"
      "    _describe -t commands 'kiln command' commands\n"
      "    _arguments '(- *)'{-h,--help}'[Prints the help]' '(- *)--version[Prints the version]'\n"
      "    return\n  fi\n"
      "  local command=$words[2]\n"
      "  if [[ $command == help ]]; then _describe -t commands 'kiln command' commands; return; "
      "fi\n";
  for (const std::string_view noun : first_words()) {
    const auto verbs = verbs_of(noun);
    if (verbs.empty()) continue;
    out += fmt::format(
        "  if [[ $command == {} ]]; then\n"
        "    if (( CURRENT == 3 )); then compadd {}; return; fi\n"
        "    command+=\" $words[3]\"\n  fi\n",
        noun, fmt::join(verbs, " "));
  }
  out += "  case $command in\n";
  for (const Command* command : shown_commands()) out += zsh_command_case(*command);
  // Either autoloaded, then this is the function's first call, or read by `source`.
  return out +
         "  esac\n}\nif [[ $funcstack[1] == _kiln ]]; then _kiln \"$@\"; else compdef _kiln kiln; "
         "fi\n";
}

}  // namespace kiln::cli
