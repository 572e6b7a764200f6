#include <fmt/format.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "base/data/text.hpp"
#include "base/os/environment.hpp"
#include "cli/command/command.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/help.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "kiln/version.hpp"

namespace kiln::cli {
namespace {

using Words = std::vector<std::string>;

Error unknown_first_word(const Words& words) {
  const std::string& word = words[0];
  if (word.starts_with('-')) {
    constexpr std::string_view options[] = {"--help", "--version"};
    return {Errc::bad_input,
            fmt::format("unknown option '{}'{}", word, did_you_mean(word, options))};
  }
  std::string text = fmt::format("unknown command '{}'", word);
  if (const std::string_view noun = nearest(word, first_words()); !noun.empty()) {
    const auto verbs = verbs_of(noun);
    const std::string_view verb = words.size() > 1 ? nearest(words[1], verbs) : "";
    return {Errc::bad_input,
            fmt::format("{}; did you mean '{}{}{}'?", text, noun, verb.empty() ? "" : " ", verb)};
  }
  // `kiln ls`: the noun is missing.
  std::vector<std::string_view> meant;
  for (const Command* command : shown_commands())
    if (command->name.ends_with(" " + word)) meant.push_back(command->name);
  if (!meant.empty()) text += fmt::format("; did you mean one of {}?", fmt::join(meant, ", "));
  return {Errc::bad_input, text};
}

/// The sub-command at the front of the words, taken off them. Throws for an unknown one.
const Command& take_command(Words& words) {
  if (words.size() > 1) {
    if (const Command* command = find_command(words[0] + " " + words[1])) {
      words.erase(words.begin(), words.begin() + 2);
      return *command;
    }
  }
  if (const Command* command = find_command(words[0])) {
    words.erase(words.begin());
    return *command;
  }
  const auto verbs = verbs_of(words[0]);
  if (verbs.empty()) throw unknown_first_word(words);
  if (words.size() == 1 || words[1].starts_with('-'))
    throw bad_input("{}: missing sub-command, expected one of {}", words[0],
                    fmt::join(verbs, ", "));
  std::string hint = did_you_mean(words[1], verbs);
  if (hint.empty()) hint = fmt::format(", expected one of {}", fmt::join(verbs, ", "));
  throw bad_input("{}: unknown sub-command '{}'{}", words[0], words[1], hint);
}

int show_help(Words words) {
  const int width = columns(Stream::output);
  if (words.empty()) {
    print(overview(width));
  } else if (const std::string verbs = overview_of(words[0], width);
             words.size() == 1 && !verbs.empty()) {
    print(verbs);
  } else {
    print(help_of(take_command(words), width));
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

/// Whether failures are printed as JSON, too. This looks at the words and the environment alone,
/// before the sub-command's settings are resolved, so that a mistyped option is reported in that
/// form as well.
bool asks_for_json(const Words& words) {
  const char* variable = std::getenv("KILN_JSON");
  bool asked = variable != nullptr && to_flag(variable).value_or(false);
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word == "--json" || word == "--no-json") asked = word == "--json";
    if (word.starts_with("--json=")) asked = to_flag(word.substr(7)).value_or(true);
  }
  return asked;
}

/// Standard input and output among the files of the command.
void use_standard_streams(const Command& command, std::vector<Setting>& settings,
                          Words& arguments) {
  const StandardStreams streams = name_standard_streams(command, settings, arguments);
  if (!streams.output_named_by.empty()) print_to_errors();
  if (!streams.input_named_by.empty()) keep_standard_input();
}

int dispatch(Words words, bool& json) {
  if (words.empty()) throw bad_input("missing command (kiln --help lists them)");
  if (words[0] == "help" || words[0] == "--help" || words[0] == "-h")
    return show_help({words.begin() + 1, words.end()});
  if (words.size() == 2 && (words[1] == "--help" || words[1] == "-h")) {
    words.pop_back();
    return show_help(std::move(words));
  }
  const Command& command = take_command(words);
  auto line = value_or_throw(parse_command_line(command, std::move(words)));
  if (line.help) {
    print(help_of(command, columns(Stream::output)));
    return 0;
  }
  auto config = value_or_throw(read_config(config_path(line)));
  auto settings = value_or_throw(resolve(command, line, config));
  use_standard_streams(command, settings, line.arguments);
  Context context(command, std::move(settings), std::move(line.arguments), std::move(config));
  json = context.defines("json") && context.flag("json");
  print_log(context.text("log"));
  check_written_files(context);
  return command.body(context);
}

int run_words(Words words, bool& json) {
  const bool version_only = words.size() == 1 && (words[0] == "--version" || words[0] == "-V");
  const int code =
      version_only ? (print("kiln {}\n", version()), 0) : dispatch(std::move(words), json);
  flush_output();
  return code;
}

/// Says that a signal ended the command, to programs that read JSON.
int tell_interruption(bool json) {
  const int code = 128 + received_signal();
  if (json) print_failure_json("stopped by a signal", "interrupted", code);
  return code;
}

/// Says why the command failed; after a signal only that it was interrupted.
int fail_with(std::string_view message, std::string_view kind, int code, bool json) {
  if (interrupted()) return tell_interruption(json);
  // Only a compiler's log has lines: a name must not begin one.
  complain(kind == name_of(Errc::build) ? std::string(message) : one_line(message));
  if (json) print_failure_json(message, kind, code);
  return code;
}

/// Runs the command, and turns what it throws into a message and an exit code. `has_lost_device`:
/// a device failed, and its driver may still be at work.
int run_and_tell(Words words, bool& has_lost_device) {
  bool json = asks_for_json(words);
  try {
    return run_words(std::move(words), json);
  } catch (const Error& error) {
    has_lost_device = error.code() == Errc::device;
    return fail_with(error.message(), name_of(error.code()), exit_code(error.code()), json);
  } catch (const Interrupted&) {
    return tell_interruption(json);
  } catch (const std::bad_alloc&) {
    return fail_with("out of memory", "out_of_memory", 1, json);
  } catch (const ReaderGone&) {
    throw;
  } catch (const std::exception& error) {
    return fail_with(fmt::format("internal error: {}", error.what()), name_of(Errc::internal), 1,
                     json);
  }
}

}  // namespace

int run(int count, char** words) {
  separate_results();
  handle_signals();
  set_default_path();
  int code = 1;
  bool has_lost_device = false;
  try {
    code = run_and_tell(Words(words + (count > 0 ? 1 : 0), words + count), has_lost_device);
    flush_output();
  } catch (const ReaderGone&) {
    // The code that a shell shows for a program which SIGPIPE ended.
    std::_Exit(141);
  } catch (const std::exception&) {
    // Standard output takes nothing any more; that was said, or the failure was, on the other.
  }
  if (interrupted()) end_by_signal();
  // The end of a process takes the driver's libraries from under threads that still compile or run.
  if (has_lost_device) std::_Exit(code);
  return code;
}

}  // namespace kiln::cli
