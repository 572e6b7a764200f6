// Program archives as folders of files, and back: `kiln poclbin extract` and `create`.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/data/bytes.hpp"
#include "base/os/extract_tree.hpp"
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/poclbin/archive_file.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::cli {
namespace {

namespace fs = std::filesystem;

// `kiln poclbin extract`: the files of an archive as files.

/// All files, with paths relative to the folder.
std::vector<poclbin::File> files_in_archive(const ArchiveFile& archive) {
  std::vector<poclbin::File> files;
  // Those of a real archive begin with a slash.
  archive.each_file([&](const std::string&, const poclbin::File& file) {
    files.push_back({archive.real() ? file.path.substr(1) : file.path, file.content});
  });
  return files;
}

/// Checked before anything is written: half an archive is of no use.
void check_limits(const std::vector<poclbin::File>& files, const ExtractTree::Limits& limits,
                  const std::string& path) {
  std::uint64_t bytes = 0;
  for (const auto& file : files) {
    bytes += file.content.size();
    if (const char* problem = ExtractTree::path_problem(file.path))
      throw bad_input("{}: the path {} has {}", path, file.path, problem);
    if (file.path == description_name)
      throw bad_input("{}: holds a file {}, which is the name of the description", path,
                      description_name);
  }
  if (files.size() + 1 > limits.files)
    throw Error(Errc::refused, fmt::format("{}: {} files and the description are more than "
                                           "--max-files {}",
                                           path, files.size(), limits.files));
  if (bytes > limits.bytes)
    throw Error(Errc::refused, fmt::format("{}: {} bytes of contents are more than --max-bytes {}",
                                           path, bytes, limits.bytes));
}

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
    if (!context.flag("quiet")) print("{} {}\n", file.path, file.content.size());
  }
  const std::string description = nlohmann::ordered_json::parse(json_of(archive)).dump(2) + "\n";
  value_or_throw(tree.write(description_name, as_bytes(description)));
  return 0;
}

// `kiln poclbin create`: an archive from a folder.

constexpr std::size_t most_files = 100'000;
constexpr std::uint64_t most_file_bytes = UINT32_MAX;  // the format's size fields have 32 bits
constexpr std::uint64_t most_part_bytes = std::uint64_t{1} << 30;

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
    // A link may lead to private files, which must not get into an archive that is passed on.
    if (!fs::is_regular_file(status))
      throw bad_input("{} is neither a file nor a folder", at->path().string());
    if (contents.size() >= most_files)
      throw bad_input("{} holds more than {} files", folder.string(), most_files);
    Bytes bytes = value_or_throw(read_file(at->path(), std::min(left, most_file_bytes)));
    left -= bytes.size();
    contents.emplace(name, std::move(bytes));
  }
  if (error) throw bad_input("{}: {}", folder.string(), error.message());
  return contents;
}

/// Fills models with the folder's files: first those that the description lists, in its order, then
/// the others.
class Filler {
 public:
  /// `prefix`: what paths in the archive have before those in the folder, "/" or nothing.
  Filler(const Contents& contents, std::string prefix)
      : contents_(&contents), prefix_(std::move(prefix)) {}

  /// Gives listed files their contents; those that are not in the folder are removed, with a note.
  void fill(std::vector<poclbin::File>& files) {
    std::erase_if(files, [&](poclbin::File& file) {
      const bool prefixed = file.path.starts_with(prefix_);
      const auto found = prefixed ? contents_->find(std::string(file.path.substr(prefix_.size())))
                                  : contents_->end();
      if (found == contents_->end()) {
        complain("note: {} is not in the folder and is left out", file.path);
        return true;
      }
      file.content = found->second;
      taken_.push_back(found->first);
      return false;
    });
  }

  /// The files of the folder that no list named.
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

/// The list that an added file belongs to: its kernel's, by its path, or the root.
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
    complain("note: the contents are new, and so is the build hash, {}", hash);
  }
  // A filter that drops no file still drops root entries without a file.
  return poclbin::rewrite(archive, hash, [](std::string_view) { return false; });
}

Bytes build(poclbin::wiki::Archive archive, const Contents& contents) {
  Filler filler(contents, "");
  filler.fill(archive.files);
  for (const auto& file : filler.others()) archive.files.push_back(file);
  return poclbin::wiki::write(archive);
}

poclbin::Description description_for(const Context& context, const fs::path& folder) {
  if (context.has("metadata-from")) {
    const ArchiveFile file = read_real_archive(context.text("metadata-from"), "has no metadata");
    return value_or_throw(poclbin::from_json(json_of(file), file.path));
  }
  const fs::path path = folder / description_name;
  const auto json = read_text(path);
  if (!json)
    throw bad_input("{} (it describes device and kernels; or --metadata-from)",
                    json.error().message());
  return value_or_throw(poclbin::from_json(*json, path.string()));
}

int poclbin_create(Context& context) {
  const std::string& output = required_output(context);
  const fs::path folder = context.arguments().front();
  const poclbin::Description description = description_for(context, folder);
  const Contents contents = read_folder(folder);
  const auto* real = std::get_if<poclbin::Archive>(&description.model);
  const Bytes bytes = real != nullptr
                          ? build(*real, contents, description.content)
                          : build(std::get<poclbin::wiki::Archive>(description.model), contents);
  if (const auto sound = poclbin::verify(bytes); !sound)
    throw bad_input("{} does not make a sound archive: {}", folder.string(),
                    sound.error().message());
  value_or_throw(write_file(output, bytes));
  return 0;
}

}  // namespace

const Command poclbin_extract_command{
    .name = "poclbin extract",
    .summary = "write the files of a program archive",
    .description =
        "Writes every file of the archive below the folder, and poclbin.json, which describes all "
        "else, so that `poclbin create` makes the same archive again. Nothing is written outside "
        "the folder, whatever the archive says and whatever links stand there.",
    .options = {{options::directory,
                 Option::integer("max-files", "N", "At most as many files are written.", "100000"),
                 Option::integer("max-bytes", "N", "At most as many bytes of contents are written.",
                                 "4294967296"),
                 Option::flag("quiet", "Does not list the files.").with_letter('q')}},
    .positional = one_archive,
    .examples = {{"kiln poclbin extract app.poclbin -C app",
                  "Writes app/program.bc, app/saxpy/… and so on."}},
    .body = poclbin_extract,
};

const Command poclbin_create_command{
    .name = "poclbin create",
    .summary = "make a program archive of a folder",
    .description =
        "Makes an archive of the files in a folder and of poclbin.json, as `poclbin extract` "
        "writes them: the same bytes, if nothing was changed. Files that were added come after "
        "those listed there, in the order of their names; one folder gives the same archive on "
        "every machine. Where contents have changed, the build hash is a new one, made from them: "
        "PoCL takes two archives of one build hash for one program.",
    .options =
        {{options::output,
          Option::file(
              "metadata-from", "ARCHIVE",
              "A real archive that describes device and kernels, in place of DIR/poclbin.json.")}},
    .positional =
        {.value_name = "DIR", .help = "The folder.", .least = 1, .most = 1, .kind = Kind::folder},
    .examples = {{"kiln poclbin create app -o app.poclbin",
                  "Makes an archive of what extract wrote."}},
    .body = poclbin_create,
};

}  // namespace kiln::cli
