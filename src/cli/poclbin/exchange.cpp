// `kiln poclbin export` and `import`: archives out of the store and into it.
#include "kernel/archives/exchange.hpp"

#include <fmt/format.h>

#include "base/os/file.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/poclbin/archive_file.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/run/options.hpp"
#include "spec/run/job.hpp"

namespace kiln::cli {
namespace {

constexpr Option export_options[] = {
    options::set,          options::set_if,       options::dialect,
    options::source_dir,   options::devices,      options::store,
    options::system_store, options::shared_store, options::shared_timeout,
    options::store_size,   options::compile,      options::output,
};
constexpr Option import_options[] = {
    options::set,          options::set_if,       options::dialect,
    options::source_dir,   options::devices,      options::store,
    options::system_store, options::shared_store, options::shared_timeout,
    options::store_size,   options::compile,
};
constexpr Example export_examples[] = {
    {"kiln poclbin export saxpy.json -o saxpy.poclbin",
     "The program that earlier runs of this spec have put into the store."},
};
constexpr Example import_examples[] = {
    {"kiln poclbin import saxpy.json saxpy.poclbin",
     "From now on kiln run saxpy.json starts from this archive."},
};

/// The program that a run of this spec would ask for.
Request request_of(const Context& context, const std::string& file) {
  const auto spec = value_or_throw(spec::load_spec(file, dialect_of(context)));
  const auto bound = value_or_throw(spec::bind(spec, symbols_of(context)));
  std::vector<std::filesystem::path> folders;
  for (const auto& folder : context.list("source-dir")) folders.emplace_back(folder);
  auto source = value_or_throw(spec::load_kernel_source(spec, folders));
  value_or_throw(spec::check_source_stays(*source, files_written_by(context)));
  return value_or_throw(spec::make_request(spec, bound, std::move(source)));
}

const DevicePtr& pocl_device(Runtime::State& runtime) {
  for (const auto& device : runtime.devices())
    if (device->pocl) return device;
  throw Error(Errc::unsupported,
              "--devices: none of them is a PoCL device; only PoCL has program "
              "archives");
}

}  // namespace

constinit const Command poclbin_export_command{
    .name = "poclbin export",
    .summary = "write the stored program of a spec as a program archive",
    .description =
        "Writes the archive that the store holds for the kernel of a specification file, with the "
        "local sizes that runs have asked for so far. Other programs can load it by "
        "clCreateProgramWithBinary.",
    .options = export_options,
    .positional = {.value_name = "SPEC",
                   .help = "A specification file.",
                   .least = 1,
                   .most = 1,
                   .kind = Kind::file},
    .examples = export_examples,
};

constinit const Command poclbin_import_command{
    .name = "poclbin import",
    .summary = "take a program archive into the store for a spec",
    .description =
        "Puts an archive into the store as the program of a specification file's kernel, so that "
        "runs start from it. It is verified strictly, must be for this machine's device, must hold "
        "the kernel, and its objects must be ones that the driver takes. What the machine code in "
        "it does cannot be checked: import what you trust to be built from this source.\n\n"
        "Where the store has other contents for the program, the archive gets another build hash: "
        "PoCL would go on running what it knows under the old one.",
    .options = import_options,
    .positional = {.value_name = "SPEC ARCHIVE",
                   .help = "A specification file and a program archive.",
                   .least = 2,
                   .most = 2,
                   .kind = Kind::file},
    .examples = import_examples,
};

int poclbin_export(Context& context) {
  const std::string& output = required_output(context);
  const auto request = request_of(context, context.arguments().front());
  const auto runtime = make_runtime(context);
  const Bytes bytes =
      value_or_throw(export_archive(runtime->resolver(), request, *pocl_device(*runtime)));
  value_or_throw(write_file(output, bytes));
  complain(fmt::format("note: {}: {} bytes", output, bytes.size()));
  return 0;
}

int poclbin_import(Context& context) {
  auto request = request_of(context, context.arguments()[0]);
  const std::string& path = context.arguments()[1];
  const auto archive = read_real_archive(path, "names no device and no kernels");
  if (archive.real()->find(request.label) == nullptr)
    throw Error(Errc::refused, fmt::format("{}: it has no kernel '{}'", path, request.label));
  const auto runtime = make_runtime(context);
  const auto imported =
      import_archive(runtime->resolver(), request, pocl_device(*runtime), archive.bytes);
  if (!imported) throw Error(imported.error().code(), path + ": " + imported.error().message());
  print(fmt::format("{}: {}, {} in the store under build hash {}{}\n", path,
                    plural(imported->kernels.size(), "kernel"),
                    plural(imported->variants, "variant"), imported->build_hash,
                    imported->renewed ? " (renewed: the store had other contents)" : ""));
  return 0;
}

}  // namespace kiln::cli
