#pragma once

#include <clang-c/Index.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kiln/error.hpp"

/// libclang as Kiln uses it: opened when it is needed.
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

  /// Opened at the first call, once a process; thread-safe. Of several the one whose LLVM a driver
  /// has brought into this process is taken, else the newest. Throws Error: unsupported where there
  /// is no libclang on this machine.
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

}  // namespace kiln::clang
