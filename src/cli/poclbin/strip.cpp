// `kiln poclbin strip`: an archive without its bitcode.
#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/files.hpp"
#include "cli/standard_streams.hpp"

namespace kiln::cli {
namespace {

constexpr Option poclbin_strip_options[] = {
    {.name = "program-bc", .help = "Drops program.bc, the LLVM bitcode of the whole program."},
    {.name = "output",
     .kind = Kind::file,
     .access = Access::write,
     .value_name = "FILE",
     .help = "The file to write. Without it the archive itself is replaced.",
     .letter = 'o'},
};
constexpr Example poclbin_strip_examples[] = {
    {"kiln poclbin strip --program-bc app.poclbin -o small.poclbin",
     "Half the size, no path of your home folder, and never a compiler."},
};

constexpr std::string_view price =
    "the price: PoCL builds no specialised variant any more (local sizes that the archive lacks "
    "run "
    "the generic function, up to several times slower), the program cannot be linked, and a query "
    "of its binaries aborts the process in PoCL 3.1 to 7.1 builds with asserts";

bool is_bitcode(std::string_view path) { return path == "/program.bc" || path == "program.bc"; }

/// Which kernels PoCL could launch without bitcode, and at what local sizes.
void check_objects(const poclbin::Archive& archive, const std::string& path) {
  for (const auto& kernel : archive.kernels) {
    const auto has = [&](std::string_view part) {
      return std::any_of(kernel.files.begin(), kernel.files.end(), [&](const auto& file) {
        return file.path.ends_with(".so") && file.path.find(part) != file.path.npos;
      });
    };
    if (!has("/"))
      throw Error(Errc::refused,
                  fmt::format("{}: kernel {} has no object: without program.bc PoCL would abort",
                              path, kernel.name));
    if (!has("/0-0-0/"))
      complain(fmt::format(
          "note: kernel {} has no generic function (0-0-0): PoCL aborts at any other local size",
          kernel.name));
  }
}

Bytes stripped(const ArchiveFile& file) {
  if (const auto* wiki = file.wiki()) {
    auto model = *wiki;
    std::erase_if(model.files, [](const auto& each) { return is_bitcode(each.path); });
    return poclbin::wiki::write(model);
  }
  check_objects(*file.real(), file.path);
  // PoCL would take a program.bc that its cache has under the old hash.
  const std::string what = std::string(file.real()->build_hash) + " without program.bc";
  const std::string hash = poclbin::build_hash(blake2b(as_bytes(what)).bytes);
  return poclbin::rewrite(*file.real(), hash, is_bitcode);
}

bool has_bitcode(const ArchiveFile& file) {
  const auto any = [](const std::vector<poclbin::File>& files) {
    return std::any_of(files.begin(), files.end(),
                       [](const auto& each) { return is_bitcode(each.path); });
  };
  if (file.wiki() != nullptr) return any(file.wiki()->files);
  return std::any_of(file.real()->root.begin(), file.real()->root.end(), any);
}

}  // namespace

constinit const Command poclbin_strip_command{
    .name = "poclbin strip",
    .summary = "drop the bitcode of a program archive",
    .description =
        "Writes the archive without program.bc, under another build hash. It is about half as "
        "large, holds no path of the machine that built it (program.bc has the name of PoCL's "
        "temporary source file, by default in the home folder), and starts without a compiler at "
        "any local size. The price is said on standard error.",
    .options = poclbin_strip_options,
    .positional = one_archive,
    .examples = poclbin_strip_examples,
    .in_place = true,
};

int poclbin_strip(Context& context) {
  if (!context.flag("program-bc"))
    throw Error(Errc::bad_input,
                "poclbin strip: missing --program-bc: nothing says what to remove");
  const std::string& path = context.arguments().front();
  // In place means to put a file there, which no pipe and no device wants.
  if (!std::filesystem::is_regular_file(path) && std::filesystem::exists(path))
    required_output(context);
  if (path == standard_input) required_output(context);
  const std::string& output = context.has("output") ? context.text("output") : path;
  const ArchiveFile file = read_archive(path);
  if (!has_bitcode(file)) {
    complain(fmt::format("note: {} has no program.bc", path));
    value_or_throw(write_file(output, file.bytes));
    return 0;
  }
  const Bytes bytes = stripped(file);
  value_or_throw(write_file(output, bytes));
  complain(fmt::format("note: {} bytes instead of {}; {}", bytes.size(), file.bytes.size(), price));
  return 0;
}

}  // namespace kiln::cli
