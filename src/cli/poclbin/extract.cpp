// `kiln poclbin extract`: the files of an archive as files.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/extract_tree.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/description.hpp"

namespace kiln::cli {
namespace {

constexpr Option poclbin_extract_options[] = {
    options::directory,
    {.name = "max-files",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "At most as many files are written.",
     .fallback = "100000"},
    {.name = "max-bytes",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "At most as many bytes of contents are written.",
     .fallback = "4294967296"},
    {.name = "quiet", .help = "Does not list the files.", .letter = 'q'},
};
constexpr Example poclbin_extract_examples[] = {
    {"kiln poclbin extract app.poclbin -C app", "Writes app/program.bc, app/saxpy/… and so on."},
};

/// All files, with paths relative to the folder.
std::vector<poclbin::File> files_in_archive(const ArchiveFile& archive) {
  if (archive.wiki() != nullptr) return archive.wiki()->files;
  std::vector<poclbin::File> files;
  const auto add = [&](const std::vector<poclbin::File>& from) {
    for (const auto& file : from) files.push_back({file.path.substr(1), file.content});
  };
  for (const auto& root : archive.real()->root) add(root);
  for (const auto& kernel : archive.real()->kernels) add(kernel.files);
  return files;
}

/// Before anything is written, since half an archive helps nobody.
void check_limits(const std::vector<poclbin::File>& files, const ExtractTree::Limits& limits,
                  const std::string& path) {
  std::uint64_t bytes = 0;
  for (const auto& file : files) {
    bytes += file.content.size();
    if (const char* problem = ExtractTree::path_problem(file.path))
      throw Error(Errc::bad_input, fmt::format("{}: the path {} has {}", path, file.path, problem));
    if (file.path == description_name)
      throw Error(Errc::bad_input,
                  fmt::format("{}: holds a file {}, which is the name of the description", path,
                              description_name));
  }
  if (files.size() + 1 > limits.files)
    throw Error(Errc::refused, fmt::format("{}: {} files and the description are more than "
                                           "--max-files {}",
                                           path, files.size(), limits.files));
  if (bytes > limits.bytes)
    throw Error(Errc::refused, fmt::format("{}: {} bytes of contents are more than --max-bytes {}",
                                           path, bytes, limits.bytes));
}

}  // namespace

constinit const Command poclbin_extract_command{
    .name = "poclbin extract",
    .summary = "write the files of a program archive",
    .description =
        "Writes every file of the archive below the folder, and poclbin.json, which describes all "
        "else, so that `poclbin create` makes the same archive again. Nothing is written outside "
        "the folder, whatever the archive says and whatever links stand there.",
    .options = poclbin_extract_options,
    .positional = one_archive,
    .examples = poclbin_extract_examples,
};

int poclbin_extract(Context& context) {
  ExtractTree::Limits limits;
  limits.files = static_cast<std::uint64_t>(context.integer("max-files"));
  limits.bytes = static_cast<std::uint64_t>(context.integer("max-bytes"));
  const ArchiveFile archive = read_archive(context.arguments().front());
  const auto files = files_in_archive(archive);
  check_limits(files, limits, archive.path);
  limits.bytes = std::numeric_limits<std::uint64_t>::max();  // the description does not count
  auto tree = value_or_throw(ExtractTree::open(context.text("directory"), limits));
  for (const auto& file : files) {
    value_or_throw(tree.write(file.path, file.content));
    if (!context.flag("quiet")) print(fmt::format("{} {}\n", file.path, file.content.size()));
  }
  const std::string description = describe(archive).dump(2) + "\n";
  value_or_throw(tree.write(description_name, as_bytes(description)));
  return 0;
}

}  // namespace kiln::cli
