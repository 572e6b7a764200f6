// `kiln exec`: runs any OpenCL program with Kiln's layer, so that what it builds comes from the
// store.
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>

#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/exec/explanation.hpp"
#include "cli/exec/program.hpp"
#include "cli/output/output.hpp"
#include "cli/profile/profile.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/resolver/resolver.hpp"
#include "store/default_store.hpp"

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
  (void)value_or_throw(open_store(store_settings_of(context)));  // says what is wrong with them
  for (const Option& option : {options::store, options::system_store, options::shared_store,
                               options::shared_timeout, options::store_size})
    pass_on(context, option);
  set_variable("OPENCL_LAYERS", with_layer(find_layer().string(), environment("OPENCL_LAYERS")));
  // Whoever has switched it off means all programs.
  const std::string wish = environment("KILN_LAYER");
  if (wish != "off" && wish != "0") set_variable("KILN_LAYER", "on");
  if (context.flag("tune")) set_variable("KILN_LAYER_TUNE", "1");
}

// What is told when the program has ended.

/// Next to the page.
fs::path json_of(const fs::path& page) { return fs::path(page).replace_extension(".json"); }

/// The JSON is named by no option, so whether it is another file was not looked at.
void check_json_name(const Context& context) {
  if (!context.has("profile")) return;
  std::vector<NamedFile> written{
      {"--profile", context.text("profile")},
      {"the JSON of --profile", json_of(context.text("profile")).string()}};
  if (context.has("trace")) written.push_back({"--trace", context.text("trace")});
  check_written_files(written, {});
}

/// A folder for what the program's processes write down, and what is made of it.
class Measured {
 public:
  explicit Measured(const Context& context)
      : context_(context), folder_(value_or_throw(TemporaryFolder::create("kiln-exec"))) {
    if (explains()) set_variable("KILN_LAYER_REPORT", report().string());
    if (!profiles()) return;
    fs::create_directory(profile_folder());
    set_variable("KILN_LAYER_PROFILE", profile_folder().string());
    if (context.has("trace")) set_variable("KILN_LAYER_TRACE", "1");
  }

  void tell() {
    if (explains() && fs::exists(report()))
      print_report(read_text(report()).value_or(""));
    else if (explains())
      complain(
          "no process of the program had the layer: it does not use OpenCL, or its loader "
          "takes no layers");
    if (!profiles()) return;
    // What is measured now is this process's own.
    for (const char* name : {"OPENCL_LAYERS", "KILN_LAYER_PROFILE", "KILN_LAYER_TRACE"})
      ::unsetenv(name);
    auto profile = profile::read_profile(profile_folder());
    folder_.reset();  // a signal would leave it
    if (context_.has("trace")) profile::write_profile_trace(profile, context_.text("trace"));
    if (!context_.has("profile")) return;
    profile::count_operations_of(profile);
    // Whoever does not want to wait for the roofs has a page without them.
    write_page(profile);
    const EndsAtOnce measuring;
    Resolver resolver(value_or_throw(open_store(store_settings_of(context_))));
    profile::measure_roofs(profile, resolver.findings());
    resolver.finish();
    write_page(profile);
  }

 private:
  void write_page(const profile::Profile& profile) const {
    const fs::path page = context_.text("profile");
    profile::write_profile_page(profile, page);
    profile::write_profile_json(profile, json_of(page));
  }
  bool explains() const { return context_.flag("explain"); }
  bool profiles() const { return context_.has("profile") || context_.has("trace"); }
  fs::path report() const { return folder_->path() / "report.jsonl"; }
  fs::path profile_folder() const { return folder_->path() / "profile"; }

  const Context& context_;
  std::optional<TemporaryFolder> folder_;
};

int run_and_tell(const Context& context) {
  ProgramEnd end;
  {
    Measured measured(context);
    end = run_program(context.arguments());
    try {
      measured.tell();
    } catch (const std::exception& error) {
      // The program's own end is what matters most.
      if (end.exit_code == 0 && end.signal == 0) throw;
      complain(error.what());
    } catch (const ReaderGone&) {
      if (end.exit_code == 0 && end.signal == 0) throw;
    }
  }
  return end_like(end);
}

int exec(Context& context) {
  check_json_name(context);
  set_environment(context);
  if (context.flag("explain") || context.has("profile") || context.has("trace"))
    return run_and_tell(context);
  become_program(context.arguments());
}

constexpr Option explain = Option::flag(
    "explain",
    "When the program has ended, says on standard error how each program that it built was found "
    "or made: which layer of the store answered, what that cost, which variants its launches "
    "needed, and what was left to the driver and why.");

constexpr Option profile_page = Option::file(
    "profile", "OUT.html",
    "When the program has ended, writes a page about its kernels: calls, times, sizes, bytes and "
    "operations a second, under the roofs of the device, which are measured once. The same as JSON "
    "is written next to it.",
    Access::write);
constexpr Option trace =
    Option::file("trace", "OUT.json",
                 "Writes launches and transfers as spans, a lane for each queue, for Perfetto or "
                 "chrome://tracing.",
                 Access::write);
constexpr Option tune = Option::flag(
    "tune",
    "Tries local sizes for kernels that the program launches without one, over its own launches, "
    "and keeps what is faster for later starts. Only kernels whose text proves that their results "
    "cannot depend on it are touched.");

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
        "to set KILN_LAYER=on and the variables of the options below. With --explain, --profile "
        "and --trace it waits for the program, in the same process group, and ends as that did.",
    .options = {{explain, profile_page, trace, tune, options::store, options::system_store,
                 options::shared_store, options::shared_timeout, options::store_size}},
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
                 {"kiln exec --profile out.html -- ./solver",
                  "Which kernels take the time, and how near are they to the device's limits?"},
                 {"kiln exec --tune --explain -- ./solver",
                  "Looks for local sizes that are faster than the driver's own."},
                 {"kiln exec --store /var/cache/kiln -- ./solver --steps 10",
                  "With a store that other programs share."}},
    .body = exec,
};

}  // namespace kiln::cli
