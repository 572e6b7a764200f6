#include "format/poclbin/read.hpp"

namespace kiln::poclbin {

Expected<Archive> parse(ByteView bytes) {
  Cursor cursor(bytes, "program archive");
  Archive archive;
  const Header header = read_header(cursor, archive);
  for (std::uint32_t i = 0; i < header.roots && cursor.ok(); ++i)
    archive.root.push_back(read_root(cursor));
  for (std::uint32_t i = 0; i < header.kernels && cursor.ok(); ++i)
    archive.kernels.push_back(read_kernel(cursor, *header.layout));
  if (cursor.left() > 0)
    cursor.refuse(cursor.at(), "end", "bytes are left over after the last kernel");
  if (cursor.ok()) refuse_duplicates(cursor, archive);
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  return archive;
}

const Kernel* Archive::find(std::string_view name) const {
  for (const Kernel& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

bool File::operator==(const File& other) const {
  return path == other.path && as_text(content) == as_text(other.content);
}

}  // namespace kiln::poclbin
