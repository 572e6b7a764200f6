#include "format/poclbin/names.hpp"
#include "format/poclbin/read.hpp"

namespace kiln::poclbin {

void walk(Cursor& cursor, Archive& header, Visitor& visitor) {
  const Header counts = read_header(cursor, header);
  Names kernels, paths;
  std::vector<File> files;
  for (std::uint32_t i = 0; i < counts.roots && cursor.ok(); ++i) {
    read_root(cursor, *counts.layout, files);
    for (const File& file : files) paths.add(file.path);
    visitor.root(files);
  }
  Kernel kernel;
  for (std::uint32_t i = 0; i < counts.kernels && cursor.ok(); ++i) {
    read_kernel(cursor, *counts.layout, kernel);
    kernels.add(kernel.name);
    for (const File& file : kernel.files) paths.add(file.path);
    visitor.kernel(kernel);
  }
  if (cursor.left() > 0)
    cursor.refuse(cursor.at(), "end", "bytes are left over after the last kernel");
  if (!cursor.ok()) return;
  kernels.refuse_twice(cursor, "kernel name");
  paths.refuse_conflicts(cursor, "file path");
}

}  // namespace kiln::poclbin
