#include "cli/man.hpp"

#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/settings.hpp"

namespace kiln::cli {
namespace {

std::string section(std::string_view name) { return fmt::format("\n# {}\n\n", name); }

std::string head(std::string_view page, std::string_view summary) {
  return fmt::format("{}(1)\n", page) + section("NAME") +
         fmt::format("{} - {}\n", page, scdoc_text(summary));
}

/// One entry of a list of definitions: the term, then its indented meaning.
std::string entry(const std::string& term, const std::string& meaning) {
  return fmt::format("*{}*\n\t{}\n\n", scdoc_text(term), scdoc_text(meaning));
}

std::string option_entry(const Option& option) {
  return entry(usage_of(option),
               meaning_of(option) + fmt::format(" Environment: {}.", variable_of(option)));
}

std::string paragraphs(std::string_view text) { return scdoc_text(text) + "\n"; }

std::string exit_status() {
  return section("EXIT STATUS") + entry("0", "Success.") +
         entry("1", "A run failed, or a difference was found.") +
         entry("2",
               "The input is wrong: an option, a file, a value, a kernel that does not compile.");
}

std::string see_also(const Command* self) {
  std::string out = self == nullptr ? "" : "*kiln*(1)";
  for (const Entry& each : command_list()) {
    if (each.shown == Entry::Shown::no || each.command == self) continue;
    out += fmt::format("{}*{}*(1)", out.empty() ? "" : ", ", page_name(*each.command));
  }
  return section("SEE ALSO") + out + "\n";
}

}  // namespace

std::string page_name(const Command& command) {
  std::string name = "kiln-" + std::string(command.name);
  for (char& c : name)
    if (c == ' ') c = '-';
  return name;
}

std::string scdoc_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\*_#[]|<>+-.`~^!").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string man_page(const Command& command) {
  std::string out = head(page_name(command), command.summary);
  out += section("SYNOPSIS") + scdoc_text(synopsis_of(command)) + "\n";
  out += section("DESCRIPTION") + paragraphs(command.description);
  if (command.positional.most > 0)
    out += section("ARGUMENTS") +
           entry(std::string(command.positional.value_name), std::string(command.positional.help));
  out += section("OPTIONS");
  for (const Option& option : command.options) {
    const auto heading = option_heading(command.groups, option);
    if (!heading.empty()) out += fmt::format("## {}\n\n", scdoc_text(heading));
    out += option_entry(option);
  }
  if (!command.groups.empty()) out += "## Of every command\n\n";
  for (const Option& option : common_options()) out += option_entry(option);
  out += entry("-h, --help", "Prints a short help.");
  out += scdoc_text(
             "Each option can also be given by its environment variable and in the config "
             "file; see ") +
         "*kiln*(1).\n";
  if (!command.examples.empty()) out += section("EXAMPLES");
  for (const Example& example : command.examples)
    out += entry(std::string(example.line), std::string(example.meaning));
  return out + exit_status() + see_also(&command);
}

std::string main_man_page() {
  std::string out = head("kiln", "look after the whole life of an OpenCL kernel");
  out += section("SYNOPSIS") +
         "*kiln* _COMMAND_ \\[_OPTION_…\\] \\[_ARGUMENT_…\\]\n\n*kiln* \\-\\-version\n";
  out += section("DESCRIPTION") + paragraphs(
                                      "Runs OpenCL kernels from specification files on every "
                                      "device, splits them, and keeps what "
                                      "was compiled. Each "
                                      "command has a page of its own.");
  out += section("COMMANDS");
  for (const Entry& each : command_list())
    if (each.shown == Entry::Shown::yes)
      out += fmt::format("*{}*(1)\n\t{}\n\n", page_name(*each.command),
                         scdoc_text(each.command->summary));
  out += section("CONFIGURATION");
  out += paragraphs(
      "The value of an option is taken from the first of these that gives it: the command line, "
      "the environment, the config file, the default. kiln config shows each value and where it "
      "came from.\n\n"
      "The environment variable of --source-dir is KILN_SOURCE_DIR, and so on for every option. A "
      "variable set to nothing counts as not set. For an option without a value, true, yes, on "
      "and 1 turn it on, false, no, off and 0 turn it off; on the command line --no- before its "
      "name turns it off. Options that may be given more than once take values separated by ; "
      "from the environment.\n\n"
      "The config file holds lines of the form");
  out += "\n\t" + scdoc_text("name = value") + "\n\n";
  out += paragraphs(
      "A line with the name of a command in brackets, as in [run], starts a section: what follows "
      "counts for that command only, and goes before what stands above the sections. A line that "
      "begins with # is a comment. An option that may be given more than once has a line for each "
      "value. A name that no command knows is an error.");
  out += section("FILES") +
         entry("$XDG_CONFIG_HOME/kiln/config",
               "The config file; ~/.config/kiln/config where XDG_CONFIG_HOME is not set. The "
               "option --config or the variable KILN_CONFIG names another file, or off for none.");
  out += section("ENVIRONMENT") + entry("KILN_NAME", "The value of the option --name.") +
         entry("NO_COLOR", "Set to anything, it turns colours off.");
  return out + exit_status() + see_also(nullptr);
}

}  // namespace kiln::cli
