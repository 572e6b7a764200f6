// Before a run: `kiln check`, is this specification file right; `kiln init`, one for a kernel, to
// be completed.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/run/options.hpp"
#include "spec/init_spec.hpp"
#include "spec/run/job.hpp"
#include "spec/run/program_check.hpp"

namespace kiln::cli {
namespace {

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
    print("{}: {}\n", file, plural(found.errors, "error"));
  } else if (found.warnings > 0) {
    print("{}: ok, {}\n", file, plural(found.warnings, "warning"));
  } else {
    print("{}: ok\n", file);
  }
}

/// Warns of a correct file whose kernel's source is not found. It is no error: the file may be
/// written before its kernel, or meant for another --source-dir. Where it is there, the file is
/// held against it.
void look_for_source(const std::string& file, spec::SpecDialect dialect,
                     const spec::Symbols& symbols,
                     const std::vector<std::filesystem::path>& folders,
                     std::vector<spec::Message>& messages) {
  if (counts_of(messages).errors > 0) return;
  const auto loaded = spec::load_spec(file, dialect);
  if (!loaded) return;
  const auto place = spec::source_place(*loaded, folders);
  if (!place) {
    const auto severity =
        place.error().code() == Errc::not_found ? MessageSeverity::warning : MessageSeverity::error;
    messages.push_back({severity, file, 0, 0, "src", place.error().message()});
    return;
  }
  const auto source = spec::load_kernel_source(*loaded, folders);
  if (!source) {
    // An include may be another machine's.
    const auto severity =
        is_module_file(*place) ? MessageSeverity::error : MessageSeverity::warning;
    messages.push_back({severity, file, 0, 0, "src", source.error().message()});
    return;
  }
  const auto bound = spec::bind(*loaded, symbols);
  for (auto& message : spec::check_program(*loaded, bound ? &*bound : nullptr, **source))
    messages.push_back(std::move(message));
}

int check_specs(Context& context) {
  const EndsAtOnce reading;
  const spec::SpecDialect dialect = dialect_of(context);
  const spec::Symbols symbols = symbols_of(context);
  const bool json = context.flag("json"), quiet = context.flag("quiet");
  const auto folders = context.paths("source-dir");
  bool all_right = true;
  Progress progress("check", context.arguments().size());
  for (const std::string& file : context.arguments()) {
    stop_if_interrupted();
    progress.note(file);
    auto messages = spec::check_spec(file, dialect, symbols);
    look_for_source(file, dialect, symbols, folders, messages);
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

/// How the file at `output` names the source: by a path that find_source() follows.
std::string source_name(const std::filesystem::path& source, const std::filesystem::path& output) {
  const auto folder = std::filesystem::absolute(output).parent_path();
  const auto relative = std::filesystem::absolute(source).lexically_normal().lexically_relative(
      folder.lexically_normal());
  return relative.empty() ? std::filesystem::absolute(source).string() : relative.string();
}

int init_spec_file(Context& context) {
  const std::filesystem::path source = context.arguments().front();
  std::vector<std::filesystem::path> folders{source.parent_path()};
  for (const auto& folder : context.list("source-dir")) folders.emplace_back(folder);
  spec::InitRequest request;
  request.source = value_or_throw(load_source(source, folders));
  const auto& kernels = context.list("kernel");
  if (kernels.size() > 1)
    throw bad_input("--kernel: found {} kernels, expected one: a file has one kernel",
                    kernels.size());
  if (!kernels.empty()) request.kernel = kernels.front();
  request.macros = macros_of(context);
  // The file's default name depends on the kernel; its folder does not.
  std::filesystem::path output = context.text("output");
  request.src = source_name(source, output.empty() ? source : output);
  const auto file = value_or_throw(spec::init_spec(request));
  if (output.empty()) output = source.parent_path() / (file.kernel + ".json");
  write_new_or_advise(output, as_bytes(file.text), 0644, "--output FILE names another");
  const std::string shown = one_line(output.string());
  print_either(context.flag("json"),
               {{"file", output.string()}, {"kernel", file.kernel}, {"fill_in", file.marks}},
               fmt::format("{}: {} to fill in (kiln check {} lists them)\n", shown,
                           plural(file.marks, "place"), shown));
  return 0;
}

}  // namespace

const Command check_command{
    .name = "check",
    .summary = "check specification files",
    .description =
        "Reads each file and lists all that is wrong or doubtful about it: the line, the "
        "attribute, what was found and what was expected. Sizes are tried with the values of --set "
        "and --set-if, and with the defaults for the other symbols. A source file that is not "
        "found is a warning, a kernel that it lacks an error. No device is touched.\n\n"
        "The exit code is 2 where a file has an error; warnings leave it 0.",
    .options = {{options::set, options::set_if, options::source_dir, options::dialect,
                 options::json, Option::flag("quiet", "Prints errors only.").with_letter('q')}},
    .positional = spec_files,
    .examples = {{"kiln check vector_add.json", "Is this file right?"},
                 {"kiln check --json specs/*.json", "Checks many, for a program to read."}},
    .body = check_specs,
};

const Command init_command{
    .name = "init",
    .summary = "write a specification file for a kernel, to be completed",
    .description =
        "Reads an OpenCL source file and writes a specification file for one of its kernels: its "
        "arguments with their types, what it reads and what it writes. What the source does not "
        "say, such as sizes and values, is marked with FILL IN and what belongs there; kiln check "
        "lists what is left. No device is touched, and no file is overwritten.",
    .options = {{Option::text("kernel", "NAME",
                              "The kernel that the file is for, where the source has several.")
                     .repeatable(),
                 Option::file(
                     "output", "FILE",
                     "The file to write. Default: the kernel's name with .json, next to the "
                     "source. A file that exists is never overwritten.",
                     Access::update),
                 Option::text("define", "NAME[=VALUE]",
                              "A macro for the kernel source; it goes into the file, too.")
                     .repeatable()
                     .with_letter('D'),
                 options::source_dir, options::json}},
    .positional = Positional::file("SOURCE", "The OpenCL source file.", Access::update),
    .examples = {{"kiln init blur.cl", "Writes blur.json for the only kernel of blur.cl."},
                 {"kiln init all.cl --kernel sum --define TYPE=float",
                  "Chooses a kernel, and sets a macro."}},
    .body = init_spec_file,
};

}  // namespace kiln::cli
