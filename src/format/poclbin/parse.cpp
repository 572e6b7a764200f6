// Reads real archives: one function for each part of the grammar in poclbin.hpp, whose failures
// stay in the cursor, and the walk over them that parse and verify share.
#include <fmt/format.h>

#include <algorithm>

#include "base/data/cursor.hpp"
#include "format/poclbin/layout.hpp"
#include "format/poclbin/path.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

constexpr std::string_view magic("poclbin", 8);      // its NUL included
constexpr std::uint64_t binary_types[] = {1, 2, 4};  // CL_PROGRAM_BINARY_TYPE_*

void read_magic(Cursor& cursor) {
  if (cursor.left() < magic.size())
    cursor.refuse(0, "magic", "not a program archive: expected \"poclbin\" and a NUL");
  const std::string_view found = as_text(cursor.take(magic.size(), "magic"));
  if (!cursor.ok() || found == magic) return;
  // The layout that an old wiki page proposed has no NUL there but the version's low byte.
  if (found.starts_with("poclbin") && found.back() == '\1')
    cursor.refuse(7, "magic",
                  "found the layout of PoCL's old wiki page, which has no kernels; expected a NUL",
                  Errc::unsupported);
  cursor.refuse(0, "magic", "not a program archive: expected \"poclbin\" and a NUL");
}

const Layout* read_version(Cursor& cursor) {
  const std::size_t offset = cursor.at();
  const auto version = cursor.number<std::uint32_t>("version");
  const Layout* layout = layout_of(version);
  // PoCL reads any later version and misreads it; a refusal costs one compile.
  if (layout == nullptr && cursor.ok())
    cursor.refuse(
        offset, "version",
        fmt::format("found {}, expected {} to {}", version, oldest_version, newest_version),
        Errc::unsupported);
  return layout;
}

void read_flags(Cursor& cursor, const Layout& layout, Archive& into) {
  if (!layout.flags) return;
  const std::size_t offset = cursor.at();
  into.flags = cursor.number<std::uint64_t>("flags");
  if (!cursor.ok()) return;
  const std::uint64_t known = flush_denormals | layout.program_scope_flag;
  const unsigned shift = layout.binary_type_shift;
  const std::uint64_t type_bits = shift == 0 ? 0 : ~std::uint64_t{0} << shift;
  if ((into.flags & ~(known | type_bits)) != 0)
    cursor.refuse(offset, "flags", fmt::format("{:#x} has an unknown bit", into.flags));
  const std::uint64_t type = into.flags >> shift;
  if (shift == 0) return;
  if (std::find(std::begin(binary_types), std::end(binary_types), type) == std::end(binary_types))
    cursor.refuse(offset, "flags", fmt::format("the binary type is {}, expected 1, 2 or 4", type));
}

std::uint32_t read_root_count(Cursor& cursor, const Layout& layout) {
  if (layout.root != Root::entries) return static_cast<std::uint32_t>(layout.most_roots);
  const std::size_t offset = cursor.at();
  const auto roots = cursor.count(smallest_root, "root entries");
  if (cursor.ok() && (roots < layout.fewest_roots || roots > layout.most_roots))
    cursor.refuse(offset, "root entries",
                  fmt::format("found {}, version {} has {} to {}", roots, layout.version,
                              layout.fewest_roots, layout.most_roots));
  return roots;
}

/// The hash names the folder that PoCL unpacks into (and may delete), so only its own letters pass.
std::string_view read_build_hash(Cursor& cursor) {
  const std::size_t offset = cursor.at();
  const std::string_view field = as_text(cursor.take(build_hash_size + 1, "build hash"));
  if (!cursor.ok()) return {};
  for (std::size_t i = 0; i < build_hash_size; ++i)
    if (i == 2 ? field[i] != '/' : field[i] < 'A' || field[i] > 'P')
      cursor.refuse(
          offset + i, "build hash",
          fmt::format("found byte {:#04x}, expected {}", static_cast<unsigned char>(field[i]),
                      i == 2 ? "a slash" : "a letter from A to P"));
  if (field.back() != '\0')
    cursor.refuse(offset + build_hash_size, "build hash", "expected a NUL after 40 characters");
  return field.substr(0, build_hash_size);
}

/// What the header says of the parts that follow.
struct Header {
  const Layout* layout = nullptr;  ///< null after a failure
  std::uint32_t roots = 0, kernels = 0;
};

/// The header; its values that the model keeps go into `into`.
Header read_header(Cursor& cursor, Archive& into) {
  Header header;
  read_magic(cursor);
  into.device_id = cursor.number<std::uint64_t>("device id");
  const Layout* layout = read_version(cursor);
  if (layout == nullptr) return header;
  into.version = layout->version;
  header.kernels = cursor.count(layout->smallest_kernel, "kernels");
  read_flags(cursor, *layout, into);
  header.roots = read_root_count(cursor, *layout);
  into.build_hash = read_build_hash(cursor);
  if ((into.flags & layout->program_scope_flag) != 0)
    into.program_scope_bytes = cursor.number<std::uint64_t>("program-scope bytes");
  if (cursor.ok()) header.layout = layout;
  return header;
}

/// One file record with a safe path.
File read_file(Cursor& cursor) {
  File file;
  const std::size_t offset = cursor.at() + sizeof(std::uint32_t);
  file.path = as_text(cursor.block("file path"));
  if (!cursor.ok()) return file;
  if (const char* problem = path_problem(file.path))
    cursor.refuse(offset, "file path", fmt::format("found {}", problem));
  file.content = cursor.block("file content");
  return file;
}

void read_entry(Cursor& cursor, std::vector<File>& into) {
  const std::size_t offset = cursor.at();
  const auto size = cursor.number<std::uint64_t>("root entry");
  // PoCL writes no empty entry, and reads one as a file that is not there.
  if (size == 0) cursor.refuse(offset, "root entry", "an entry of 0 bytes");
  const std::size_t end = cursor.narrow(size, "root entry");
  while (cursor.left() > 0) into.push_back(read_file(cursor));
  cursor.widen(end);
}

/// One root entry as the layout has it; `into` is cleared first.
void read_root(Cursor& cursor, const Layout& layout, std::vector<File>& into) {
  into.clear();
  if (layout.root == Root::entries)
    read_entry(cursor, into);
  else
    into.push_back(read_file(cursor));
}

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

/// One kernel record; its sizes have to meet, and its files to lie in its folder. What `kernel`
/// holds is replaced and its memory used again.
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

/// Reads a whole archive and checks all of it; `header` gets the header's values. Each root entry's
/// files go to `add_root` and each kernel to `add_kernel`, which may take them away. One root entry
/// and one kernel are in memory at a time, besides 27 bytes for each path.
template <class AddRoot, class AddKernel>
void walk(Cursor& cursor, Archive& header, const AddRoot& add_root, const AddKernel& add_kernel) {
  const Header counts = read_header(cursor, header);
  Names kernels, paths;
  std::vector<File> files;
  for (std::uint32_t i = 0; i < counts.roots && cursor.ok(); ++i) {
    read_root(cursor, *counts.layout, files);
    for (const File& file : files) paths.add(file.path);
    add_root(files);
  }
  Kernel kernel;
  for (std::uint32_t i = 0; i < counts.kernels && cursor.ok(); ++i) {
    read_kernel(cursor, *counts.layout, kernel);
    kernels.add(kernel.name);
    for (const File& file : kernel.files) paths.add(file.path);
    add_kernel(kernel);
  }
  if (cursor.left() > 0)
    cursor.refuse(cursor.at(), "end", "bytes are left over after the last kernel");
  if (!cursor.ok()) return;
  kernels.refuse_twice(cursor, "kernel name");
  paths.refuse_conflicts(cursor, "file path");
}

constexpr std::size_t device_id_at = 8;

}  // namespace

const char* name_of(Form form) { return form == Form::real ? "PoCL's" : "the wiki's"; }

std::optional<Form> form_of(ByteView bytes) {
  constexpr std::string_view letters = "poclbin";
  if (bytes.size() <= letters.size() || !as_text(bytes).starts_with(letters)) return std::nullopt;
  return bytes[letters.size()] == std::byte{0} ? Form::real : Form::wiki;
}

const Kernel* Archive::find(std::string_view name) const {
  for (const Kernel& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

bool File::operator==(const File& other) const {
  return path == other.path && as_text(content) == as_text(other.content);
}

Expected<Archive> parse(ByteView bytes) {
  Cursor cursor(bytes, "program archive");
  Archive archive;
  walk(
      cursor, archive, [&](std::vector<File>& files) { archive.root.push_back(std::move(files)); },
      [&](Kernel& kernel) { archive.kernels.push_back(std::move(kernel)); });
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  return archive;
}

Expected<Verified> verify(ByteView bytes, std::optional<std::uint64_t> device_id) {
  if (form_of(bytes) == Form::wiki) return wiki::verify(bytes);
  Cursor cursor(bytes, "program archive");
  Verified verified;
  Archive header;
  const auto count = [&](const std::vector<File>& files) {
    verified.files += files.size();
    for (const File& file : files) verified.content_bytes += file.content.size();
  };
  walk(cursor, header, count, [&](const Kernel& kernel) {
    ++verified.kernels;
    count(kernel.files);
  });
  if (device_id && header.device_id != *device_id)
    cursor.refuse(device_id_at, "device id",
                  fmt::format("found {:#018x}, expected {:#018x}", header.device_id, *device_id));
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  verified.version = header.version;
  return verified;
}

}  // namespace kiln::poclbin
