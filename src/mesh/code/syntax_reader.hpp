#pragma once

#include <map>
#include <string>

#include "mesh/code/clang_library.hpp"
#include "mesh/code/syntax.hpp"

namespace kiln::mesh {

/// Turns libclang's cursors into a Syntax. One use; not thread-safe.
class SyntaxReader {
 public:
  /// `skipped`: bytes in front of the Source's text in the file that clang read.
  SyntaxReader(const ClangLibrary& clang, Syntax& into, std::uint32_t skipped)
      : clang_(clang), into_(into), skipped_(skipped) {}
  void read(CXCursor unit);

 private:
  void read_top(CXCursor cursor);
  void read_function(CXCursor cursor);
  void find_close(std::uint32_t from, std::uint32_t& close, std::uint32_t& void_at) const;
  Node read_node(CXCursor cursor);
  void name_operation(Node& node) const;
  int declaration_of(CXCursor cursor);
  CType type_of(CXType type) const;
  std::uint32_t offset(CXSourceLocation location) const;
  std::string text(CXString string) const;
  template <class Visit>
  void for_children(CXCursor cursor, Visit visit) const;

  const ClangLibrary& clang_;
  Syntax& into_;
  std::uint32_t skipped_;
  std::map<std::uint32_t, int> known_;  ///< declarations by where their names stand
};

}  // namespace kiln::mesh
