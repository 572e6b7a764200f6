// Kernels read by libclang: its cursors made a Syntax.
#include "mesh/codegen/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/data/text.hpp"
#include "kernel/clang/unit.hpp"
#include "kernel/source/lexer.hpp"
#include "mesh/codegen/user_text.hpp"

namespace kiln::mesh {
namespace {

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

/// The first error, with the user's file, line and column.
std::optional<Error> first_error(const clang::Unit& unit,
                                 const std::vector<ConstShape>& constants) {
  for (const auto& one : unit.diagnostics())
    if (one.is_error)
      return Error(Errc::bad_input, fmt::format("{}:{}:{}: {}{}", one.file, one.line, one.column,
                                                one.message, hint(one.message, constants)));
  return std::nullopt;
}

/// Turns libclang's cursors into a Syntax. One use; not thread-safe.
class SyntaxReader {
 public:
  /// `skipped`: bytes in front of the Source's text in the file that clang read.
  SyntaxReader(const clang::Library& clang, Syntax& into, std::uint32_t skipped)
      : clang_(clang), into_(into), skipped_(skipped) {}
  void read(CXCursor unit);

 private:
  void read_top(CXCursor cursor);
  void read_function(CXCursor cursor);
  void find_close(std::uint32_t from, std::uint32_t& close, std::uint32_t& void_at) const;
  Node read_node(CXCursor cursor);
  int declaration_of(CXCursor cursor);
  CType type_of(CXType type) const;
  std::uint32_t offset(CXSourceLocation location) const;

  const clang::Library& clang_;
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
  const std::uint32_t at = clang_.offset(location);
  return at < skipped_ ? 0 : at - skipped_;
}

CType SyntaxReader::type_of(CXType type) const {
  CType result;
  result.spelling = without_spaces(clang_.text(clang_.getTypeSpelling(type)));
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
  clang_.for_children(unit, [&](CXCursor cursor) {
    if (clang_.Location_isFromMainFile(clang_.getCursorLocation(cursor)) != 0) read_top(cursor);
  });
}

void SyntaxReader::read_top(CXCursor cursor) {
  if (cursor.kind == CXCursor_FunctionDecl) return read_function(cursor);
  if (cursor.kind == CXCursor_VarDecl) declaration_of(cursor);
  if (cursor.kind == CXCursor_TypedefDecl) {
    const CType type = type_of(clang_.getCursorType(cursor));
    if (type.depth == 0 && type.scalar && is_floating(*type.scalar))
      into_.floating_types[clang_.name(cursor)] = *type.scalar;
  }
}

int SyntaxReader::declaration_of(CXCursor cursor) {
  if (clang_.Cursor_isNull(cursor) != 0 ||
      clang_.Location_isFromMainFile(clang_.getCursorLocation(cursor)) == 0)
    return -1;
  const std::uint32_t raw = clang_.offset(clang_.getCursorLocation(cursor));
  if (const auto found = known_.find(raw); found != known_.end()) return found->second;
  Declaration made;
  made.name = clang_.name(cursor);
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
    if (token.is("*")) void_at = 0;
    if (token.is("(")) ++depth;
    if (token.is(")") && --depth == 0) {
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
  clang_.for_children(cursor, [&](CXCursor child) {
    if (child.kind == CXCursor_ParmDecl) parameters.push_back(declaration_of(child));
  });
  if (!parameters.empty()) void_at = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    into_.declarations[static_cast<std::size_t>(parameters[i])].number = static_cast<int>(i);
  std::string name = clang_.name(cursor);
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
  clang_.for_children(cursor, [&](CXCursor child) {
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
  clang_.for_children(cursor, [&](CXCursor child) { node.children.push_back(read_node(child)); });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> operands;
  for (const auto& child : node.children) operands.emplace_back(child.begin, child.end);
  node.operation =
      clang::operation_of(into_.source->text(), cursor.kind, node.begin, node.end, operands);
  return node;
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
  // Generic pointers and constants in global memory are the nearest to plain C that clang's OpenCL
  // offers; the text that we make of it is OpenCL C 1.2.
  const auto unit =
      clang::Unit::parse(prefix + source->text(), {"-cl-std=CL2.0", "-Wno-everything"});
  if (!unit) return tl::unexpected(unit.error());
  if (auto error = first_error(*unit, constants)) return tl::unexpected(*error);
  Syntax syntax;
  syntax.source = source;
  syntax.constants = constants;
  SyntaxReader(unit->library(), syntax, static_cast<std::uint32_t>(prefix.size()))
      .read(unit->cursor());
  return syntax;
}

std::optional<Error> opencl_error(const std::string& text,
                                  std::initializer_list<const char*> options) {
  std::vector<std::string> all = {"-Wno-everything", "-cl-std=CL1.2"};
  all.insert(all.end(), options.begin(), options.end());
  return first_error(value_or_throw(clang::Unit::parse(text, all)), {});
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
