// Program archives as files, and out of the store and into it: `kiln poclbin export` and `import`.
#include "cli/poclbin/archive_file.hpp"

#include <fmt/format.h>

#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/run/options.hpp"
#include "kernel/archives/exchange.hpp"
#include "kiln/formats/poclbin.hpp"
#include "spec/run/job.hpp"

namespace kiln::cli {
namespace {

/// The largest archive that is read; PoCL's own writer stops at 256 MiB.
constexpr std::uint64_t most_archive_bytes = std::uint64_t{1} << 30;

}  // namespace

Bytes read_archive_bytes(const std::string& path) {
  return value_or_throw(read_input(path, most_archive_bytes));
}

ArchiveFile read_archive(const std::string& path) {
  const EndsAtOnce reading;
  ArchiveFile file{path, read_archive_bytes(path), {}};
  if (poclbin::form_of(file.bytes) == poclbin::Form::wiki)
    file.model = value_or_bad_input(path, poclbin::wiki::parse(file.bytes));
  else
    file.model = value_or_bad_input(path, poclbin::parse(file.bytes));
  return file;
}

ArchiveFile read_real_archive(const std::string& path, std::string_view why) {
  ArchiveFile file = read_archive(path);
  if (file.real() == nullptr) throw bad_input("{}: found the wiki's layout, which {}", path, why);
  return file;
}

std::string layout_text(poclbin::Form form, std::uint32_t version) {
  return fmt::format("{} layout, version {}", poclbin::name_of(form), version);
}

std::string json_of(const ArchiveFile& file) {
  return file.real() != nullptr ? poclbin::to_json(*file.real()) : poclbin::to_json(*file.wiki());
}

namespace {

/// The program that a run of this spec would ask for.
Request request_of(const Context& context, const std::string& file) {
  const auto spec = value_or_throw(spec::load_spec(file, dialect_of(context)));
  const auto bound = value_or_throw(spec::bind(spec, symbols_of(context)));
  auto source = value_or_throw(spec::load_kernel_source(spec, context.paths("source-dir")));
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

int poclbin_export(Context& context) {
  const std::string& output = required_output(context);
  const auto request = request_of(context, context.arguments().front());
  const auto runtime = make_runtime(context);
  const Bytes bytes =
      value_or_throw(export_archive(runtime->resolver(), request, *pocl_device(*runtime)));
  value_or_throw(write_file(output, bytes));
  complain("note: {}: {} bytes", output, bytes.size());
  return 0;
}

int poclbin_import(Context& context) {
  auto request = request_of(context, context.arguments()[0]);
  const std::string& path = context.arguments()[1];
  const auto archive = read_real_archive(path, "names no device and no kernels");
  if (archive.real()->find(request.label) == nullptr)
    throw Error(Errc::refused, fmt::format("{}: it has no kernel '{}'", path, request.label));
  const auto runtime = make_runtime(context);
  const auto imported = value_or_named(
      path, import_archive(runtime->resolver(), request, pocl_device(*runtime), archive.bytes));
  print("{}: {}, {} in the store under build hash {}{}\n", path,
        plural(imported.kernels.size(), "kernel"), plural(imported.variants, "variant"),
        imported.build_hash, imported.renewed ? " (renewed: the store had other contents)" : "");
  return 0;
}

}  // namespace

const Command poclbin_export_command{
    .name = "poclbin export",
    .summary = "write the stored program of a spec as a program archive",
    .description =
        "Writes the archive that the store holds for the kernel of a specification file, with the "
        "local sizes that runs have asked for so far. Other programs can load it by "
        "clCreateProgramWithBinary.",
    .options = {{options::set, options::set_if, options::dialect, options::source_dir,
                 options::devices},
                options::stores,
                {options::output}},
    .positional = Positional::file("SPEC", "A specification file."),
    .examples = {{"kiln poclbin export saxpy.json -o saxpy.poclbin",
                  "The program that earlier runs of this spec have put into the store."}},
    .body = poclbin_export,
};

const Command poclbin_import_command{
    .name = "poclbin import",
    .summary = "take a program archive into the store for a spec",
    .description =
        "Puts an archive into the store as the program of a specification file's kernel, so that "
        "runs start from it. It is verified strictly, must be for this machine's device, must hold "
        "the kernel, and its objects must be ones that the driver takes. What the machine code in "
        "it does cannot be checked: import what you trust to be built from this source.\n\n"
        "Where the store has other contents for the program, the archive gets another build hash: "
        "PoCL would go on running what it knows under the old one.",
    .options = {{options::set, options::set_if, options::dialect, options::source_dir,
                 options::devices},
                options::stores},
    .positional =
        Positional::files("SPEC ARCHIVE", "A specification file and a program archive.", 2, 2),
    .examples = {{"kiln poclbin import saxpy.json saxpy.poclbin",
                  "From now on kiln run saxpy.json starts from this archive."}},
    .body = poclbin_import,
};

}  // namespace kiln::cli
