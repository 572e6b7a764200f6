#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "format/poclbin/layout.hpp"
#include "format/poclbin/path.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

constexpr std::uint64_t executable = 4;
constexpr std::uint32_t local_address = 0x119c, pointer_type = 1;

/// One conversion under way: the model, changed part by part, and what is said about it.
struct Step {
  Archive model;
  const Layout &from, &to;
  std::vector<std::string> lost, notes;
};

void convert_flags(Step& step) {
  Archive& model = step.model;
  const std::uint64_t type = model.flags >> step.from.binary_type_shift;
  const bool had_type = step.from.binary_type_shift != 0, has_type = step.to.binary_type_shift != 0;
  std::uint64_t flags = model.flags & flush_denormals;
  if (flags != 0 && !step.to.flags) {
    step.lost.push_back("that denormals are flushed");
    flags = 0;
  }
  if (had_type && !has_type) step.lost.push_back(fmt::format("the binary type, {}", type));
  if (!had_type && has_type)
    step.notes.push_back(
        fmt::format("the binary type is assumed to be {}, executable", executable));
  if (has_type) flags |= (had_type ? type : executable) << step.to.binary_type_shift;
  model.flags = flags;
}

/// After convert_flags, which leaves the bit out.
void convert_program_scope(Step& step) {
  auto& bytes = step.model.program_scope_bytes;
  if (step.to.program_scope_flag == 0) {
    if (bytes.value_or(0) != 0)
      step.lost.push_back(fmt::format("the size of program-scope variables, {} bytes", *bytes));
    bytes.reset();
  } else if (step.from.program_scope_flag == 0) {
    bytes = 0;  // every release of these versions writes the field
  }
  if (bytes) step.model.flags |= step.to.program_scope_flag;
}

void convert_root(Step& step) {
  std::vector<File> files, initialiser;
  for (const auto& entry : step.model.root)
    for (const File& file : entry)
      if (!is_bitcode_replacement(file))
        (is_initialiser(file.path) && step.to.most_roots > 1 ? initialiser : files).push_back(file);
  const auto keep = [&](const File& file) {
    return step.to.root == Root::entries ||
           (step.to.root == Root::one_file && file.path == bitcode_path);
  };
  for (const File& file : files)
    if (!keep(file)) step.lost.push_back(fmt::format("the file {}", file.path));
  std::erase_if(files, [&](const File& file) { return !keep(file); });
  step.model.root = {std::move(files), std::move(initialiser)};
  complete_root(step.model);
}

/// What the versions without the field imply: they have all metadata for every argument.
std::uint64_t known_metadata(const Kernel& kernel) {
  return kernel.arguments.empty() ? 0 : all_argument_metadata;
}

void convert_metadata(Step& step, Kernel& kernel) {
  if (step.from.metadata && !step.to.metadata) {
    if (!kernel.attributes.empty())
      step.lost.push_back(fmt::format("kernel {}: the attributes", kernel.name));
    if (kernel.metadata_flags != known_metadata(kernel))
      step.lost.push_back(fmt::format("kernel {}: which metadata there are", kernel.name));
    kernel.attributes = {};
    kernel.metadata_flags = 0;
    for (Argument& argument : kernel.arguments)
      argument.is_local = argument.type == pointer_type && argument.address == local_address;
  } else if (!step.from.metadata && step.to.metadata) {
    kernel.metadata_flags = known_metadata(kernel);
    for (Argument& argument : kernel.arguments) argument.is_local = argument.is_set = 0;
  }
}

void drop_blocks(Step& step, Kernel& kernel) {
  const std::uint32_t known = step.to.kernel_flags;
  const auto drop = [&](auto& block, std::uint32_t flag, std::string_view what) {
    if ((known & flag) != 0 || !block) return;
    step.lost.push_back(fmt::format("kernel {}: {}", kernel.name, what));
    block.reset();
    kernel.metadata_flags &= ~(std::uint64_t{flag} << 32);
  };
  drop(kernel.sub_groups, sub_group_block, "the sub-group sizes");
  drop(kernel.work_group, work_group_block, "the work-group limits");
  drop(kernel.required_sub_group, required_sub_group, "the required sub-group size");
}

Expected<void> convert_kernel(Step& step, Kernel& kernel) {
  const std::array<std::uint64_t, 3> none{};
  if (!step.to.required_size && kernel.required_size != none) {
    step.lost.push_back(fmt::format("kernel {}: the required work-group size", kernel.name));
    kernel.required_size = none;
  }
  for (const Argument& argument : kernel.arguments)
    if (step.to.metadata && argument.type_size > UINT32_MAX)
      return fail(Errc::refused,
                  fmt::format("kernel {}, argument {}: version {} cannot hold a size of {} bytes",
                              kernel.name, argument.name, step.to.version, argument.type_size));
  drop_blocks(step, kernel);
  convert_metadata(step, kernel);
  return {};
}

/// What the bytes cannot carry over: habits of the releases that write a version.
void note_releases(Step& step) {
  const auto crosses = [&](std::uint32_t version) {
    return (step.from.version < version) != (step.to.version < version);
  };
  if (crosses(4) || crosses(8))
    step.notes.push_back("releases of the other version expect another content of program.bc");
  std::size_t suffixed = 0;
  for (const Kernel& kernel : step.model.kernels)
    for (const Variant& variant : variants(kernel))
      suffixed += variant.zero_offset || variant.small_grid;
  if (step.from.metadata && !step.to.metadata && suffixed > 0)
    step.notes.push_back(fmt::format(
        "releases of version {} look for variants named X-Y-Z, and {} have another name",
        step.to.version, suffixed));
}

}  // namespace

Expected<Converted> convert(const Archive& archive, std::uint32_t version) {
  const Layout* to = layout_of(version);
  if (to == nullptr)
    return fail(Errc::refused, fmt::format("found version {}, expected {} to {}", version,
                                           oldest_version, newest_version));
  if (version == archive.version) return Converted{write(archive), {}, {}};
  Step step{archive, writing_layout(archive.version), *to, {}, {}};
  step.model.version = version;
  convert_flags(step);
  convert_program_scope(step);
  convert_root(step);
  for (Kernel& kernel : step.model.kernels)
    if (auto converted = convert_kernel(step, kernel); !converted)
      return tl::unexpected(converted.error());
  note_releases(step);
  Converted result{write(step.model), std::move(step.lost), std::move(step.notes)};
  // Names that later releases clip are not for the earlier ones.
  if (const auto sound = parse(result.bytes); !sound)
    return fail(Errc::refused, fmt::format("version {} cannot hold this archive: {}", version,
                                           sound.error().message()));
  return result;
}

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
      if (!is_bitcode_replacement(file)) model.files.push_back({file.path.substr(1), file.content});
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
