#pragma once

#include <clang-c/Index.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"

/// libclang as Kiln uses it: the library, opened when it is needed, and a text that it has parsed.
namespace kiln::clang {

/// The functions of libclang that we call. The library is big and few runs need it (kernels come
/// from the store), so that it is opened when the first text is read, and not linked.
struct Library {
// clang-format off
#define KILN_CLANG_FUNCTIONS(F) \
  F(createIndex) F(disposeIndex) F(parseTranslationUnit2) F(disposeTranslationUnit) \
  F(getTranslationUnitCursor) F(visitChildren) F(getCursorSpelling) F(getCursorReferenced) \
  F(getCursorDefinition) F(getCursorExtent) F(getCursorLocation) F(getRangeStart) F(getRangeEnd) \
  F(getSpellingLocation) F(getPresumedLocation) F(getCursorType) F(getCanonicalType) \
  F(getPointeeType) F(getArrayElementType) F(getArraySize) F(getElementType) F(getNumElements) \
  F(getAddressSpace) F(isConstQualifiedType) F(isVolatileQualifiedType) F(getTypeSpelling) \
  F(getTypeDeclaration) F(getTypedefDeclUnderlyingType) F(Type_getNamedType) F(Type_visitFields) \
  F(Type_getValueType) F(Type_getSizeOf) F(Type_getAlignOf) F(Cursor_isBitField) \
  F(getCursorResultType) F(Cursor_getStorageClass) F(Cursor_getVarDeclInitializer) \
  F(getCursorSemanticParent) F(isCursorDefinition) F(Cursor_isNull) \
  F(getNumDiagnostics) F(getDiagnostic) F(disposeDiagnostic) F(getDiagnosticSeverity) \
  F(getDiagnosticSpelling) F(getDiagnosticLocation) F(getCString) F(disposeString) \
  F(Location_isFromMainFile) F(getFile) F(getSkippedRanges) F(disposeSourceRangeList)
// clang-format on
#define KILN_DECLARE(name) decltype(&clang_##name) name = nullptr;
  KILN_CLANG_FUNCTIONS(KILN_DECLARE)
#undef KILN_DECLARE

  /// Opened at the first call, once a process; thread-safe. Throws Error: unsupported where there
  /// is no libclang 15 on this machine.
  static const Library& get();

  /// Takes libclang's string over.
  std::string text(CXString string) const;
  std::string name(CXCursor cursor) const { return text(getCursorSpelling(cursor)); }
  /// Byte in the file; of what a macro's body wrote, that of the macro's use.
  std::uint32_t offset(CXSourceLocation location) const;
  /// Rather than in a header of clang's own.
  bool is_in_file(CXCursor cursor) const {
    return Location_isFromMainFile(getCursorLocation(cursor)) != 0;
  }
  /// The canonical types of a structure's members.
  std::vector<CXType> fields(CXType record) const;
  template <class Visit>
  void for_children(CXCursor cursor, Visit visit) const {
    visitChildren(
        cursor,
        [](CXCursor child, CXCursor, CXClientData data) {
          (*static_cast<Visit*>(data))(child);
          return CXChildVisit_Continue;
        },
        &visit);
  }
};

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
