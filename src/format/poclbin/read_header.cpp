#include <fmt/format.h>

#include <algorithm>

#include "format/poclbin/read.hpp"

namespace kiln::poclbin {
namespace {
using namespace std::string_view_literals;

constexpr std::string_view magic = "poclbin\0"sv;
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

}  // namespace

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

}  // namespace kiln::poclbin
