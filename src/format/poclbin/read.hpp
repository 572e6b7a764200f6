#pragma once

#include "base/cursor.hpp"
#include "format/poclbin.hpp"
#include "format/poclbin/layout.hpp"

/// The parts of parse and verify, one for each part of the grammar. Failures stay in the cursor.
namespace kiln::poclbin {

struct Header {
  const Layout* layout = nullptr;  ///< null after a failure
  std::uint32_t roots = 0, kernels = 0;
};

/// The header; its values that the model keeps go into `into`.
Header read_header(Cursor& cursor, Archive& into);

/// One file record with a safe path.
File read_file(Cursor& cursor);

/// One root entry as the layout has it; `into` is cleared first.
void read_root(Cursor& cursor, const Layout& layout, std::vector<File>& into);

/// One kernel record; its sizes have to meet, and its files to lie in its folder. What `into` holds
/// is replaced and its memory used again.
void read_kernel(Cursor& cursor, const Layout& layout, Kernel& into);

/// What a walk over an archive hands its caller, part by part. The caller may take it away.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void root(std::vector<File>& files) = 0;
  virtual void kernel(Kernel& kernel) = 0;
};

/// Reads a whole archive and checks all of it; `header` gets the header's values. One root entry
/// and one kernel are in memory at a time, besides 27 bytes for each path.
void walk(Cursor& cursor, Archive& header, Visitor& visitor);

}  // namespace kiln::poclbin
