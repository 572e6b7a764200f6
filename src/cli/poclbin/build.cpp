// `kiln poclbin build`: an archive that starts without a compiler, and a run that proves it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/run/options.hpp"
#include "kernel/archives/archive_build.hpp"
#include "kernel/request/request.hpp"

namespace kiln::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using StartOutcome = ProvenStart::Outcome;

std::array<std::uint32_t, 3> size_of(const std::string& text) {
  std::array<std::uint32_t, 3> size{1, 1, 1};
  const auto given = parse_local_size(text);
  if (given.empty())
    throw bad_input("--local-size: the value is empty, expected numbers, as 64 or 16x16");
  std::copy(given.begin(), given.end(), size.begin());
  return size;
}

DevicePtr chosen_pocl_device(const Context& context) {
  const auto devices = value_or_throw(select_devices(context.text("devices")));
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [](const DevicePtr& device) { return device->pocl; });
  if (found == devices.end())
    throw Error(Errc::unsupported,
                fmt::format("--devices: {} is not a PoCL device; only PoCL has program archives",
                            devices.front()->name));
  return *found;
}

ArchiveBuild build_of(const Context& context, const std::string& path) {
  ArchiveBuild build;
  std::vector<fs::path> folders{fs::path(path).parent_path()};
  for (const auto& folder : context.list("include")) folders.emplace_back(folder);
  build.source = value_or_throw(load_source(path, folders));
  build.options = value_or_throw(build_options(macros_of(context), context.list("build-option")));
  build.kernels = context.list("kernel");
  for (const auto& text : context.list("local-size")) build.local_sizes.push_back(size_of(text));
  build.large_grids = context.flag("large-grids");
  build.with_offset = context.flag("with-offset");
  build.keep_bitcode = context.flag("keep-bitcode");
  if (context.has("keep-intermediates")) {
    build.intermediates = fs::absolute(context.text("keep-intermediates"));
    if (fs::exists(build.intermediates))
      throw bad_input("--keep-intermediates: {} exists already, expected a new folder",
                      context.text("keep-intermediates"));
  }
  build.label = path;
  return build;
}

std::string outcome_text(const ProvenStart& start) {
  const std::string which =
      start.made.empty() ? "no compiler" : "the driver compiled: it made " + start.made.front();
  switch (start.outcome) {
    case StartOutcome::ran:
      return fmt::format("{}; the first launch was done after {:.0f} ms", which,
                         start.seconds * 1000);
    case StartOutcome::died:
      return fmt::format("{}; the kernel did not survive made-up arguments ({})", which,
                         start.detail);
    case StartOutcome::hung:
      return which + "; the kernel did not end on made-up arguments";
    case StartOutcome::skipped:
      break;
  }
  return "not tried: " + start.detail;
}

/// In the order of StartOutcome.
constexpr std::string_view outcome_names[] = {"ran", "died", "hung", "not tried"};

void print_built(const std::string& file, const BuiltArchive& built, const Device& device) {
  Json starts = Json::array();
  for (const auto& start : built.starts)
    starts.push_back({{"kernel", start.kernel},
                      {"variant", start.variant},
                      {"compiler_needed", !start.made.empty()},
                      {"outcome", outcome_names[static_cast<int>(start.outcome)]},
                      {"seconds", start.seconds},
                      {"detail", start.detail},
                      {"made", start.made}});
  const Json json{{"file", file},
                  {"bytes", built.bytes.size()},
                  {"device", device.name},
                  {"starts_without_compiler", starts_without_compiler(built.starts)},
                  {"starts", starts}};
  print_json(json);
}

void print_archive(const std::string& file, const BuiltArchive& built, const Device& device) {
  print("{}: {} bytes, {} in {} for {}\n", file, built.bytes.size(),
        plural(built.variants.size(), "variant"),
        plural(value_or_throw(poclbin::parse(built.bytes)).kernels.size(), "kernel"), device.name);
  for (const auto& start : built.starts) {
    const auto held = std::any_of(built.variants.begin(), built.variants.end(), [&](auto& each) {
      return each.kernel == start.kernel && each.variant.folder() == start.variant;
    });
    const bool good = start.made.empty() && start.outcome != StartOutcome::skipped;
    print("  {} {}{}: {}\n", start.kernel, start.variant, held ? "" : " (the generic function)",
          styled(good ? Style::good : Style::bad, outcome_text(start)));
  }
}

int poclbin_build(Context& context) {
  const std::string& output = required_output(context);
  const ArchiveBuild build = build_of(context, context.arguments().front());
  const auto device = chosen_pocl_device(context);
  const auto built = value_or_throw(build_archive(*device, build));
  value_or_throw(write_file(output, built.bytes));
  context.flag("json") ? print_built(output, built, *device)
                       : print_archive(output, built, *device);
  return starts_without_compiler(built.starts) ? 0 : 1;
}

}  // namespace

const Command poclbin_build_command{
    .name = "poclbin build",
    .summary = "make a program archive that starts without a compiler",
    .description =
        "Compiles a kernel file for a device of PoCL and the local sizes that are given, and "
        "writes an archive that holds them, each kernel's generic function for all other sizes, "
        "and no bitcode, so that the driver has nothing to compile from. No path of this machine "
        "is inside.\n\n"
        "Then the proof: each variant is launched once in a process of its own, with an empty "
        "cache and with no compiler and no linker in reach, on made-up arguments (zeros), and the "
        "driver's cache is searched for files that are not the archive's. A kernel may fail on "
        "such arguments; that says nothing about the archive.\n\n"
        "The exit code is 1 where the proof fails; the archive is written all the same.",
    .options =
        {{Option::text("local-size", "N[xN[xN]]",
                       "A local size to compile for, as 64 or 16x16; again for further ones. "
                       "Kernels with a required size are compiled for that one.")
              .repeatable(),
          Option::text("kernel", "NAME",
                       "A kernel that gets these sizes; without it all kernels of the file do.")
              .repeatable(),
          Option::text("define", "NAME[=VALUE]", "A macro for the kernel source.")
              .repeatable()
              .with_letter('D'),
          Option::folder("include", "DIR",
                         "A folder in which included files are looked for, after the source's own.")
              .repeatable()
              .with_letter('I'),
          Option::text("build-option", "OPTION",
                       "Another option for the driver's compiler, such as -cl-fast-relaxed-math.")
              .repeatable(),
          Option::flag("large-grids",
                       "Also compiles each size for grids of 65,535 work-items and more."),
          Option::flag("with-offset", "Also compiles each size for launches with a global offset."),
          Option::flag("keep-bitcode",
                       "Keeps program.bc: then the driver compiles for other local sizes at their "
                       "launch, in place of using the generic function."),
          Option::folder("keep-intermediates", "DIR",
                         "A new folder for all that the driver made on its way (source, bitcode, "
                         "objects), for bug reports."),
          Option::text("devices", "LIST",
                       "The device to compile for, as for kiln run; the first of PoCL's is taken.",
                       "all"),
          options::output, options::json}},
    .positional = Positional::file("KERNEL.cl", "An OpenCL C file."),
    .examples = {{"kiln poclbin build kernel.cl --local-size 64 --local-size 128 -o app.poclbin",
                  "Two local sizes in one file, and the generic function for all others."}},
    .body = poclbin_build,
};

}  // namespace kiln::cli
