// `kiln completion`: completion scripts, made from the same definitions as the parser.
#include "cli/completion.hpp"

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/context.hpp"
#include "cli/output.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view shells[] = {"bash", "zsh", "fish"};

constexpr Example completion_examples[] = {
    {"kiln completion bash > ~/.local/share/bash-completion/completions/kiln",
     "Installs the completion for one user of bash."},
    {"kiln completion fish > ~/.config/fish/completions/kiln.fish", "The same for fish."},
};

}  // namespace

std::vector<const Command*> shown_commands() {
  std::vector<const Command*> commands;
  for (const Entry& entry : command_list())
    if (entry.shown == Entry::Shown::yes) commands.push_back(entry.command);
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

std::vector<const Option*> all_options(const Command& command) {
  std::vector<const Option*> all;
  for (const auto options : {command.options, common_options()})
    for (const Option& option : options) all.push_back(&option);
  return all;
}

std::string_view first_sentence(std::string_view help) {
  const auto end = help.find(". ");
  if (end != std::string_view::npos) return help.substr(0, end);
  return help.ends_with('.') ? help.substr(0, help.size() - 1) : help;
}

constinit const Command completion_command{
    .name = "completion",
    .summary = "print a completion script for a shell",
    .description =
        "Prints a script that completes kiln's commands, options and values in bash, "
        "zsh or fish.",
    .positional = {.value_name = "SHELL",
                   .help = "bash, zsh or fish.",
                   .least = 1,
                   .most = 1,
                   .kind = Kind::choice,
                   .choices = shells},
    .examples = completion_examples,
};

int print_completion(Context& context) {
  const std::string& shell = context.arguments()[0];
  if (shell == "bash") {
    print(bash_completion());
  } else if (shell == "zsh") {
    print(zsh_completion());
  } else if (shell == "fish") {
    print(fish_completion());
  } else {
    throw Error(Errc::bad_input,
                "completion: found '" + shell + "', expected one of bash, zsh, fish");
  }
  return 0;
}

}  // namespace kiln::cli
