#include "cli/command/help.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"

namespace kiln::cli {
namespace {

/// Where meanings begin: further left on a narrow terminal.
std::size_t option_column(std::size_t width) { return std::min<std::size_t>(26, width / 3); }

/// Beyond this many characters lines are hard to read, however wide the terminal.
std::size_t readable(int width) { return static_cast<std::size_t>(std::min(width, 100)); }

std::string help_title(std::string_view text) {
  return fmt::format("\n{}\n", styled(Style::bold, text));
}

std::string overview_line(const Command& command, std::size_t width) {
  return definition(command.name, command.summary, std::min<std::size_t>(24, width / 3), width);
}

/// The heading over an option where it begins a group, else nothing.
std::string_view option_heading(std::initializer_list<OptionGroup> groups, const Option& option) {
  for (const auto& group : groups)
    if (group.first == option.name) return group.title;
  return {};
}

std::string help_line(const Option& option, std::size_t width) {
  return definition(usage_of(option), meaning_of(option), option_column(width), width);
}

/// A line for a shell, broken where it is too long: between words, with a \ at the end, and not
/// within quotes, so that it is still one command.
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
  for (const Command* command : shown_commands()) out += overview_line(*command, columns);
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
  for (const Command* command : shown_commands())
    if (command->name.starts_with(fmt::format("{} ", noun)))
      verbs += overview_line(*command, columns);
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
  const auto own = own_options(command);
  if (!own.empty() && command.groups.size() == 0) out += help_title("Options");
  for (const Option* option : own) {
    const auto heading = option_heading(command.groups, *option);
    out += (heading.empty() ? "" : help_title(heading)) + help_line(*option, columns);
  }
  out += help_title("Options of every command");
  for (const Option& option : common_options()) out += help_line(option, columns);
  out += definition("-h, --help", "Prints this text.", option_column(columns), columns);
  if (command.examples.size() > 0) out += help_title("Examples");
  for (const Example& example : command.examples)
    out += broken_line(example.line, columns) + wrapped(example.meaning, 6, columns);
  return out;
}

// Man pages, in the markup of scdoc.

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
  for (const Command* each : shown_commands())
    if (each != self) out += fmt::format("{}*{}*(1)", out.empty() ? "" : ", ", page_name(*each));
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
  for (const Option* option : own_options(command)) {
    const auto heading = option_heading(command.groups, *option);
    if (!heading.empty()) out += fmt::format("## {}\n\n", scdoc_text(heading));
    out += option_entry(*option);
  }
  if (command.groups.size() > 0) out += "## Of every command\n\n";
  for (const Option& option : common_options()) out += option_entry(option);
  out += entry("-h, --help", "Prints a short help.");
  out += scdoc_text(
             "Each option can also be given by its environment variable and in the config "
             "file; see ") +
         "*kiln*(1).\n";
  if (command.examples.size() > 0) out += section("EXAMPLES");
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
  for (const Command* each : shown_commands())
    out += fmt::format("*{}*(1)\n\t{}\n\n", page_name(*each), scdoc_text(each->summary));
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
         entry("NO_COLOR", "Set to anything, it turns colours off.") +
         entry("CLICOLOR_FORCE",
               "Set to anything but 0, it turns colours on where there is no terminal, too, as for "
               "ranks of mpirun; NO_COLOR goes first.");
  return out + exit_status() + see_also(nullptr);
}

// `kiln man`: hidden, for the build, which compiles its output with scdoc.

namespace {

int write_man_pages(Context& context) {
  const auto& words = context.arguments();
  if (context.has("every-page")) {
    const auto write_page = [&](const std::string& page, const std::string& text) {
      const auto file = std::filesystem::path(context.text("every-page")) / (page + ".1.scd");
      value_or_throw(write_file(file, as_bytes(text)));
    };
    write_page("kiln", main_man_page());
    for (const Command* command : shown_commands())
      write_page(page_name(*command), man_page(*command));
  } else if (words.empty()) {
    print(main_man_page());
  } else {
    const std::string name = fmt::format("{}", fmt::join(words, " "));
    const Command* command = find_command(name);
    if (command == nullptr) throw bad_input("unknown command '{}'", name);
    print(man_page(*command));
  }
  return 0;
}

}  // namespace

const Command man_command{
    .name = "man",
    .summary = "print the source of a man page",
    .description = "Prints the scdoc text of kiln(1), or of a command's page.",
    .options = {{Option::folder("every-page", "DIR",
                                "Writes the source of every page, PAGE.1.scd, into this folder.")}},
    .positional = Positional::words("COMMAND", "The command.", 0, 2),
    .is_hidden = true,
    .body = write_man_pages,
};

}  // namespace kiln::cli
