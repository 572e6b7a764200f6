#include <fmt/format.h>

#include "cli/completion.hpp"

namespace kiln::cli {
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

std::string value_action(Kind kind, std::span<const std::string_view> choices) {
  switch (kind) {
    case Kind::choice:
      return fmt::format("_kiln_words '{}'", fmt::join(choices, " "));
    case Kind::file:
      return "_kiln_files -f";
    case Kind::folder:
      return "_kiln_files -d";
    case Kind::file_assignment:
      return "[[ $assigned ]] && _kiln_files -f";
    default:
      return ":";
  }
}

std::string option_case(const Option& option) {
  if (option.kind == Kind::flag) return {};
  return fmt::format("        --{}) {}; return ;;\n", option.name,
                     value_action(option.kind, option.choices));
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
      command.name, values, options, value_action(positional.kind, positional.choices));
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
  for (const std::string_view noun : first_words()) {
    const auto verbs = verbs_of(noun);
    if (verbs.empty()) continue;
    out += fmt::format(
        "  if [[ $command == {} ]]; then\n"
        "    if ((COMP_CWORD == 2)); then _kiln_words '{}'; return; fi\n"
        "    command+=\" ${{COMP_WORDS[2]}}\"\n  fi\n",
        noun, fmt::join(verbs, " "));
  }
  out += "  case $command in\n";
  for (const Command* command : shown_commands()) out += bash_command_case(*command);
  return out + "  esac\n}\ncomplete -F _kiln kiln\n";
}

}  // namespace kiln::cli
