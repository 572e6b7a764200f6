#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/clang/library.hpp"

/// A text that libclang has parsed.
namespace kiln::clang {

/// The space in which an object of a canonical type lies.
enum class Space : std::uint8_t;
Space space_of(const Library& clang, CXType type);
bool is_array(CXTypeKind kind);

struct Diagnostic {
  bool is_error = false;
  std::string file;  ///< as #line directives say
  std::uint32_t line = 0, column = 0;
  std::uint32_t at = 0;     ///< byte in the text
  bool is_in_file = false;  ///< rather than in a header of clang's own
  std::string message;
};

/// A text that libclang has parsed. Not thread-safe; several may live at once.
class Unit {
 public:
  /// Parses OpenCL C with the built-in functions of the language, for a device with 64-bit
  /// addresses. `options` are the compiler's (-cl-std=…, -D…), `prefix` is put in front of the text
  /// and not counted in its bytes, `flags` are of CXTranslationUnit_Flags. Throws Error:
  /// unsupported, never for the text's sake but only where options are wrong or there is no
  /// libclang.
  static Unit parse(std::string_view text, const std::vector<std::string>& options,
                    std::string_view prefix = {}, unsigned flags = CXTranslationUnit_None);

  const Library& library() const { return *library_; }
  CXCursor cursor() const { return library_->getTranslationUnitCursor(unit_.get()); }
  /// Bytes of the text; 0 of what is in the prefix.
  std::uint32_t at(CXSourceLocation location) const;
  std::uint32_t at(CXCursor cursor) const { return at(library_->getCursorLocation(cursor)); }
  std::uint32_t begin(CXCursor cursor) const {
    return at(library_->getRangeStart(library_->getCursorExtent(cursor)));
  }
  std::uint32_t end(CXCursor cursor) const {
    return at(library_->getRangeEnd(library_->getCursorExtent(cursor)));
  }
  /// Whether something begins in the prefix.
  bool is_in_prefix(CXCursor cursor) const {
    return library_->is_in_file(cursor) &&
           library_->offset(library_->getRangeStart(library_->getCursorExtent(cursor))) < prefix_;
  }
  std::vector<Diagnostic> diagnostics() const;
  /// Ranges of bytes that conditionals leave out; only with the detailed preprocessing record.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> skipped() const;

 private:
  explicit Unit(const Library& library);
  const Library* library_;
  std::uint32_t prefix_ = 0;  ///< bytes
  std::unique_ptr<void, decltype(Library::disposeIndex)> index_;
  std::unique_ptr<CXTranslationUnitImpl, decltype(Library::disposeTranslationUnit)> unit_;
};

/// What libclang has of a Tree.
struct Origin {
  Unit unit;
  std::deque<CXType> types;            ///< by Type::number
  std::vector<CXCursor> declarations;  ///< by their numbers in Tree::declarations
};

}  // namespace kiln::clang
