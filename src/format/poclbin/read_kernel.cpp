#include <fmt/format.h>

#include "format/poclbin/path.hpp"
#include "format/poclbin/read.hpp"

namespace kiln::poclbin {
namespace {

/// PoCL uses the name as a folder's, unchecked.
std::string_view read_name(Cursor& cursor, const Layout& layout) {
  const std::size_t offset = cursor.at() + sizeof(std::uint32_t);
  const std::string_view name = as_text(cursor.block("kernel name"));
  if (!cursor.ok()) return {};
  // Releases that clip folder names let the name itself be longer than any folder's.
  const char* problem = component_problem(name);
  if (layout.kernel_flags && name.size() > longest_component)
    problem = component_problem(name.substr(0, longest_component));
  if (problem != nullptr) cursor.refuse(offset, "kernel name", fmt::format("found {}", problem));
  return name;
}

void read_metadata(Cursor& cursor, const Layout& layout, Kernel& kernel) {
  const std::size_t offset = cursor.at();
  kernel.metadata_flags = cursor.number<std::uint64_t>("has_arg_metadata");
  const std::uint64_t kernel_flags = layout.kernel_flags ? kernel.metadata_flags >> 32 : 0;
  const std::uint64_t known =
      all_argument_metadata |
      (layout.kernel_flags ? std::uint64_t{work_group_block | sub_group_block} << 32 : 0);
  if ((kernel.metadata_flags & ~known) != 0)
    cursor.refuse(offset, "has_arg_metadata and kernel flags",
                  fmt::format("{:#x} has an unknown bit", kernel.metadata_flags));
  if ((kernel_flags & sub_group_block) != 0)
    for (auto& number : kernel.sub_groups.emplace())
      number = cursor.number<std::uint32_t>("sub-group sizes");
  if ((kernel_flags & work_group_block) != 0)
    for (auto& number : kernel.work_group.emplace())
      number = cursor.number<std::uint32_t>("work-group sizes");
}

Argument read_argument(Cursor& cursor) {
  Argument argument;
  argument.access = cursor.number<std::uint32_t>("argument access");
  argument.address = cursor.number<std::uint32_t>("argument address");
  argument.type_qualifier = cursor.number<std::uint64_t>("argument type qualifier");
  argument.type = cursor.number<std::uint32_t>("argument type");
  argument.type_size = cursor.number<std::uint32_t>("argument type size");
  argument.name = as_text(cursor.block("argument name"));
  argument.type_name = as_text(cursor.block("argument type name"));
  return argument;
}

void read_files(Cursor& cursor, const Layout& layout, Kernel& kernel) {
  while (cursor.left() > 0) {
    const File file = read_file(cursor);
    if (!cursor.ok()) return;
    const std::string_view folder = first_component(file.path);
    const bool within = file.path.size() > folder.size() + 1;
    const bool same = kernel.files.empty() || folder == first_component(kernel.files.front().path);
    if (!within || !same || !is_folder_of(folder, kernel.name, layout.kernel_flags))
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

Sizes read_sizes(Cursor& cursor) {
  Sizes sizes{.offset = cursor.at()};
  sizes.record = cursor.number<std::uint64_t>("struct_size");
  if (sizes.record < smallest_kernel)
    cursor.refuse(sizes.offset, "struct_size",
                  fmt::format("{} is below the {} bytes of the smallest record", sizes.record,
                              smallest_kernel));
  sizes.binaries = cursor.number<std::uint64_t>("binaries_size");
  sizes.arguments = cursor.number<std::uint32_t>("arginfo_size");
  return sizes;
}

/// PoCL finds the files by these sizes and not by reading up to them: both ways have to agree.
void check_sizes(Cursor& cursor, const Sizes& sizes, std::size_t argument_bytes) {
  if (argument_bytes != sizes.arguments)
    cursor.refuse(sizes.offset + 16, "arginfo_size",
                  fmt::format("{} are announced, the arguments take {} bytes", sizes.arguments,
                              argument_bytes));
  if (sizes.binaries != cursor.left())
    cursor.refuse(sizes.offset + 8, "binaries_size",
                  fmt::format("{} are announced, the record has {} bytes left for files",
                              sizes.binaries, cursor.left()));
}

}  // namespace

Kernel read_kernel(Cursor& cursor, const Layout& layout) {
  Kernel kernel;
  const Sizes sizes = read_sizes(cursor);
  if (!cursor.ok()) return kernel;
  const std::size_t end = cursor.narrow(sizes.record - (cursor.at() - sizes.offset), "struct_size");
  kernel.name = read_name(cursor, layout);
  const auto arguments = cursor.count(smallest_argument, "arguments");
  const auto locals = cursor.count(sizeof(std::uint64_t), "automatic locals");
  for (auto& size : kernel.required_size)
    size = cursor.number<std::uint64_t>("required work-group size");
  for (std::uint32_t i = 0; i < locals && cursor.ok(); ++i)
    kernel.local_sizes.push_back(cursor.number<std::uint64_t>("size of an automatic local"));
  kernel.attributes = as_text(cursor.block("attributes"));
  read_metadata(cursor, layout, kernel);
  const std::size_t first_argument = cursor.at();
  for (std::uint32_t i = 0; i < arguments && cursor.ok(); ++i)
    kernel.arguments.push_back(read_argument(cursor));
  if (cursor.ok()) check_sizes(cursor, sizes, cursor.at() - first_argument);
  read_files(cursor, layout, kernel);
  cursor.widen(end);
  return kernel;
}

}  // namespace kiln::poclbin
