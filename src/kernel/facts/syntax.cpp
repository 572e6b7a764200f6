// Programs read by libclang: its cursors made a Syntax.
#include "kernel/facts/syntax.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "kernel/facts/bounds.hpp"
#include "kernel/facts/layouts.hpp"

namespace kiln::facts {
namespace {

constexpr int deepest = 400;

bool is_reference(CXCursorKind kind) {
  return (kind >= CXCursor_FirstRef && kind <= CXCursor_LastRef) ||
         (kind >= CXCursor_FirstAttr && kind <= CXCursor_LastAttr);
}
bool is_array(CXTypeKind kind) {
  return kind == CXType_ConstantArray || kind == CXType_IncompleteArray ||
         kind == CXType_VariableArray || kind == CXType_DependentSizedArray;
}
bool is_image(CXTypeKind kind) {
  return kind >= CXType_OCLImage1dRO && kind <= CXType_OCLImage3dRW;  // read only ones first
}

class SyntaxReader {
 public:
  SyntaxReader(const clang::Unit& unit, Syntax& into)
      : clang_(unit.library()), into_(into), layouts_(clang_, aggregates_are_known(unit, into)) {}

  void read(CXCursor unit) {
    clang_.for_children(unit, [&](CXCursor cursor) {
      if (cursor.kind != CXCursor_FunctionDecl || !clang_.is_in_text(cursor)) return;
      declared_.insert(key_of(cursor));
      if (clang_.isCursorDefinition(cursor) != 0) known_functions_[key_of(cursor)] = count_++;
    });
    clang_.for_children(unit, [&](CXCursor cursor) {
      if (known_functions_.contains(key_of(cursor)) && clang_.isCursorDefinition(cursor) != 0)
        read_function(cursor);
    });
  }

 private:
  /// Names a declaration: of the text by its place, of the language by its name.
  using Key = std::tuple<bool, std::uint32_t, std::string>;

  static bool aggregates_are_known(const clang::Unit& unit, const Syntax& syntax) {
    for (const auto& one : unit.diagnostics())
      if (one.message.find("attribute") != std::string::npos) return false;
    const auto& tokens = syntax.lexed.tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i].kind == TokenKind::directive && tokens[i + 1].text == "pack") return false;
    return true;
  }

  void read_function(CXCursor cursor) {
    Function& made = into_.functions.emplace_back();
    function_ = &made;
    made.name = clang_.name(cursor);
    made.begin = clang_.begin(cursor);
    made.end = clang_.end(cursor);
    made.name_at = clang_.offset(clang_.getCursorLocation(cursor));
    made.result = type_of(clang_.getCursorResultType(cursor));
    clang_.for_children(cursor, [&](CXCursor child) {
      if (child.kind == CXCursor_ParmDecl) {
        made.parameters.push_back(declaration_of(child));
        note_type(clang_.getCursorType(child), clang_.begin(child));
        made.uses.push_back(describe(child));
      } else if (child.kind == CXCursor_CompoundStmt) {
        made.body = read_node(child, 0);
      } else if (is_reference(child.kind)) {
        read_attribute(clang_.begin(child), clang_.end(child));
      }
    });
  }

  void read_attribute(std::uint32_t begin, std::uint32_t end) {
    const auto& tokens = into_.lexed.tokens;
    std::size_t i = into_.token_at(begin);
    if (i == tokens.size()) return;
    function_->is_kernel |= tokens[i].text == "kernel" || tokens[i].text == "__kernel";
    if (tokens[i].text.find("reqd_work_group_size") == std::string_view::npos) return;
    std::size_t dimension = 0;
    for (++i; i < tokens.size() && tokens[i].begin < end && dimension < 3; ++i)
      if (tokens[i].kind == TokenKind::number)
        function_->required_local_size[dimension++] =
            std::strtoull(std::string(tokens[i].text).c_str(), nullptr, 0);
  }

  ParameterUse describe(CXCursor parameter) {
    ParameterUse use;
    use.name = clang_.name(parameter);
    const CXType written = clang_.getCursorType(parameter);
    const CXType canonical = clang_.getCanonicalType(written);
    const Type type = parameter_type(written);
    use.is_pointer = type.is_pointer();
    use.is_global = use.is_pointer && type.space == Space::global;
    use.is_constant_space = use.is_pointer && type.space == Space::constant;
    use.is_local = use.is_pointer && type.space == Space::local;
    CXType element = written;
    if (use.is_pointer) {
      // Typedefs between here and the pointer are of no matter; those of the element give its name.
      while (element.kind == CXType_Typedef || element.kind == CXType_Elaborated)
        element = element.kind == CXType_Elaborated
                      ? clang_.Type_getNamedType(element)
                      : clang_.getTypedefDeclUnderlyingType(clang_.getTypeDeclaration(element));
      element = is_array(canonical.kind) ? clang_.getArrayElementType(element)
                                         : clang_.getPointeeType(element);
    }
    use.element_type = layouts_.name_of(element);
    use.layout = layouts_.of(element);
    doubt(clang_.begin(parameter), clang_.end(parameter), element, use);
    use.read = !type.is_written_image && (!use.is_pointer || use.is_local);
    use.written = type.is_written_image || use.is_local;
    return use;
  }

  /// Behind an error clang takes an unknown type for int: of the text's own types nothing holds
  /// then.
  void doubt(std::uint32_t begin, std::uint32_t end, CXType type, ParameterUse& use) const {
    if (into_.errors.empty()) return;
    constexpr std::string_view unknown = "clang: unknown type name '";
    for (const Problem& one : into_.errors) {
      if (!one.what.starts_with(unknown) || one.at < begin || one.at >= end) continue;
      use.element_type =
          one.what.substr(unknown.size(), one.what.find('\'', unknown.size()) - unknown.size());
      use.layout = {};
    }
    while (type.kind == CXType_Elaborated || is_array(type.kind))
      type =
          is_array(type.kind) ? clang_.getArrayElementType(type) : clang_.Type_getNamedType(type);
    const bool is_typedef = type.kind == CXType_Typedef;
    if (!is_typedef || clang_.is_in_text(clang_.getTypeDeclaration(type)))
      if (is_typedef || type.kind == CXType_Record || type.kind == CXType_Enum) use.layout = {};
  }

  /// A parameter that is written as an array is a pointer; libclang shows what is written.
  Type parameter_type(CXType type) {
    Type made = type_of(type);
    if (made.form != Type::Form::array) return made;
    made.form = Type::Form::pointer;
    made.holds_pointers = true;
    made.leads_to_buffers |= made.space == Space::global || made.space == Space::constant ||
                             made.space == Space::generic;
    return made;
  }

  Type type_of(CXType written) {
    Type made;
    const CXType type = clang_.getCanonicalType(written);
    if (type.kind == CXType_Invalid) return made;
    made.space = space_of(type);
    if (type.kind == CXType_Pointer || type.kind == CXType_BlockPointer) {
      const CXType pointee = clang_.getCanonicalType(clang_.getPointeeType(type));
      made.form = Type::Form::pointer;
      made.space = space_of(pointee);
      made.holds_pointers = true;
      made.is_union = clang_.getTypeDeclaration(pointee).kind == CXCursor_UnionDecl;
      made.leads_to_buffers = made.space == Space::global || made.space == Space::constant ||
                              made.space == Space::generic || holds_buffers(pointee);
    } else if (is_array(type.kind)) {
      made.form = Type::Form::array;
      made.leads_to_buffers = made.holds_pointers = holds_buffers(type);
    } else if (is_image(type.kind)) {
      made.form = Type::Form::image;
      made.is_written_image = type.kind > CXType_OCLImage3dRO;
    } else if (type.kind == CXType_Record) {
      made.leads_to_buffers = made.holds_pointers = holds_buffers(type);
      made.is_union = clang_.getTypeDeclaration(type).kind == CXCursor_UnionDecl;
    } else if (type.kind == CXType_Void) {
      made.form = Type::Form::other;
    } else if (type.kind >= CXType_OCLSampler || type.kind == CXType_Pipe) {
      made.form = type.kind == CXType_ExtVector || type.kind == CXType_Atomic ? Type::Form::value
                                                                              : Type::Form::other;
    }
    return made;
  }
  Space space_of(CXType type) const {
    for (;;) {
      // As clang numbers those of the language; those behind the last are global memory's.
      static constexpr Space spaces[] = {Space::private_, Space::global,   Space::local,
                                         Space::constant, Space::private_, Space::generic};
      if (const unsigned space = clang_.getAddressSpace(type); space != 0 || !is_array(type.kind))
        return space < std::size(spaces) ? spaces[space] : Space::global;
      type = clang_.getCanonicalType(clang_.getArrayElementType(type));
    }
  }

  /// Whether something of a type may hold a pointer.
  bool holds_buffers(CXType type) {
    while (is_array(type.kind)) type = clang_.getCanonicalType(clang_.getArrayElementType(type));
    if (type.kind == CXType_Pointer || type.kind == CXType_BlockPointer) return true;
    if (type.kind != CXType_Record) return false;
    const CXCursor declaration = clang_.getTypeDeclaration(type);
    const Key key = key_of(declaration);
    if (const auto known = holding_.find(key); known != holding_.end()) return known->second;
    holding_[key] = true;  // while it is looked at
    bool holds = false;
    for_fields(type, [&](CXType field) { holds = holds || holds_buffers(field); });
    return holding_[key] = holds;
  }
  template <class Visit>
  void for_fields(CXType record, Visit visit) {
    clang_.Type_visitFields(
        record,
        [](CXCursor field, CXClientData data) {
          static_cast<std::vector<CXCursor>*>(data)->push_back(field);
          return CXVisit_Continue;
        },
        &fields_);
    const std::vector<CXCursor> found = std::exchange(fields_, {});
    for (const CXCursor field : found) visit(clang_.getCanonicalType(clang_.getCursorType(field)));
  }

  /// Notes volatile and atomic contents wherever a type leads.
  void note_type(CXType type, std::uint32_t at) {
    const Type known = type_of(type);
    function_->uses_local_memory |= known.is_address() && known.space == Space::local;
    std::set<std::pair<Key, Space>> seen;
    note_contents(clang_.getCanonicalType(type), space_of(clang_.getCanonicalType(type)), at, seen);
  }
  void note_contents(CXType type, Space space, std::uint32_t at,
                     std::set<std::pair<Key, Space>>& seen) {
    const bool is_volatile = clang_.isVolatileQualifiedType(type) != 0;
    if (is_volatile || type.kind == CXType_Atomic) {
      const bool is_private =
          space == Space::private_ || space == Space::local || space == Space::constant;
      std::string what = "volatile";
      if (type.kind == CXType_Atomic) {
        what = layouts_.name_of(clang_.Type_getValueType(type));
        what = "atomic_" + (what.starts_with("unsigned ") ? "u" + what.substr(9) : what);
      }
      function_->shared.push_back({at, std::move(what), type.kind == CXType_Atomic, is_private});
    }
    if (type.kind == CXType_Pointer) {
      const CXType pointee = clang_.getCanonicalType(clang_.getPointeeType(type));
      note_contents(pointee, space_of(pointee), at, seen);
    } else if (is_array(type.kind)) {
      note_contents(clang_.getCanonicalType(clang_.getArrayElementType(type)), space, at, seen);
    } else if (type.kind == CXType_Record) {
      const std::pair key(key_of(clang_.getTypeDeclaration(type)), space);
      if (seen.insert(key).second)
        for_fields(type, [&](CXType field) { note_contents(field, space, at, seen); });
    }
  }

  int declaration_of(CXCursor cursor) {
    if (clang_.Cursor_isNull(cursor) != 0) return -1;
    const auto [known, is_new] =
        known_.emplace(key_of(cursor), static_cast<int>(into_.declarations.size()));
    if (!is_new) return known->second;
    const int number = known->second;
    Declaration made;
    made.name = clang_.name(cursor);
    made.is_in_text = clang_.is_in_text(cursor);
    made.at = clang_.offset(clang_.getCursorLocation(cursor));
    const CXType type = clang_.getCursorType(cursor);
    if (cursor.kind == CXCursor_FunctionDecl) {
      made.kind = Declaration::Kind::function;
      // clang declares a built-in function where it is used first, but not in the list of the text.
      made.is_in_text = declared_.contains(key_of(cursor));
      const CXCursor definition = clang_.getCursorDefinition(cursor);
      const auto found = clang_.Cursor_isNull(definition) != 0
                             ? known_functions_.end()
                             : known_functions_.find(key_of(definition));
      if (found != known_functions_.end()) made.function = found->second;
    } else if (cursor.kind == CXCursor_ParmDecl) {
      made.kind = Declaration::Kind::parameter;
      made.type = parameter_type(type);
      CXType pointee = clang_.getCanonicalType(type);
      pointee = is_array(pointee.kind) ? clang_.getArrayElementType(pointee)
                                       : clang_.getPointeeType(pointee);
      made.points_to_const = pointee.kind != CXType_Invalid &&
                             clang_.isConstQualifiedType(clang_.getCanonicalType(pointee)) != 0;
    } else if (cursor.kind == CXCursor_VarDecl) {
      const CXType canonical = clang_.getCanonicalType(type);
      made.kind = Declaration::Kind::variable;
      made.type = type_of(type);
      made.is_in_function = clang_.getCursorSemanticParent(cursor).kind == CXCursor_FunctionDecl;
      made.is_static = clang_.Cursor_getStorageClass(cursor) == CX_SC_Static;
      made.can_change =
          space_of(canonical) != Space::constant && clang_.isConstQualifiedType(canonical) == 0;
      made.is_local = space_of(canonical) == Space::local;
    }
    into_.declarations.push_back(std::move(made));
    return number;
  }

  Node read_node(CXCursor cursor, int depth) {
    Node node;
    node.kind = cursor.kind;
    node.begin = clang_.begin(cursor);
    node.end = clang_.end(cursor);
    if (depth > deepest) {
      function_->is_too_deep = true;
      return node;
    }
    const CXType type = clang_.getCursorType(cursor);
    node.type = type_of(type);
    if (cursor.kind == CXCursor_FunctionDecl) declared_.insert(key_of(cursor));
    if (cursor.kind == CXCursor_VarDecl) {
      node.declaration = declaration_of(cursor);
      const auto& declared = into_.declarations[static_cast<std::size_t>(node.declaration)];
      function_->uses_local_memory |= declared.is_local;
      const CXCursor initializer = clang_.Cursor_getVarDeclInitializer(cursor);
      if (clang_.Cursor_isNull(initializer) == 0)
        node.children.push_back(read_node(initializer, depth + 1));
    } else if (cursor.kind == CXCursor_DeclRefExpr || cursor.kind == CXCursor_CallExpr) {
      node.declaration = declaration_of(clang_.getCursorReferenced(cursor));
    }
    if (cursor.kind == CXCursor_VarDecl || cursor.kind == CXCursor_CStyleCastExpr ||
        cursor.kind == CXCursor_CompoundLiteralExpr)
      note_type(type, node.begin);
    const bool is_leaf = cursor.kind == CXCursor_VarDecl || cursor.kind == CXCursor_UnaryExpr ||
                         cursor.kind == CXCursor_FunctionDecl;
    if (!is_leaf)
      clang_.for_children(cursor, [&](CXCursor child) {
        if (!is_reference(child.kind)) node.children.push_back(read_node(child, depth + 1));
      });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> operands;
    for (const auto& child : node.children) operands.emplace_back(child.begin, child.end);
    node.operation =
        clang::operation_of(into_.source.text, cursor.kind, node.begin, node.end, operands);
    take_type_of_parameter(node);
    return node;
  }

  /// Of a parameter that is written as an array, libclang shows that type again where it is used.
  void take_type_of_parameter(Node& node) const {
    if (node.kind == CXCursor_DeclRefExpr && node.declaration >= 0) {
      const auto& declared = into_.declarations[static_cast<std::size_t>(node.declaration)];
      if (declared.kind == Declaration::Kind::parameter) node.type = declared.type;
    }
    const bool passes = node.kind == CXCursor_UnexposedExpr || node.kind == CXCursor_ParenExpr;
    if (passes && node.type.form == Type::Form::array && node.children.size() == 1 &&
        node.children[0].type.is_pointer())
      node.type = node.children[0].type;
  }

  Key key_of(CXCursor cursor) const {
    return {clang_.is_in_text(cursor), clang_.offset(clang_.getCursorLocation(cursor)),
            clang_.name(cursor)};
  }

  const clang::Library& clang_;
  Syntax& into_;
  Layouts layouts_;
  Function* function_ = nullptr;
  int count_ = 0;
  std::vector<CXCursor> fields_;
  std::map<Key, int> known_, known_functions_;
  std::map<Key, bool> holding_;
  std::set<Key> declared_;  ///< functions
};

}  // namespace

std::size_t Syntax::token_at(std::uint32_t at) const {
  return static_cast<std::size_t>(
      std::partition_point(lexed.tokens.begin(), lexed.tokens.end(),
                           [&](const Token& token) { return token.begin < at; }) -
      lexed.tokens.begin());
}

std::string Syntax::place(std::uint32_t at) const {
  if (lexed.tokens.empty()) return "line 1";
  const Token& token = lexed.tokens[std::min(token_at(at), lexed.tokens.size() - 1)];
  // A Source begins with #line, which makes its main file the second name that the lexer met.
  const std::size_t main = lexed.files.size() > 1 ? 1 : 0;
  const bool is_main = token.file == main || token.file == 0;
  return (is_main ? "" : lexed.files[token.file] + " ") + "line " + std::to_string(token.line);
}

std::string_view Syntax::macro_at(std::uint32_t at) const {
  for (const auto& use : source.uses)
    if (use.begin <= at && at < use.end) return use.macro;
  return {};
}

std::string Syntax::tokens_in(std::uint32_t begin, std::uint32_t end) const {
  std::string text;
  for (std::size_t i = token_at(begin); i < lexed.tokens.size() && lexed.tokens[i].begin < end; ++i)
    text += lexed.tokens[i].text;
  return text;
}

Expected<std::unique_ptr<Syntax>> read_syntax(MacroFree source, const std::string& standard) {
  auto syntax = std::make_unique<Syntax>();
  syntax->source = std::move(source);
  syntax->lexed = lex(syntax->source.text);
  if (const auto why = beyond_bounds(syntax->lexed)) {
    syntax->errors.push_back({0, *why});
    return syntax;
  }
  const auto unit = clang::Unit::parse(syntax->source.text, {standard});
  if (!unit) return tl::unexpected(unit.error());
  for (const auto& one : unit->diagnostics())
    if (one.is_error) syntax->errors.push_back({one.at, "clang: " + one.message});
  SyntaxReader(*unit, *syntax).read(unit->cursor());
  return syntax;
}

}  // namespace kiln::facts
