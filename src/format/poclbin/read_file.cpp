#include <fmt/format.h>

#include "format/poclbin/path.hpp"
#include "format/poclbin/read.hpp"

namespace kiln::poclbin {

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

namespace {

void read_entry(Cursor& cursor, std::vector<File>& into) {
  const std::size_t offset = cursor.at();
  const auto size = cursor.number<std::uint64_t>("root entry");
  // PoCL writes no empty entry, and reads one as a file that is not there.
  if (size == 0) cursor.refuse(offset, "root entry", "an entry of 0 bytes");
  const std::size_t end = cursor.narrow(size, "root entry");
  while (cursor.left() > 0) into.push_back(read_file(cursor));
  cursor.widen(end);
}

}  // namespace

void read_root(Cursor& cursor, const Layout& layout, std::vector<File>& into) {
  into.clear();
  if (layout.root == Root::entries)
    read_entry(cursor, into);
  else
    into.push_back(read_file(cursor));
}

}  // namespace kiln::poclbin
