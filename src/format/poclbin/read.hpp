#pragma once

#include "base/cursor.hpp"
#include "format/poclbin.hpp"
#include "format/poclbin/layout.hpp"

/// The parts of parse, one for each part of the grammar. Failures stay in the cursor.
namespace kiln::poclbin {

struct Header {
  const Layout* layout = nullptr;  ///< null after a failure
  std::uint32_t roots = 0, kernels = 0;
};

/// The header; its values that the model keeps go into `into`.
Header read_header(Cursor& cursor, Archive& into);

/// One file record with a safe path.
File read_file(Cursor& cursor);

/// One root entry: its size and the files in it.
std::vector<File> read_root(Cursor& cursor);

/// One kernel record; its sizes have to meet, and its files to lie in its folder.
Kernel read_kernel(Cursor& cursor, const Layout& layout);

/// Refuses two kernels of one name, one path twice, and a file where another path needs a folder.
void refuse_duplicates(Cursor& cursor, const Archive& archive);

}  // namespace kiln::poclbin
