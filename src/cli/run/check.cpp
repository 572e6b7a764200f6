// `kiln check`: is this specification file right?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/run/options.hpp"
#include "spec/run/job.hpp"

namespace kiln::cli {
namespace {

constexpr Option check_options[] = {
    options::set,        options::set_if,
    options::source_dir, options::dialect,
    options::json,       {.name = "quiet", .help = "Prints errors only.", .letter = 'q'},
};

constexpr Example check_examples[] = {
    {"kiln check vector_add.json", "Is this file right?"},
    {"kiln check --json specs/*.json", "Checks many, for a program to read."},
};

using MessageSeverity = spec::Message::Severity;

const char* severity_name(MessageSeverity severity) {
  return severity == MessageSeverity::error ? "error" : "warning";
}

struct Counts {
  std::size_t errors = 0, warnings = 0;
};

Counts counts_of(const std::vector<spec::Message>& messages) {
  Counts counts;
  for (const spec::Message& message : messages)
    ++(message.severity == MessageSeverity::error ? counts.errors : counts.warnings);
  return counts;
}

nlohmann::ordered_json json_of(const std::string& file,
                               const std::vector<spec::Message>& messages) {
  auto list = nlohmann::ordered_json::array();
  for (const spec::Message& message : messages)
    list.push_back({{"severity", severity_name(message.severity)},
                    {"line", message.line},
                    {"column", message.column},
                    {"attribute", message.attribute},
                    {"text", message.text}});
  return {{"spec", file}, {"ok", counts_of(messages).errors == 0}, {"messages", std::move(list)}};
}

/// Findings go to standard error, as a compiler's do; the verdict is the result.
void print_messages(const std::string& file, const std::vector<spec::Message>& messages,
                    bool quiet) {
  for (const spec::Message& message : messages) {
    if (quiet && message.severity == MessageSeverity::warning) continue;
    complain(message.render());
  }
  if (quiet) return;
  const Counts found = counts_of(messages);
  if (found.errors > 0) {
    print(fmt::format("{}: {}\n", file, plural(found.errors, "error")));
  } else if (found.warnings > 0) {
    print(fmt::format("{}: ok, {}\n", file, plural(found.warnings, "warning")));
  } else {
    print(fmt::format("{}: ok\n", file));
  }
}

/// Warns of a correct file whose kernel's source is not found. It is no error: the file may be
/// written before its kernel, or meant for another --source-dir.
void look_for_source(const std::string& file, spec::SpecDialect dialect,
                     const std::vector<std::filesystem::path>& folders,
                     std::vector<spec::Message>& messages) {
  if (counts_of(messages).errors > 0) return;
  const auto loaded = spec::load_spec(file, dialect);
  if (!loaded) return;
  const auto source = spec::source_place(*loaded, folders);
  if (source) return;
  messages.push_back({MessageSeverity::warning, file, 0, 0, "src", source.error().message()});
}

}  // namespace

constinit const Command check_command{
    .name = "check",
    .summary = "check specification files",
    .description =
        "Reads each file and lists all that is wrong or doubtful about it: the line, the "
        "attribute, what was found and what was expected. Sizes are tried with the values of "
        "--set and --set-if, and with the defaults for the other symbols. A source file that is "
        "not found is a warning. No device is touched.\n\n"
        "The exit code is 2 where a file has an error; warnings leave it 0.",
    .options = check_options,
    .positional = spec_files,
    .examples = check_examples,
};

int check_specs(Context& context) {
  const EndsAtOnce reading;
  const spec::SpecDialect dialect = dialect_of(context);
  const spec::Symbols symbols = symbols_of(context);
  const bool json = context.flag("json"), quiet = context.flag("quiet");
  const auto& named = context.list("source-dir");
  const std::vector<std::filesystem::path> folders(named.begin(), named.end());
  bool all_right = true;
  Progress progress("check", context.arguments().size());
  for (const std::string& file : context.arguments()) {
    stop_if_interrupted();
    progress.note(file);
    auto messages = spec::check_spec(file, dialect, symbols);
    look_for_source(file, dialect, folders, messages);
    all_right = all_right && counts_of(messages).errors == 0;
    progress.hide();
    if (json) {
      print_json(json_of(file, messages));
    } else {
      print_messages(file, messages, quiet);
    }
    progress.advance();
  }
  return all_right ? 0 : exit_code(Errc::bad_input);
}

}  // namespace kiln::cli
