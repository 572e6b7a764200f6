#include "cli/app.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "base/default_path.hpp"
#include "base/suggest.hpp"
#include "cli/context.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/log_sink.hpp"
#include "cli/output.hpp"
#include "cli/results.hpp"
#include "cli/terminal.hpp"
#include "kiln/version.hpp"

namespace kiln::cli {
namespace {

using Words = std::vector<std::string>;

/// The sub-command at the front of the words, taken off them. Throws for an unknown one.
const Entry& take_command(Words& words) {
  if (words.size() > 1) {
    if (const Entry* entry = find_command(words[0] + " " + words[1])) {
      words.erase(words.begin(), words.begin() + 2);
      return *entry;
    }
  }
  if (const Entry* entry = find_command(words[0])) {
    words.erase(words.begin());
    return *entry;
  }
  std::vector<std::string_view> names, verbs;
  for (const Entry& entry : command_list()) {
    const std::string_view name = entry.command->name;
    if (entry.shown == Entry::Shown::yes) names.push_back(name);
    if (name.starts_with(words[0] + " ")) verbs.push_back(name.substr(words[0].size() + 1));
  }
  if (verbs.empty())
    throw Error(Errc::bad_input,
                fmt::format("unknown {} '{}'{}", words[0].starts_with('-') ? "option" : "command",
                            words[0], did_you_mean(words[0], names)));
  if (words.size() == 1)
    throw Error(Errc::bad_input, fmt::format("{}: found no verb, expected one of {}", words[0],
                                             fmt::join(verbs, ", ")));
  throw Error(Errc::bad_input, fmt::format("{}: unknown verb '{}'{}", words[0], words[1],
                                           did_you_mean(words[1], verbs)));
}

int show_help(Words words) {
  const int width = columns(Stream::output);
  if (words.empty()) {
    print(overview(width));
  } else if (const std::string verbs = overview_of(words[0], width);
             words.size() == 1 && !verbs.empty()) {
    print(verbs);
  } else {
    print(help_of(*take_command(words).command, width));
  }
  return 0;
}

/// The config file's name: it must be known before the settings are resolved.
std::string config_path(const CommandLine& line) {
  if (const auto given = line.values.find("config"); given != line.values.end())
    return given->second.back();
  const char* variable = std::getenv("KILN_CONFIG");
  return variable == nullptr ? "" : variable;
}

int dispatch(Words words) {
  if (words.empty())
    throw Error(Errc::bad_input, "found no command, expected one (kiln --help lists them)");
  if (words[0] == "help" || words[0] == "--help" || words[0] == "-h")
    return show_help({words.begin() + 1, words.end()});
  if (words.size() == 2 && (words[1] == "--help" || words[1] == "-h")) {
    words.pop_back();
    return show_help(std::move(words));
  }
  const Entry& entry = take_command(words);
  auto line = value_or_throw(parse_command_line(*entry.command, std::move(words)));
  if (line.help) {
    print(help_of(*entry.command, columns(Stream::output)));
    return 0;
  }
  auto config = value_or_throw(read_config(config_path(line)));
  auto settings = value_or_throw(resolve(*entry.command, line, config));
  Context context(*entry.command, std::move(settings), std::move(line.arguments),
                  std::move(config));
  print_log(context.text("log"));
  return entry.body(context);
}

int run_words(Words words) {
  const int code = words.size() == 1 && words[0] == "--version"
                       ? (print(fmt::format("kiln {}\n", version())), 0)
                       : dispatch(std::move(words));
  flush_output();
  return code;
}

}  // namespace

int run(int count, char** words) {
  separate_results();
  handle_signals();
  set_default_path();
  int code = 1;
  try {
    code = run_words(Words(words + (count > 0 ? 1 : 0), words + count));
  } catch (const Error& error) {
    complain(error.message());
    code = exit_code(error.code());
  } catch (const ReaderGone&) {
    // The code that a shell shows for a program which SIGPIPE ended.
    std::_Exit(141);
  } catch (const Interrupted&) {
    code = 1;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& error) {
    complain(fmt::format("internal error: {}", error.what()));
  }
  if (interrupted()) end_by_signal();
  return code;
}

}  // namespace kiln::cli
