#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "format/poclbin/compare.hpp"
#include "format/poclbin/convert.hpp"
#include "format/poclbin/layout.hpp"
#include "format/poclbin/path.hpp"
#include "format/poclbin/root.hpp"

namespace kiln::poclbin {
namespace {

/// Puts the files of a wiki archive into the root entries and kernels of a model.
class Sorter {
 public:
  explicit Sorter(const Archive& metadata) : model_(metadata) {
    const Layout& layout = writing_layout(metadata.version);
    for (const auto& files : metadata.root)
      for (const File& file : files) root_paths_.push_back(file.path);
    model_.root = {{}, {}};
    initialiser_apart_ = layout.most_roots > 1;
    // Clipped folder names can be told by what is in them only.
    for (Kernel& kernel : model_.kernels) {
      folders_.push_back(kernel.files.empty() ? kernel.name
                                              : first_component(kernel.files.front().path));
      kernel.files.clear();
    }
  }

  bool has_folder(std::string_view name) const {
    return std::find(folders_.begin(), folders_.end(), name) != folders_.end();
  }

  /// Whether there is a place for a file of that path (with its leading slash).
  bool add(const File& file) {
    const auto folder = first_component(file.path);
    const auto found = std::find(folders_.begin(), folders_.end(), folder);
    if (found != folders_.end() && file.path.size() > folder.size() + 1) {
      model_.kernels[static_cast<std::size_t>(found - folders_.begin())].files.push_back(file);
      return true;
    }
    const bool initialiser = is_initialiser(file.path);
    const bool known =
        std::find(root_paths_.begin(), root_paths_.end(), file.path) != root_paths_.end();
    if (!initialiser && !known && file.path != bitcode_path) return false;
    model_.root[initialiser && initialiser_apart_ ? 1 : 0].push_back(file);
    return true;
  }

  Archive finish() {
    complete_root(model_);
    return std::move(model_);
  }

 private:
  Archive model_;
  std::vector<std::string_view> folders_;  ///< one for each kernel
  std::vector<std::string_view> root_paths_;
  bool initialiser_apart_ = false;
};

/// "/" or "/kernel/", where the base's last component is a kernel's folder: what stands before the
/// paths of a real archive.
std::string prefix_of(std::string_view base, const Sorter& sorter) {
  const std::string_view last = base.substr(base.rfind('/') + 1);
  return !last.empty() && sorter.has_folder(last) ? fmt::format("/{}/", last) : "/";
}

/// Whether the files may go by the hash of the archive that gave the metadata.
bool keeps_hash(const Archive& archive, std::string_view base, const Archive& metadata) {
  if (base != metadata.build_hash && !base.starts_with(std::string(metadata.build_hash) + "/"))
    return false;
  const auto equal = [](const std::vector<File>& ours, const std::vector<File>& theirs) {
    return std::all_of(ours.begin(), ours.end(), [&](const File& file) {
      return std::all_of(theirs.begin(), theirs.end(), [&](const File& other) {
        return other.path != file.path || other == file;
      });
    });
  };
  for (std::size_t i = 0; i < archive.kernels.size(); ++i)
    if (!equal(archive.kernels[i].files, metadata.kernels[i].files)) return false;
  for (const auto& ours : archive.root)
    for (const auto& theirs : metadata.root)
      if (!equal(ours, theirs)) return false;
  return true;
}

}  // namespace

Converted convert_to_wiki(const Archive& archive) {
  wiki::Archive model;
  model.base = archive.build_hash;
  const auto add = [&](const std::vector<File>& files) {
    for (const File& file : files)
      if (!is_stand_in(file)) model.files.push_back({file.path.substr(1), file.content});
  };
  for (const auto& files : archive.root) add(files);
  for (const Kernel& kernel : archive.kernels) add(kernel.files);
  Converted result{wiki::write(model), {}, {}};
  result.lost.push_back(fmt::format("the device id, {:#018x}", archive.device_id));
  result.lost.push_back(fmt::format("the format version, {}", archive.version));
  if (archive.flags != 0) result.lost.push_back(fmt::format("the flags, {:#x}", archive.flags));
  if (archive.program_scope_bytes.value_or(0) != 0)
    result.lost.push_back(
        fmt::format("the size of program-scope variables, {} bytes", *archive.program_scope_bytes));
  for (const Kernel& kernel : archive.kernels)
    result.lost.push_back(fmt::format("kernel {}: arguments, sizes, attributes", kernel.name));
  return result;
}

Expected<Converted> convert_from_wiki(const wiki::Archive& archive, const Archive& metadata,
                                      std::uint32_t version) {
  Sorter sorter(metadata);
  const std::string prefix = prefix_of(archive.base, sorter);
  std::deque<std::string> paths;
  for (const File& file : archive.files) {
    const File placed{paths.emplace_back(prefix + std::string(file.path)), file.content};
    if (!sorter.add(placed))
      return fail(Errc::refused,
                  fmt::format("the file {} is of no kernel that the metadata have", file.path));
  }
  Archive model = sorter.finish();
  std::vector<std::string> notes;
  std::string hash;
  if (!keeps_hash(model, archive.base, metadata)) {
    model.build_hash = hash = build_hash(code_id(model).bytes);
    notes.push_back(fmt::format("the build hash is new, {}: these are not the contents of {}", hash,
                                metadata.build_hash));
  }
  auto result = convert(model, version);
  if (!result) return result;
  result->notes.insert(result->notes.begin(), notes.begin(), notes.end());
  if (const auto sound = parse(result->bytes); !sound)
    return fail(Errc::refused, "the files do not fit the metadata: " + sound.error().message());
  return result;
}

}  // namespace kiln::poclbin
