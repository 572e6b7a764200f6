// `kiln poclbin ls`: the files in an archive.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/common_options.hpp"
#include "cli/json_line.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/files.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option poclbin_ls_options[] = {options::json};
constexpr Example poclbin_ls_examples[] = {
    {"kiln poclbin ls app.poclbin", "Which files, how large, and where in the archive?"},
};

/// One line of the list.
struct Line {
  std::string kernel;  ///< "" for a root file
  const poclbin::File* file;
};

std::vector<Line> lines_of(const ArchiveFile& archive) {
  std::vector<Line> lines;
  const auto add = [&](const std::string& kernel, const std::vector<poclbin::File>& files) {
    for (const auto& file : files) lines.push_back({kernel, &file});
  };
  if (archive.wiki() != nullptr) {
    add("", archive.wiki()->files);
    return lines;
  }
  for (const auto& root : archive.real()->root) add("", root);
  for (const auto& kernel : archive.real()->kernels) add(std::string(kernel.name), kernel.files);
  return lines;
}

std::size_t offset_of(const ArchiveFile& archive, const poclbin::File& file) {
  return static_cast<std::size_t>(file.content.data() - archive.bytes.data());
}

}  // namespace

constinit const Command poclbin_ls_command{
    .name = "poclbin ls",
    .summary = "list the files in a program archive",
    .description =
        "Lists every file in the archive's order: its size, the byte offset of its contents, its "
        "path.",
    .options = poclbin_ls_options,
    .positional = one_archive,
    .examples = poclbin_ls_examples,
};

int poclbin_ls(Context& context) {
  const ArchiveFile archive = read_archive(context.arguments().front());
  const auto lines = lines_of(archive);
  if (context.flag("json")) {
    for (const Line& line : lines) {
      const Json json{{"path", line.file->path},
                      {"bytes", line.file->content.size()},
                      {"offset", offset_of(archive, *line.file)},
                      {"kernel", line.kernel.empty() ? Json(nullptr) : Json(line.kernel)}};
      print_json(json);
    }
    return 0;
  }
  Table table({"bytes", "offset", "path"});
  for (const Line& line : lines)
    table.row({std::to_string(line.file->content.size()),
               std::to_string(offset_of(archive, *line.file)), std::string(line.file->path)});
  if (table.rows() > 0) print(table.text());
  return 0;
}

}  // namespace kiln::cli
