// `kiln completion`: completion scripts, made from the same definitions as the parser.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/help.hpp"
#include "cli/output/output.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view shells[] = {"bash", "zsh", "fish"};

}  // namespace

std::string_view first_sentence(std::string_view help) {
  const auto end = help.find(". ");
  if (end != std::string_view::npos) return help.substr(0, end);
  return help.ends_with('.') ? help.substr(0, help.size() - 1) : help;
}

namespace {

/// Bash splits words at = as well, so `--in 0=f` arrives as the words --in 0 = f, and `--log=d`
/// as --log = d. Both forms are brought to: $option (whose value is being typed) and $cur.
constexpr std::string_view prologue = R"(# bash completion for kiln, made by `kiln completion bash`
_kiln_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_kiln_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}

_kiln() {
  local cur=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD option command assigned=
  COMPREPLY=()
  if [[ $cur == = ]]; then
    cur= assigned=yes
  elif [[ ${COMP_WORDS[at-1]} == = ]]; then
    assigned=yes at=$((at - 1))
  fi
  option=${COMP_WORDS[at-1]}
  if [[ $assigned && $option != -* ]]; then
    [[ ${COMP_WORDS[at-2]} == = ]] && at=$((at - 1))
    option=${COMP_WORDS[at-2]}
  fi
)";

/// How a value is completed in each shell.
struct ValueForms {
  std::string bash, zsh, fish;
};
ValueForms forms_of(Kind kind, std::span<const std::string_view> choices) {
  const std::string words = fmt::format("{}", fmt::join(choices, " "));
  switch (kind) {
    case Kind::flag:
      return {":", " ", ""};
    case Kind::choice:
      return {"_kiln_words '" + words + "'", "(" + words + ")", " -x -a '" + words + "'"};
    case Kind::file:
      return {"_kiln_files -f", "_files", " -r -F"};
    case Kind::folder:
      return {"_kiln_files -d", "_files -/", " -x -a '(__fish_complete_directories)'"};
    case Kind::file_assignment:  // after the = of NAME=FILE only the file is completed
      return {"[[ $assigned ]] && _kiln_files -f", "{compset -P \"*=\" && _files}", " -r -F"};
    default:
      return {":", " ", " -x"};
  }
}

/// What a first word means: the command, or the verbs that follow.
std::string meaning_of_word(std::string_view word) {
  const Command* command = find_command(word);
  return command ? std::string(command->summary)
                 : fmt::format("{}", fmt::join(verbs_of(word), ", "));
}

/// A part of a script for each noun that has verbs: {0} and {1} in `form`.
std::string noun_parts(fmt::format_string<std::string_view&, std::string&> form) {
  std::string out;
  for (std::string_view noun : first_words()) {
    std::string verbs = fmt::format("{}", fmt::join(verbs_of(noun), " "));
    if (!verbs.empty()) out += fmt::format(form, noun, verbs);
  }
  return out;
}

std::string option_case(const Option& option) {
  if (option.kind == Kind::flag) return {};
  return fmt::format("        --{}) {}; return ;;\n", option.name,
                     forms_of(option.kind, option.choices).bash);
}

std::string bash_command_case(const Command& command) {
  std::string options = "--help", values;
  for (const Option* option : all_options(command)) {
    options += fmt::format(" --{}", option->name);
    values += option_case(*option);
  }
  const Positional& positional = command.positional;
  return fmt::format(
      "    '{}')\n      case $option in\n{}      esac\n"
      "      if [[ $cur == -* ]]; then _kiln_words '{}'; else {}; fi ;;\n",
      command.name, values, options, forms_of(positional.kind, positional.choices).bash);
}

}  // namespace

std::string bash_completion() {
  std::string out(prologue);
  const std::string words = fmt::format("{}", fmt::join(first_words(), " "));
  out += fmt::format(
      "  if ((COMP_CWORD == 1)); then _kiln_words '{} help --help --version'; return; fi\n"
      "  command=${{COMP_WORDS[1]}}\n"
      "  if [[ $command == help ]]; then _kiln_words '{}'; return; fi\n",
      words, words);
  out += noun_parts(
      "  if [[ $command == {} ]]; then\n"
      "    if ((COMP_CWORD == 2)); then _kiln_words '{}'; return; fi\n"
      "    command+=\" ${{COMP_WORDS[2]}}\"\n  fi\n");
  out += "  case $command in\n";
  for (const Command* command : shown_commands()) out += bash_command_case(*command);
  return out + "  esac\n}\ncomplete -F _kiln kiln\n";
}

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
                       forms_of(option.kind, option.choices).zsh);
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
                       positional.value_name, forms_of(positional.kind, positional.choices).zsh);
  return out + " ;;\n";
}

std::string command_list_text() {
  std::string out = "  commands=(\n";
  for (const std::string_view word : first_words())
    out += fmt::format("    '{}:{}'\n", word, quoted_for_zsh(meaning_of_word(word), ":\\"));
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
  out += noun_parts(
      "  if [[ $command == {} ]]; then\n"
      "    if (( CURRENT == 3 )); then compadd {}; return; fi\n"
      "    command+=\" $words[3]\"\n  fi\n");
  out += "  case $command in\n";
  for (const Command* command : shown_commands()) out += zsh_command_case(*command);
  // Either autoloaded, then this is the function's first call, or read by `source`.
  return out +
         "  esac\n}\nif [[ $funcstack[1] == _kiln ]]; then _kiln \"$@\"; else compdef _kiln kiln; "
         "fi\n";
}

namespace {

std::string quoted_for_fish(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string option_line(std::string_view condition, const Option& option) {
  std::string out = fmt::format("complete -c kiln -n '{}' -l {}", condition, option.name);
  if (option.letter != 0) out += fmt::format(" -s {}", option.letter);
  return out + forms_of(option.kind, option.choices).fish +
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
  std::string out = fmt::format("complete -c kiln -n '__kiln_count 1' -a {} -d {}\n", word,
                                quoted_for_fish(meaning_of_word(word)));
  if (const auto verbs = verbs_of(word); !verbs.empty())
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

namespace {

int print_completion(Context& context) {
  const std::string& shell = context.arguments()[0];
  if (std::ranges::find(shells, shell) == std::end(shells))
    throw bad_input("completion: found '{}', expected one of bash, zsh, fish", shell);
  print(shell == "bash"  ? bash_completion()
        : shell == "zsh" ? zsh_completion()
                         : fish_completion());
  return 0;
}

}  // namespace

const Command completion_command{
    .name = "completion",
    .summary = "print a completion script for a shell",
    .description =
        "Prints a script that completes kiln's commands, options and values in bash, zsh or fish.",
    .positional = {.value_name = "SHELL",
                   .help = "bash, zsh or fish.",
                   .least = 1,
                   .most = 1,
                   .kind = Kind::choice,
                   .choices = shells},
    .examples = {{"kiln completion bash > ~/.local/share/bash-completion/completions/kiln",
                  "Installs the completion for one user of bash."},
                 {"kiln completion fish > ~/.config/fish/completions/kiln.fish",
                  "The same for fish."}},
    .body = print_completion,
};

}  // namespace kiln::cli
