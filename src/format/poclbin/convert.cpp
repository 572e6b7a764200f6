#include "format/poclbin/convert.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "format/poclbin/layout.hpp"
#include "format/poclbin/root.hpp"

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
      if (!is_stand_in(file))
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

}  // namespace kiln::poclbin
