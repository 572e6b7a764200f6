// Writes real archives (the grammar is in poclbin.hpp). Sizes that stand before what they count are
// filled in afterwards.
#include "base/data/cursor.hpp"
#include "format/poclbin/layout.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

/// Overwrites the size field at `offset` with the bytes written since `from`.
template <class T>
void set_size(Bytes& in, std::size_t offset, std::size_t from) {
  const auto size = static_cast<T>(in.size() - from);
  std::memcpy(in.data() + offset, &size, sizeof size);
}

void append_files(Bytes& to, const std::vector<File>& files) {
  for (const File& file : files) {
    append_block(to, file.path);
    append_block(to, file.content);
  }
}

void append_header(Bytes& to, const Layout& layout, const Archive& archive) {
  append(to, std::string_view("poclbin\0", 8));
  append_le(to, archive.device_id);
  append_le(to, archive.version);
  append_le(to, static_cast<std::uint32_t>(archive.kernels.size()));
  if (layout.flags) append_le(to, archive.flags);
  if (layout.root == Root::entries) append_le(to, static_cast<std::uint32_t>(archive.root.size()));
  // The field has a fixed size, whatever the model holds.
  const std::string_view hash = archive.build_hash.substr(0, build_hash_size);
  append(to, hash);
  to.resize(to.size() + build_hash_size + 1 - hash.size());
  if ((archive.flags & layout.program_scope_flag) != 0)
    append_le(to, archive.program_scope_bytes.value_or(0));
}

void append_entry(Bytes& to, const std::vector<File>& files) {
  const std::size_t start = to.size();
  append_le(to, std::uint64_t{0});
  append_files(to, files);
  set_size<std::uint64_t>(to, start, start + sizeof(std::uint64_t));
}

void append_root(Bytes& to, const Layout& layout, const Archive& archive) {
  for (const auto& files : archive.root)
    if (layout.root == Root::entries)
      append_entry(to, files);
    else
      append_files(to, files);
  // Where the version has one file and the model none, a record that parse refuses stands there.
  if (layout.root == Root::one_file && archive.root.empty()) append_files(to, {File{}});
}

void append_metadata(Bytes& to, const Layout& layout, const Kernel& kernel) {
  append_block(to, kernel.attributes);
  append_le(to, kernel.metadata_flags);
  if (layout.kernel_flags == 0) return;
  if (kernel.sub_groups)
    for (const auto number : *kernel.sub_groups) append_le(to, number);
  if (kernel.work_group)
    for (const auto number : *kernel.work_group) append_le(to, number);
  if (kernel.required_sub_group && (layout.kernel_flags & required_sub_group) != 0)
    append_le(to, *kernel.required_sub_group);
}

void append_argument(Bytes& to, const Layout& layout, const Argument& argument) {
  append_le(to, argument.access);
  append_le(to, argument.address);
  append_le(to, argument.type_qualifier);
  if (!layout.metadata) {
    append_le(to, argument.is_local);
    append_le(to, argument.is_set);
  }
  append_le(to, argument.type);
  if (layout.metadata) append_le(to, static_cast<std::uint32_t>(argument.type_size));
  append_block(to, argument.name);
  append_block(to, argument.type_name);
}

void append_kernel(Bytes& to, const Layout& layout, const Kernel& kernel) {
  const std::size_t start = to.size();
  to.resize(start + 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t));  // the sizes, set below
  append_block(to, kernel.name);
  append_le(to, static_cast<std::uint32_t>(kernel.arguments.size()));
  append_le(to, static_cast<std::uint32_t>(kernel.local_sizes.size()));
  if (layout.required_size)
    for (const auto size : kernel.required_size) append_le(to, size);
  if (!layout.metadata)
    for (const Argument& argument : kernel.arguments) append_le(to, argument.type_size);
  for (const auto size : kernel.local_sizes) append_le(to, size);
  if (layout.metadata) append_metadata(to, layout, kernel);
  const std::size_t arguments = to.size();
  for (const Argument& argument : kernel.arguments) append_argument(to, layout, argument);
  set_size<std::uint32_t>(to, start + 16, arguments);
  const std::size_t files = to.size();
  append_files(to, kernel.files);
  set_size<std::uint64_t>(to, start + 8, files);
  set_size<std::uint64_t>(to, start, start);
}

}  // namespace

Bytes write(const Archive& archive) {
  const Layout& layout = writing_layout(archive.version);
  Bytes bytes;
  append_header(bytes, layout, archive);
  append_root(bytes, layout, archive);
  for (const Kernel& kernel : archive.kernels) append_kernel(bytes, layout, kernel);
  return bytes;
}

}  // namespace kiln::poclbin
