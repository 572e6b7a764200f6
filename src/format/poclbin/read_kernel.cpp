#include <fmt/format.h>

#include "format/poclbin/path.hpp"
#include "format/poclbin/read.hpp"

namespace kiln::poclbin {
namespace {

/// PoCL uses the name as a folder's, unchecked. Releases that clip folder names let the name itself
/// be longer than any folder's.
std::string_view read_name(Cursor& cursor, const Layout& layout) {
  const std::size_t offset = cursor.at() + sizeof(std::uint32_t);
  const std::string_view name = as_text(cursor.block("kernel name"));
  if (!cursor.ok()) return {};
  const char* problem =
      component_problem(name, layout.clipped_names ? name.size() : longest_component);
  if (problem != nullptr) cursor.refuse(offset, "kernel name", fmt::format("found {}", problem));
  return name;
}

/// The optional blocks, in the order that the writers of versions 11 and 12 have.
void read_blocks(Cursor& cursor, Kernel& kernel) {
  const std::uint64_t flags = kernel.metadata_flags >> 32;
  if ((flags & sub_group_block) != 0)
    for (auto& number : kernel.sub_groups.emplace())
      number = cursor.number<std::uint32_t>("sub-group sizes");
  if ((flags & work_group_block) != 0)
    for (auto& number : kernel.work_group.emplace())
      number = cursor.number<std::uint32_t>("work-group sizes");
  if ((flags & required_sub_group) != 0)
    kernel.required_sub_group = cursor.number<std::uint32_t>("required sub-group size");
}

void read_metadata(Cursor& cursor, const Layout& layout, Kernel& kernel) {
  kernel.attributes = as_text(cursor.block("attributes"));
  const std::size_t offset = cursor.at();
  kernel.metadata_flags = cursor.number<std::uint64_t>("has_arg_metadata");
  const std::uint64_t known = all_argument_metadata | std::uint64_t{layout.kernel_flags} << 32;
  if ((kernel.metadata_flags & ~known) != 0)
    cursor.refuse(offset, "has_arg_metadata and kernel flags",
                  fmt::format("{:#x} has an unknown bit", kernel.metadata_flags));
  if (layout.kernel_flags != 0) read_blocks(cursor, kernel);
}

/// `argument` has its size already in the layouts that list the sizes before.
void read_argument(Cursor& cursor, const Layout& layout, Argument& argument) {
  argument.access = cursor.number<std::uint32_t>("argument access");
  argument.address = cursor.number<std::uint32_t>("argument address");
  argument.type_qualifier = cursor.number<std::uint64_t>("argument type qualifier");
  if (!layout.metadata) {
    argument.is_local = cursor.number<std::uint8_t>("argument is_local");
    argument.is_set = cursor.number<std::uint8_t>("argument is_set");
  }
  argument.type = cursor.number<std::uint32_t>("argument type");
  if (layout.metadata) argument.type_size = cursor.number<std::uint32_t>("argument type size");
  argument.name = as_text(cursor.block("argument name"));
  argument.type_name = as_text(cursor.block("argument type name"));
}

void read_files(Cursor& cursor, const Layout& layout, Kernel& kernel) {
  while (cursor.left() > 0) {
    const File file = read_file(cursor);
    if (!cursor.ok()) return;
    const std::string_view folder = first_component(file.path);
    const bool within = file.path.size() > folder.size() + 1;
    const bool same = kernel.files.empty() || folder == first_component(kernel.files.front().path);
    if (!within || !same || !is_folder_of(folder, kernel.name, layout.clipped_names))
      cursor.refuse(cursor.offset_of(file.path), "file path",
                    fmt::format("{} is not in the folder of kernel {}", file.path, kernel.name));
    kernel.files.push_back(file);
  }
}

/// What the record says about its own sizes.
struct Sizes {
  std::size_t offset = 0;  ///< of the record
  std::uint64_t record = 0, binaries = 0;
  std::uint32_t arguments = 0;
};

Sizes read_sizes(Cursor& cursor, const Layout& layout) {
  Sizes sizes{.offset = cursor.at()};
  sizes.record = cursor.number<std::uint64_t>("struct_size");
  if (sizes.record < layout.smallest_kernel)
    cursor.refuse(sizes.offset, "struct_size",
                  fmt::format("{} is below the {} bytes of the smallest record", sizes.record,
                              layout.smallest_kernel));
  sizes.binaries = cursor.number<std::uint64_t>("binaries_size");
  sizes.arguments = cursor.number<std::uint32_t>("arginfo_size");
  return sizes;
}

/// PoCL finds the files by these sizes and not by reading up to them: both ways have to agree.
void check_sizes(Cursor& cursor, const Sizes& sizes, std::size_t argument_bytes) {
  if (argument_bytes != sizes.arguments)
    cursor.refuse(
        sizes.offset + 16, "arginfo_size",
        fmt::format("found {}, but the arguments take {} bytes", sizes.arguments, argument_bytes));
  if (sizes.binaries != cursor.left())
    cursor.refuse(sizes.offset + 8, "binaries_size",
                  fmt::format("found {}, but the record has {} bytes left for files",
                              sizes.binaries, cursor.left()));
}

/// Empties a kernel and keeps its memory, so that a walk over many takes no more than the largest.
void reset(Kernel& kernel) {
  Kernel empty;
  std::swap(empty.local_sizes, kernel.local_sizes);
  std::swap(empty.arguments, kernel.arguments);
  std::swap(empty.files, kernel.files);
  empty.local_sizes.clear();
  empty.arguments.clear();
  empty.files.clear();
  kernel = std::move(empty);
}

/// The numbers between the name and the attributes; gives the number of arguments.
std::uint32_t read_launch_facts(Cursor& cursor, const Layout& layout, Kernel& kernel) {
  const auto arguments = cursor.count(layout.smallest_argument, "arguments");
  const auto locals = cursor.count(sizeof(std::uint64_t), "automatic locals");
  if (layout.required_size)
    for (auto& size : kernel.required_size)
      size = cursor.number<std::uint64_t>("required work-group size");
  if (!layout.metadata)
    for (std::uint32_t i = 0; i < arguments && cursor.ok(); ++i)
      kernel.arguments.emplace_back().type_size = cursor.number<std::uint64_t>("argument size");
  for (std::uint32_t i = 0; i < locals && cursor.ok(); ++i)
    kernel.local_sizes.push_back(cursor.number<std::uint64_t>("size of an automatic local"));
  return arguments;
}

/// The argument records, into the arguments whose sizes stood before, or into new ones.
void read_arguments(Cursor& cursor, const Layout& layout, std::uint32_t count, Kernel& kernel) {
  for (std::uint32_t i = 0; i < count && cursor.ok(); ++i)
    read_argument(cursor, layout,
                  layout.metadata ? kernel.arguments.emplace_back() : kernel.arguments[i]);
}

}  // namespace

void read_kernel(Cursor& cursor, const Layout& layout, Kernel& kernel) {
  reset(kernel);
  const Sizes sizes = read_sizes(cursor, layout);
  if (!cursor.ok()) return;
  const std::size_t end = cursor.narrow(sizes.record - (cursor.at() - sizes.offset), "struct_size");
  kernel.name = read_name(cursor, layout);
  const std::uint32_t arguments = read_launch_facts(cursor, layout, kernel);
  if (layout.metadata) read_metadata(cursor, layout, kernel);
  const std::size_t first_argument = cursor.at();
  read_arguments(cursor, layout, arguments, kernel);
  if (cursor.ok()) check_sizes(cursor, sizes, cursor.at() - first_argument);
  read_files(cursor, layout, kernel);
  cursor.widen(end);
}

}  // namespace kiln::poclbin
