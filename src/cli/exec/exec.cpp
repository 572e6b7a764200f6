// `kiln exec`: runs any OpenCL program with Kiln's layer, so that what it builds comes from the
// store.
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/exec/explanation.hpp"
#include "cli/exec/program.hpp"
#include "kernel/apart/helper.hpp"

namespace kiln::cli {
namespace {

namespace fs = std::filesystem;

void set_variable(const std::string& name, const std::string& value) {
  ::setenv(name.c_str(), value.c_str(), 1);
}

// The layer.

/// Where builds and installations have it, seen from this program. Throws Error (unsupported).
fs::path find_layer() {
  constexpr const char* name = "libkiln-layer.so";
  for (const char* folder : {"../lib/", "../" KILN_LIBDIR "/", ""})
    if (fs::path found = find_helper(std::string(folder) + name); !found.empty()) return found;
  throw Error(Errc::unsupported,
              fmt::format("missing library {}, expected it in ../lib of kiln's folder", name));
}

/// First, which is nearest to the driver: some loaders show the program's own children the first
/// one alone.
std::string with_layer(const std::string& layer, const std::string& others) {
  std::string list = layer;
  for (const std::string& other : split(others, ':'))
    if (!other.empty() && other != layer) list += ":" + other;
  return list;
}

// Settings, which the layer has from the environment alone.

/// An option where the user gave it, wherever that was.
void pass_on(const Context& context, const Option& option) {
  if (!context.is_given(option.name)) return;
  std::string value = context.text(option.name);
  // The program may go to another folder.
  if (option.kind == Kind::folder && value != "off") value = fs::absolute(value).string();
  set_variable(variable_of(option), value);
}

void set_environment(const Context& context) {
  (void)store_settings_of(context);  // says what is wrong with them
  for (const Option& option : {options::store, options::system_store, options::shared_store,
                               options::shared_timeout, options::store_size})
    pass_on(context, option);
  set_variable("OPENCL_LAYERS", with_layer(find_layer().string(), environment("OPENCL_LAYERS")));
  set_variable("KILN_LAYER", "on");
}

// What is told when the program has ended.

/// The program's run is reported into this folder's file.
int run_and_explain(const ProgramWords& words) {
  ProgramEnd end;
  {
    const auto folder = value_or_throw(TemporaryFolder::create("kiln-exec"));
    const fs::path report = folder.path() / "report.jsonl";
    set_variable("KILN_LAYER_REPORT", report.string());
    end = run_program(words);
    print_report(read_text(report).value_or(""));
  }
  return end_like(end);
}

int exec(Context& context) {
  set_environment(context);
  if (context.flag("explain")) return run_and_explain(context.arguments());
  become_program(context.arguments());
}

constexpr Option explain = Option::flag(
    "explain",
    "When the program has ended, says on standard error how each program that it built was found "
    "or made: which layer of the store answered, what that cost, which variants its launches "
    "needed, and what was left to the driver and why.");

}  // namespace

const Command exec_command{
    .name = "exec",
    .summary = "run any OpenCL program so that what it builds comes from the store",
    .description =
        "Runs a program, unchanged, with Kiln's OpenCL layer: what the program has the driver "
        "compile is kept in the store, and its next start compiles nothing. The program need not "
        "know Kiln. It is served as the driver would serve it; what the layer cannot serve exactly "
        "it passes on.\n\n"
        "The program takes the place of this command, so that its exit code, signals and standard "
        "streams are its own. All that the command does is to put the layer in front of "
        "OPENCL_LAYERS, which OpenCL's loader reads (ocl-icd from 2.3.0, Khronos' from 2020), and "
        "to set KILN_LAYER=on and the variables of the options below. With --explain it waits for "
        "the program, in the same process group, and ends as that did.",
    .options = {{explain, options::store, options::system_store, options::shared_store,
                 options::shared_timeout, options::store_size}},
    .positional = {.value_name = "PROGRAM",
                   .help = "The program, looked for in PATH, and its arguments; -- goes before it "
                           "where one of them begins with -.",
                   .least = 1,
                   .most = any_number,
                   .kind = Kind::file,
                   .access = Access::none,
                   .access_rest = Access::none},
    .examples = {{"kiln exec -- darktable-cli in.raw out.png",
                  "From the second start on its programs come from the store."},
                 {"kiln exec --explain -- clpeak", "What was served, and what did it cost?"},
                 {"kiln exec --store /var/cache/kiln -- ./solver --steps 10",
                  "With a store that other programs share."}},
    .body = exec,
};

}  // namespace kiln::cli
