#pragma once

#include <clang-c/Index.h>

#include "kiln/error.hpp"

namespace kiln::mesh {

/// The functions of libclang that we call. The library is big and few runs need it (kernels come
/// from the store), so that it is opened when the first kernel is read, and not linked.
struct ClangLibrary {
// clang-format off
#define KILN_CLANG_FUNCTIONS(F) \
  F(createIndex) F(disposeIndex) F(parseTranslationUnit2) F(disposeTranslationUnit) \
  F(getTranslationUnitCursor) F(visitChildren) F(getCursorSpelling) F(getCursorReferenced) \
  F(getCursorExtent) F(getCursorLocation) F(getRangeStart) F(getRangeEnd) \
  F(getSpellingLocation) F(getPresumedLocation) F(getCursorType) F(getCanonicalType) \
  F(getPointeeType) F(getArrayElementType) F(getArraySize) F(isConstQualifiedType) \
  F(getTypeSpelling) F(getCursorResultType) F(Cursor_getStorageClass) F(isCursorDefinition) \
  F(Cursor_isNull) F(getNumDiagnostics) F(getDiagnostic) F(disposeDiagnostic) \
  F(getDiagnosticSeverity) F(getDiagnosticSpelling) F(getDiagnosticLocation) F(getCString) \
  F(disposeString) F(Location_isFromMainFile)
// clang-format on
#define KILN_DECLARE(name) decltype(&clang_##name) name = nullptr;
  KILN_CLANG_FUNCTIONS(KILN_DECLARE)
#undef KILN_DECLARE

  /// Opened at the first call, once a process; thread-safe. Error: unsupported where there is no
  /// libclang 15 on this machine.
  static Expected<const ClangLibrary*> get();
};

}  // namespace kiln::mesh
