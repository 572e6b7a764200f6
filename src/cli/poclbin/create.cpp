// `kiln poclbin create`: an archive from a folder.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/description.hpp"
#include "format/poclbin/compare.hpp"

namespace kiln::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 100'000;
constexpr std::uint64_t most_file_bytes = UINT32_MAX;  // the format's size fields have 32 bits
constexpr std::uint64_t most_part_bytes = std::uint64_t{1} << 30;

constexpr Option poclbin_create_options[] = {
    options::output,
    {.name = "metadata-from",
     .kind = Kind::file,
     .value_name = "ARCHIVE",
     .help = "A real archive that describes device and kernels, in place of DIR/poclbin.json."},
};
constexpr Example poclbin_create_examples[] = {
    {"kiln poclbin create app -o app.poclbin", "Makes an archive of what extract wrote."},
};

/// Contents by path, relative and with '/', in the order of the paths' bytes.
using Contents = std::map<std::string, Bytes>;

Contents read_folder(const fs::path& folder) {
  Contents contents;
  std::uint64_t left = most_part_bytes;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const auto status = at->symlink_status();
    if (fs::is_directory(status)) continue;
    const std::string name = at->path().lexically_relative(folder).generic_string();
    if (name == description_name) continue;
    // A link may lead anywhere; what is behind it is not for a file that is passed on.
    if (!fs::is_regular_file(status))
      throw Error(Errc::bad_input,
                  fmt::format("{} is neither a file nor a folder", at->path().string()));
    if (contents.size() >= most_files)
      throw Error(Errc::bad_input,
                  fmt::format("{} holds more than {} files", folder.string(), most_files));
    Bytes bytes = value_or_throw(read_file(at->path(), std::min(left, most_file_bytes)));
    left -= bytes.size();
    contents.emplace(name, std::move(bytes));
  }
  if (error) throw Error(Errc::bad_input, fmt::format("{}: {}", folder.string(), error.message()));
  return contents;
}

/// Fills models with the folder's files: listed ones in their order, then the others.
class Filler {
 public:
  /// `prefix` is what paths have in the archive and not in the folder: "/" or nothing.
  Filler(const Contents& contents, std::string prefix)
      : contents_(&contents), prefix_(std::move(prefix)) {}

  /// Gives listed files their contents; those that are not in the folder go, with a note.
  void fill(std::vector<poclbin::File>& files) {
    std::erase_if(files, [&](poclbin::File& file) {
      const bool prefixed = file.path.starts_with(prefix_);
      const auto found = prefixed ? contents_->find(std::string(file.path.substr(prefix_.size())))
                                  : contents_->end();
      if (found == contents_->end()) {
        complain(fmt::format("note: {} is not in the folder and is left out", file.path));
        return true;
      }
      file.content = found->second;
      taken_.push_back(found->first);
      return false;
    });
  }

  /// The files that no list has.
  std::vector<poclbin::File> others() {
    std::sort(taken_.begin(), taken_.end());
    std::vector<poclbin::File> files;
    for (const auto& [name, bytes] : *contents_)
      if (!std::binary_search(taken_.begin(), taken_.end(), name))
        files.push_back({paths_.emplace_back(prefix_ + name), bytes});
    return files;
  }

 private:
  const Contents* contents_;
  std::string prefix_;
  std::vector<std::string> taken_;
  std::deque<std::string> paths_;
};

/// The list that a file with a new path belongs to.
std::vector<poclbin::File>& list_for(poclbin::Archive& archive, std::string_view path) {
  for (auto& kernel : archive.kernels)
    if (path.starts_with(fmt::format("/{}/", kernel.name))) return kernel.files;
  if (archive.root.empty()) archive.root.emplace_back();
  return archive.root.front();
}

Bytes build(poclbin::Archive archive, const Contents& contents, const std::string& described) {
  Filler filler(contents, "/");
  for (auto& root : archive.root) filler.fill(root);
  for (auto& kernel : archive.kernels) filler.fill(kernel.files);
  for (const auto& file : filler.others()) list_for(archive, file.path).push_back(file);
  std::string hash(archive.build_hash);
  const Digest content = poclbin::content_id(archive);
  if (content.hex() != described) {
    hash = poclbin::build_hash(content.bytes);
    complain(fmt::format("note: the contents are new, and so is the build hash, {}", hash));
  }
  // With a filter that drops nothing, root entries without a file go.
  return poclbin::rewrite(archive, hash, [](std::string_view) { return false; });
}

Bytes build(poclbin::wiki::Archive archive, const Contents& contents) {
  Filler filler(contents, "");
  filler.fill(archive.files);
  for (const auto& file : filler.others()) archive.files.push_back(file);
  return poclbin::wiki::write(archive);
}

Description description_for(const Context& context, const fs::path& folder) {
  if (context.has("metadata-from")) {
    const ArchiveFile file = read_real_archive(context.text("metadata-from"), "has no metadata");
    return read_description(describe(file).dump(), file.path);
  }
  const fs::path path = folder / description_name;
  const auto json = read_text(path);
  if (!json)
    throw Error(Errc::bad_input,
                fmt::format("{} (it describes device and kernels; or --metadata-from)",
                            json.error().message()));
  return read_description(*json, path.string());
}

}  // namespace

constinit const Command poclbin_create_command{
    .name = "poclbin create",
    .summary = "make a program archive of a folder",
    .description =
        "Makes an archive of the files in a folder and of poclbin.json, as `poclbin extract` "
        "writes them: the same bytes, if nothing was changed. Files that were added come after "
        "those listed there, in the order of their names; one folder gives the same archive on "
        "every machine. Where contents have changed, the build hash is a new one, made from them: "
        "PoCL takes two archives of one build hash for one program.",
    .options = poclbin_create_options,
    .positional =
        {.value_name = "DIR", .help = "The folder.", .least = 1, .most = 1, .kind = Kind::folder},
    .examples = poclbin_create_examples,
};

int poclbin_create(Context& context) {
  const std::string& output = required_output(context);
  const fs::path folder = context.arguments().front();
  const Description description = description_for(context, folder);
  const Contents contents = read_folder(folder);
  const auto* real = std::get_if<poclbin::Archive>(&description.model);
  const Bytes bytes = real != nullptr
                          ? build(*real, contents, description.content)
                          : build(std::get<poclbin::wiki::Archive>(description.model), contents);
  if (const auto sound = poclbin::verify(bytes); !sound)
    throw Error(Errc::bad_input, fmt::format("{} does not make a sound archive: {}",
                                             folder.string(), sound.error().message()));
  value_or_throw(write_file(output, bytes));
  return 0;
}

}  // namespace kiln::cli
