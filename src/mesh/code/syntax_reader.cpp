#include "mesh/code/syntax_reader.hpp"

#include <algorithm>

#include "kernel/source/lexer.hpp"

namespace kiln::mesh {
namespace {

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

}  // namespace

std::string SyntaxReader::text(CXString string) const {
  const char* characters = clang_.getCString(string);
  std::string copy = characters == nullptr ? "" : characters;
  clang_.disposeString(string);
  return copy;
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
      into_.real_types[text(clang_.getCursorSpelling(cursor))] = *type.scalar;
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

// libclang 15 does not tell which operator a node has: it stands between or beside the operands.
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

}  // namespace kiln::mesh
