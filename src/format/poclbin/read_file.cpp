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

std::vector<File> read_root(Cursor& cursor) {
  std::vector<File> files;
  const std::size_t offset = cursor.at();
  const auto size = cursor.number<std::uint64_t>("root entry");
  // PoCL writes no empty entry, and reads one as a file that is not there.
  if (size == 0) cursor.refuse(offset, "root entry", "an entry of 0 bytes");
  const std::size_t end = cursor.narrow(size, "root entry");
  while (cursor.left() > 0) files.push_back(read_file(cursor));
  cursor.widen(end);
  return files;
}

}  // namespace kiln::poclbin
