// Kernels read by libclang, in three steps: the library, opened when it is needed; a text that it
// has parsed; its cursors made a Syntax.
#include "mesh/codegen/syntax.hpp"

#include <clang-c/Index.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/lifetime.hpp"
#include "base/text.hpp"
#include "kernel/source/lexer.hpp"
#include "mesh/codegen/user_text.hpp"

namespace kiln::mesh {
namespace {

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

constexpr const char* library_files[] = {"/usr/lib/llvm-15/lib/libclang-15.so.1",
                                         "libclang-15.so.1"};

// libclang finds its own symbols before those of a driver that brings another LLVM. Sanitizers
// replace functions of all libraries and take no such flag.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int open_flags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int open_flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

Expected<ClangLibrary> open_library() {
  void* handle = nullptr;
  for (const char* place : library_files)
    if ((handle = ::dlopen(place, open_flags)) != nullptr) break;
  if (handle == nullptr)
    return fail(Errc::unsupported,
                "reading mesh kernels takes libclang 15 (libclang-15.so.1, Debian's package "
                "libclang1-15), which is not on this machine");
  ClangLibrary library;
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr) missing = name;
  };
#define KILN_FIND(name) find(library.name, "clang_" #name);
  KILN_CLANG_FUNCTIONS(KILN_FIND)
#undef KILN_FIND
  if (!missing.empty()) return fail(Errc::unsupported, "libclang 15 here has no " + missing);
  return library;
}

Expected<const ClangLibrary*> ClangLibrary::get() {
  // Never closed: at exit its destructors would meet those of drivers that hold an LLVM, too.
  static const NeverDestroyed<Expected<ClangLibrary>> library(open_library());
  if (!*library) return tl::unexpected(library->error());
  return &**library;
}

std::string copy(const ClangLibrary& clang, CXString string) {
  const char* characters = clang.getCString(string);
  std::string text = characters == nullptr ? "" : characters;
  clang.disposeString(string);
  return text;
}

// Generic pointers and constants in global memory are the nearest to plain C that clang's OpenCL
// offers; the text that we make of it is OpenCL C 1.2. The built-in functions come from a table
// within clang, which takes 10 ms instead of 300 for their header.
constexpr const char* clang_options[] = {"-x",
                                         "cl",
                                         "-Xclang",
                                         "-finclude-default-header",
                                         "-Xclang",
                                         "-fdeclare-opencl-builtins",
                                         "-target",
                                         "spir64",
                                         "-Wno-everything"};

std::string declare(const std::vector<ConstShape>& constants) {
  std::string text;
  for (const auto& constant : constants)
    text += fmt::format("extern const {} {}{};\n", name_of(constant.type), constant.name,
                        constant.scalar ? "" : fmt::format("[{}]", constant.dim));
  return text;
}

/// The constant that an unknown name may have meant.
std::string hint(const std::string& message, const std::vector<ConstShape>& constants) {
  constexpr std::string_view start = "use of undeclared identifier '";
  if (!message.starts_with(start) || message.find("did you mean") != std::string::npos) return {};
  const std::string name =
      message.substr(start.size(), message.find('\'', start.size()) - start.size());
  std::vector<std::string_view> names;
  for (const auto& constant : constants) names.push_back(constant.name);
  const std::string meant = did_you_mean(name, names);
  return meant.empty() ? "; no constant of this name is declared" : meant;
}

/// Words that C gives to its users and OpenCL C does not.
constexpr std::string_view opencl_words[] = {"constant", "generic", "global", "half",
                                             "kernel",   "local",   "pipe",   "private"};

/// The text with such words made names again.
SourcePtr as_names(const SourcePtr& source) {
  std::vector<Edit> edits;
  const std::string& text = source->text();
  const Lexed lexed = lex(text);
  for (const auto& token : lexed.tokens)
    if (token.kind == TokenKind::identifier &&
        std::find(std::begin(opencl_words), std::end(opencl_words), token.text) !=
            std::end(opencl_words))
      edits.push_back({token.end, 0, "_kiln"});
  if (edits.empty()) return source;
  return std::make_shared<const ExpandedSource>(
      edited(text, 0, static_cast<std::uint32_t>(text.size()), std::move(edits)), source->name());
}

/// A text that libclang has read.
class Unit {
 public:
  static Expected<Unit> parse(const std::string& text, const char* standard,
                              std::initializer_list<const char*> more = {}) {
    const auto library = ClangLibrary::get();
    if (!library) return tl::unexpected(library.error());
    const ClangLibrary& clang = **library;
    constexpr const char* name = "kiln-mesh-kernel.cl";
    CXUnsavedFile file{name, text.data(), text.size()};
    std::vector<const char*> arguments(std::begin(clang_options), std::end(clang_options));
    arguments.push_back(standard);
    arguments.insert(arguments.end(), more);
    Unit unit(clang);
    CXTranslationUnit raw = nullptr;
    const CXErrorCode code = clang.parseTranslationUnit2(unit.index_.get(), name, arguments.data(),
                                                         static_cast<int>(arguments.size()), &file,
                                                         1, CXTranslationUnit_None, &raw);
    unit.unit_.reset(raw);
    if (code == CXError_Success && raw != nullptr) return unit;
    return fail(Errc::unsupported, fmt::format("libclang could not read the kernel (code {})",
                                               static_cast<int>(code)));
  }
  const ClangLibrary& clang() const { return *clang_; }
  CXCursor cursor() const { return clang_->getTranslationUnitCursor(unit_.get()); }

  /// The first error, with the user's file, line and column.
  std::optional<Error> first_error(const std::vector<ConstShape>& constants) const {
    for (unsigned i = 0; i < clang_->getNumDiagnostics(unit_.get()); ++i) {
      const std::unique_ptr<void, decltype(clang_->disposeDiagnostic)> diagnostic(
          clang_->getDiagnostic(unit_.get(), i), clang_->disposeDiagnostic);
      if (clang_->getDiagnosticSeverity(diagnostic.get()) < CXDiagnostic_Error) continue;
      CXString file;
      unsigned line = 0, column = 0;
      clang_->getPresumedLocation(clang_->getDiagnosticLocation(diagnostic.get()), &file, &line,
                                  &column);
      const std::string message = copy(*clang_, clang_->getDiagnosticSpelling(diagnostic.get()));
      return Error(Errc::bad_input, fmt::format("{}:{}:{}: {}{}", copy(*clang_, file), line, column,
                                                message, hint(message, constants)));
    }
    return std::nullopt;
  }

 private:
  explicit Unit(const ClangLibrary& clang)
      : clang_(&clang),
        index_(clang.createIndex(0, 0), clang.disposeIndex),
        unit_(nullptr, clang.disposeTranslationUnit) {}
  const ClangLibrary* clang_;
  std::unique_ptr<void, decltype(ClangLibrary::disposeIndex)> index_;
  std::unique_ptr<CXTranslationUnitImpl, decltype(ClangLibrary::disposeTranslationUnit)> unit_;
};

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
  std::string text(CXString string) const { return copy(clang_, string); }
  template <class Visit>
  void for_children(CXCursor cursor, Visit visit) const;

  const ClangLibrary& clang_;
  Syntax& into_;
  std::uint32_t skipped_;
  std::map<std::uint32_t, int> known_;  ///< declarations by where their names stand
};

std::optional<ScalarType> scalar_of(CXTypeKind kind) {
  switch (kind) {
    case CXType_Char_S:
    case CXType_SChar:
      return ScalarType::i8;
    case CXType_Char_U:
    case CXType_UChar:
      return ScalarType::u8;
    case CXType_Short:
      return ScalarType::i16;
    case CXType_UShort:
      return ScalarType::u16;
    case CXType_Int:
      return ScalarType::i32;
    case CXType_UInt:
      return ScalarType::u32;
    case CXType_Long:
    case CXType_LongLong:
      return ScalarType::i64;
    case CXType_ULong:
    case CXType_ULongLong:
      return ScalarType::u64;
    case CXType_Float:
      return ScalarType::f32;
    case CXType_Double:
      return ScalarType::f64;
    default:
      return std::nullopt;
  }
}

/// "const __generic double *__private" as its author wrote it: "const double *".
std::string without_spaces(std::string spelling) {
  for (const std::string_view word : {"__generic ", "__private ", "__global ", " __private",
                                      "__private", "__generic", "__global"})
    for (std::size_t at; (at = spelling.find(word)) != std::string::npos;)
      spelling.erase(at, word.size());
  return spelling;
}

std::uint32_t SyntaxReader::offset(CXSourceLocation location) const {
  unsigned at = 0;
  clang_.getSpellingLocation(location, nullptr, nullptr, nullptr, &at);
  return at < skipped_ ? 0 : at - skipped_;
}

template <class Visit>
void SyntaxReader::for_children(CXCursor cursor, Visit visit) const {
  clang_.visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        (*static_cast<Visit*>(data))(child);
        return CXChildVisit_Continue;
      },
      &visit);
}

CType SyntaxReader::type_of(CXType type) const {
  CType result;
  result.spelling = without_spaces(text(clang_.getTypeSpelling(type)));
  type = clang_.getCanonicalType(type);
  for (bool outermost = true;; outermost = false) {
    const bool array = type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
                       type.kind == CXType_VariableArray;
    if (!array && type.kind != CXType_Pointer) break;
    if (array) {
      (outermost ? result.array : result.rows) = true;
      (outermost ? result.length : result.row_length) = clang_.getArraySize(type);
    }
    type = clang_.getCanonicalType(array ? clang_.getArrayElementType(type)
                                         : clang_.getPointeeType(type));
    ++result.depth;
  }
  result.is_const = clang_.isConstQualifiedType(type) != 0;
  result.scalar = scalar_of(type.kind);
  return result;
}

void SyntaxReader::read(CXCursor unit) {
  for_children(unit, [&](CXCursor cursor) {
    if (clang_.Location_isFromMainFile(clang_.getCursorLocation(cursor)) != 0) read_top(cursor);
  });
}

void SyntaxReader::read_top(CXCursor cursor) {
  if (cursor.kind == CXCursor_FunctionDecl) return read_function(cursor);
  if (cursor.kind == CXCursor_VarDecl) declaration_of(cursor);
  if (cursor.kind == CXCursor_TypedefDecl) {
    const CType type = type_of(clang_.getCursorType(cursor));
    if (type.depth == 0 && type.scalar && is_floating(*type.scalar))
      into_.floating_types[text(clang_.getCursorSpelling(cursor))] = *type.scalar;
  }
}

int SyntaxReader::declaration_of(CXCursor cursor) {
  if (clang_.Cursor_isNull(cursor) != 0 ||
      clang_.Location_isFromMainFile(clang_.getCursorLocation(cursor)) == 0)
    return -1;
  unsigned raw = 0;
  clang_.getSpellingLocation(clang_.getCursorLocation(cursor), nullptr, nullptr, nullptr, &raw);
  if (const auto found = known_.find(raw); found != known_.end()) return found->second;
  Declaration made;
  made.name = text(clang_.getCursorSpelling(cursor));
  made.type = type_of(clang_.getCursorType(cursor));
  made.begin = offset(clang_.getRangeStart(clang_.getCursorExtent(cursor)));
  made.name_at = offset(clang_.getCursorLocation(cursor));
  if (raw < skipped_) {
    made.kind = Declaration::Kind::constant;
    for (std::size_t i = 0; i < into_.constants.size(); ++i)
      if (into_.constants[i].name == made.name) made.number = static_cast<int>(i);
  } else if (cursor.kind == CXCursor_ParmDecl) {
    made.kind = Declaration::Kind::parameter;
  } else if (cursor.kind == CXCursor_VarDecl) {
    made.kind = Declaration::Kind::variable;
  } else if (cursor.kind == CXCursor_FunctionDecl) {
    made.kind = Declaration::Kind::function;
  }
  const int number = static_cast<int>(into_.declarations.size());
  known_[raw] = number;
  into_.declarations.push_back(std::move(made));
  return number;
}

void SyntaxReader::find_close(std::uint32_t from, std::uint32_t& close,
                              std::uint32_t& void_at) const {
  const std::string_view rest = std::string_view(into_.source->text()).substr(from);
  // No list of parameters is longer; a whole text need not be lexed for each function.
  const Lexed lexed = lex(rest.substr(0, 16384));
  int depth = 0;
  for (const auto& token : lexed.tokens) {
    if (token.text == "void" && depth == 1) void_at = from + token.begin;
    if (token.is(punct("*"))) void_at = 0;
    if (token.is(punct("("))) ++depth;
    if (token.is(punct(")")) && --depth == 0) {
      close = from + token.begin;
      return;
    }
  }
}

void SyntaxReader::read_function(CXCursor cursor) {
  const CXSourceRange extent = clang_.getCursorExtent(cursor);
  const std::uint32_t begin = offset(clang_.getRangeStart(extent));
  const std::uint32_t name_at = offset(clang_.getCursorLocation(cursor));
  std::uint32_t close = 0, void_at = 0;
  find_close(name_at, close, void_at);
  const bool is_static = clang_.Cursor_getStorageClass(cursor) == CX_SC_Static;
  std::vector<int> parameters;
  for_children(cursor, [&](CXCursor child) {
    if (child.kind == CXCursor_ParmDecl) parameters.push_back(declaration_of(child));
  });
  if (!parameters.empty()) void_at = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    into_.declarations[static_cast<std::size_t>(parameters[i])].number = static_cast<int>(i);
  std::string name = text(clang_.getCursorSpelling(cursor));
  if (clang_.isCursorDefinition(cursor) == 0) {
    into_.prototypes.push_back(
        {std::move(name), begin, name_at, close, void_at, is_static, !parameters.empty()});
    return;
  }
  Function made;
  made.name = std::move(name);
  made.begin = begin;
  made.end = offset(clang_.getRangeEnd(extent));
  made.name_at = name_at;
  made.close = close;
  made.void_at = void_at;
  made.is_static = is_static;
  made.parameters = std::move(parameters);
  made.result = type_of(clang_.getCursorResultType(cursor));
  for_children(cursor, [&](CXCursor child) {
    if (child.kind == CXCursor_CompoundStmt) made.body = read_node(child);
  });
  into_.functions.push_back(std::move(made));
}

Node SyntaxReader::read_node(CXCursor cursor) {
  Node node;
  node.kind = cursor.kind;
  const CXSourceRange extent = clang_.getCursorExtent(cursor);
  node.begin = offset(clang_.getRangeStart(extent));
  node.end = offset(clang_.getRangeEnd(extent));
  node.type = type_of(clang_.getCursorType(cursor));
  if (cursor.kind == CXCursor_VarDecl)
    node.declaration = declaration_of(cursor);
  else if (cursor.kind == CXCursor_DeclRefExpr || cursor.kind == CXCursor_CallExpr)
    node.declaration = declaration_of(clang_.getCursorReferenced(cursor));
  for_children(cursor, [&](CXCursor child) { node.children.push_back(read_node(child)); });
  name_operation(node);
  return node;
}

// libclang 15 does not tell which operator a node has: it stands before, between or behind the
// operands.
void SyntaxReader::name_operation(Node& node) const {
  std::uint32_t from = 0, to = 0;
  const bool binary =
      node.kind == CXCursor_BinaryOperator || node.kind == CXCursor_CompoundAssignOperator;
  if (binary && node.children.size() == 2) {
    from = node.children[0].end;
    // A second operand that a macro begins has its beginning elsewhere.
    to = node.children[1].begin > from ? node.children[1].begin : node.end;
  } else if (node.kind == CXCursor_UnaryOperator && node.children.size() == 1) {
    const bool prefix = node.begin < node.children[0].begin;
    from = prefix ? node.begin : node.children[0].end;
    to = prefix ? node.children[0].begin : node.end;
  }
  if (to <= from) return;
  const Lexed lexed = lex(std::string_view(into_.source->text()).substr(from, to - from));
  for (const auto& token : lexed.tokens)
    if (token.kind == TokenKind::punctuator && !token.is(punct(")")) && !token.is(punct("("))) {
      node.operation = token.text;
      return;
    }
}

/// File and line of a byte, as #line directives count.
std::pair<std::string, std::uint32_t> place_of(const Syntax& syntax, std::uint32_t at) {
  const Lexed lexed = lex(syntax.source->text());
  for (const auto& token : lexed.tokens)
    if (token.kind != TokenKind::directive && token.end > at)
      return {lexed.files[token.file], token.line};
  return {syntax.source->name(), 1};
}

}  // namespace

int Syntax::function(const std::string& name) const {
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].name == name) return static_cast<int>(i);
  return -1;
}

Expected<Syntax> read_syntax(const SourcePtr& written, const std::vector<ConstShape>& constants) {
  const SourcePtr source = as_names(written);
  const std::string prefix = declare(constants);
  const auto unit = Unit::parse(prefix + source->text(), "-cl-std=CL2.0");
  if (!unit) return tl::unexpected(unit.error());
  if (auto error = unit->first_error(constants)) return tl::unexpected(*error);
  Syntax syntax;
  syntax.source = source;
  syntax.constants = constants;
  SyntaxReader(unit->clang(), syntax, static_cast<std::uint32_t>(prefix.size()))
      .read(unit->cursor());
  return syntax;
}

std::optional<Error> opencl_error(const std::string& text,
                                  std::initializer_list<const char*> options) {
  return value_or_throw(Unit::parse(text, "-cl-std=CL1.2", options)).first_error({});
}

std::string where(const Syntax& syntax, std::uint32_t at) {
  const auto [file, line] = place_of(syntax, at);
  return fmt::format("{}:{}", file, line);
}

std::string line_directive(const Syntax& syntax, std::uint32_t at) {
  const auto [file, line] = place_of(syntax, at);
  return fmt::format("#line {} \"{}\"\n", line, file);
}

}  // namespace kiln::mesh
