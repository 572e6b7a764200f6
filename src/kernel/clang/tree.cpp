// Texts read by libclang: its cursors made a Tree.
#include "kernel/clang/tree.hpp"

#include <clang-c/Index.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "kernel/clang/unit.hpp"

namespace kiln::clang {
namespace {

bool is_reference(CXCursorKind kind) {
  return (kind >= CXCursor_FirstRef && kind <= CXCursor_LastRef) ||
         (kind >= CXCursor_FirstAttr && kind <= CXCursor_LastAttr);
}
bool is_image(CXTypeKind kind) {
  return kind >= CXType_OCLImage1dRO && kind <= CXType_OCLImage3dRW;  // read only ones first
}
bool is_global(Space space) {
  return space == Space::global || space == Space::constant || space == Space::generic;
}

/// Names a declaration: of the text by its place, of the language by its name.
using Key = std::tuple<bool, std::uint32_t, std::string>;

class Reader {
 public:
  Reader(Origin& origin, Tree& into, int deepest)
      : unit_(origin.unit),
        clang_(unit_.library()),
        origin_(origin),
        into_(into),
        deepest_(deepest) {}

  void read() {
    int functions = 0, given = 0;
    clang_.for_children(unit_.cursor(), [&](CXCursor cursor) {
      if (!clang_.is_in_file(cursor)) return;
      if (cursor.kind == CXCursor_FunctionDecl) {
        listed_.insert(key_of(cursor));
        if (clang_.isCursorDefinition(cursor) != 0) defined_[key_of(cursor)] = functions++;
      } else if (cursor.kind == CXCursor_VarDecl) {
        Declaration& made = into_.declarations[static_cast<std::size_t>(declaration_of(cursor))];
        if (made.kind == Declaration::Kind::given) made.number = given++;
      } else if (cursor.kind == CXCursor_TypedefDecl) {
        into_.typedefs[clang_.name(cursor)] = type_of(clang_.getCursorType(cursor));
      }
    });
    clang_.for_children(unit_.cursor(), [&](CXCursor cursor) {
      if (cursor.kind == CXCursor_FunctionDecl && listed_.contains(key_of(cursor)))
        read_function(cursor);
    });
  }

 private:
  Key key_of(CXCursor cursor) const {
    return {clang_.is_in_file(cursor), clang_.offset(clang_.getCursorLocation(cursor)),
            clang_.name(cursor)};
  }

  void read_function(CXCursor cursor) {
    const bool is_defined = clang_.isCursorDefinition(cursor) != 0;
    Function& made = (is_defined ? into_.functions : into_.prototypes).emplace_back();
    made.name = clang_.name(cursor);
    made.begin = unit_.begin(cursor);
    made.end = unit_.end(cursor);
    made.name_at = unit_.at(cursor);
    made.close = closing_parenthesis(made.name_at);
    made.is_static = clang_.Cursor_getStorageClass(cursor) == CX_SC_Static;
    made.result = type_of(clang_.getCursorResultType(cursor));
    clang_.for_children(cursor, [&](CXCursor child) {
      if (child.kind == CXCursor_ParmDecl) {
        const int number = declaration_of(child);
        into_.declarations[static_cast<std::size_t>(number)].number =
            static_cast<int>(made.parameters.size());
        made.parameters.push_back(number);
      } else if (child.kind == CXCursor_CompoundStmt) {
        made.body = read_node(child, 0, made);
      } else if (is_reference(child.kind)) {
        read_attribute(unit_.begin(child), unit_.end(child), made);
      }
    });
  }

  std::uint32_t closing_parenthesis(std::uint32_t from) const {
    int depth = 0;
    for (std::size_t i = into_.lexed.token_at(from); i < into_.lexed.tokens.size(); ++i) {
      const Token& token = into_.lexed.tokens[i];
      if (token.is("(")) ++depth;
      if (token.is(")") && --depth == 0) return token.begin;
    }
    return 0;
  }

  void read_attribute(std::uint32_t begin, std::uint32_t end, Function& made) const {
    const auto& tokens = into_.lexed.tokens;
    std::size_t i = into_.lexed.token_at(begin);
    if (i == tokens.size()) return;
    made.is_kernel |= tokens[i].text == "kernel" || tokens[i].text == "__kernel";
    if (tokens[i].text.find("reqd_work_group_size") == std::string_view::npos) return;
    std::size_t dimension = 0;
    for (++i; i < tokens.size() && tokens[i].begin < end && dimension < 3; ++i)
      if (tokens[i].kind == TokenKind::number)
        made.required_local_size[dimension++] =
            std::strtoull(std::string(tokens[i].text).c_str(), nullptr, 0);
  }

  int declaration_of(CXCursor cursor) {
    if (clang_.Cursor_isNull(cursor) != 0) return -1;
    const auto [known, is_new] =
        known_.emplace(key_of(cursor), static_cast<int>(into_.declarations.size()));
    if (!is_new) return known->second;
    Declaration made;
    made.name = clang_.name(cursor);
    made.begin = unit_.begin(cursor);
    made.name_at = unit_.at(cursor);
    made.is_in_text = clang_.is_in_file(cursor);
    const CXType type = clang_.getCursorType(cursor);
    made.type = type_of(type, cursor.kind == CXCursor_ParmDecl);
    if (cursor.kind == CXCursor_FunctionDecl) {
      made.kind = Declaration::Kind::function;
      // clang declares a built-in function where it is used first, but not in the list of the text.
      made.is_in_text = listed_.contains(key_of(cursor));
      const CXCursor definition = clang_.getCursorDefinition(cursor);
      if (clang_.Cursor_isNull(definition) == 0)
        if (const auto found = defined_.find(key_of(definition)); found != defined_.end())
          made.number = found->second;
    } else if (cursor.kind == CXCursor_ParmDecl) {
      made.kind = Declaration::Kind::parameter;
    } else if (cursor.kind == CXCursor_VarDecl) {
      const CXType canonical = clang_.getCanonicalType(type);
      const Space space = space_of(clang_, canonical);
      made.kind =
          unit_.is_in_prefix(cursor) ? Declaration::Kind::given : Declaration::Kind::variable;
      made.is_in_function = clang_.getCursorSemanticParent(cursor).kind == CXCursor_FunctionDecl;
      made.is_static = clang_.Cursor_getStorageClass(cursor) == CX_SC_Static;
      made.can_change = space != Space::constant && clang_.isConstQualifiedType(canonical) == 0;
      made.is_local = space == Space::local;
    }
    const int number = known->second;
    into_.declarations.push_back(std::move(made));
    origin_.declarations.push_back(cursor);
    return number;
  }

  Node read_node(CXCursor cursor, int depth, Function& function) {
    Node node;
    node.kind = cursor.kind;
    node.begin = unit_.begin(cursor);
    node.end = unit_.end(cursor);
    if (depth > deepest_) {
      function.is_too_deep = true;
      node.kind = CXCursor_NullStmt;  // declares nothing and has no type
      return node;
    }
    node.type = type_of(clang_.getCursorType(cursor));
    const auto read_child = [&](CXCursor child) {
      if (!is_reference(child.kind)) node.children.push_back(read_node(child, depth + 1, function));
    };
    if (cursor.kind == CXCursor_VarDecl) {
      node.declaration = declaration_of(cursor);
      const CXCursor initializer = clang_.Cursor_getVarDeclInitializer(cursor);
      if (clang_.Cursor_isNull(initializer) == 0) read_child(initializer);
    } else if (cursor.kind == CXCursor_FunctionDecl) {
      listed_.insert(key_of(cursor));
    } else {
      if (cursor.kind == CXCursor_DeclRefExpr || cursor.kind == CXCursor_CallExpr)
        node.declaration = declaration_of(clang_.getCursorReferenced(cursor));
      clang_.for_children(cursor, read_child);
    }
    node.operation = operation_of(node);
    take_type_of_parameter(node);
    return node;
  }

  /// libclang does not tell which operator a cursor has (before release 20), but it stands before,
  /// between or behind the operands.
  std::string operation_of(const Node& node) const {
    const auto& operands = node.children;
    const bool is_binary =
        node.kind == CXCursor_BinaryOperator || node.kind == CXCursor_CompoundAssignOperator;
    std::uint32_t from = 0, to = 0;
    if (is_binary && operands.size() == 2) {
      from = operands[0].end;
      // A second operand that a macro begins has its beginning elsewhere.
      to = operands[1].begin > from ? operands[1].begin : node.end;
    } else if (node.kind == CXCursor_UnaryOperator && operands.size() == 1) {
      const bool prefix = node.begin < operands[0].begin;
      from = prefix ? node.begin : operands[0].end;
      to = prefix ? operands[0].begin : node.end;
    }
    const auto& tokens = into_.lexed.tokens;
    for (std::size_t i = into_.lexed.token_at(from); i < tokens.size() && tokens[i].begin < to; ++i)
      if (tokens[i].kind == TokenKind::punctuator && !tokens[i].is(")") && !tokens[i].is("("))
        return std::string(tokens[i].text);
    return {};
  }

  /// Of a parameter that is written as an array, libclang shows that type again where it is used.
  void take_type_of_parameter(Node& node) const {
    const Declaration* named = into_.named(node);
    if (node.kind == CXCursor_DeclRefExpr && named != nullptr &&
        named->kind == Declaration::Kind::parameter)
      node.type = named->type;
    const bool passes = node.kind == CXCursor_UnexposedExpr || node.kind == CXCursor_ParenExpr;
    if (passes && node.type->form == Type::Form::array && node.children.size() == 1 &&
        node.children[0].type->is_pointer())
      node.type = node.children[0].type;
  }

  /// A parameter that is written as an array is a pointer; libclang shows what is written.
  const Type* type_of(CXType written, bool is_parameter = false) {
    const auto [known, is_new] = types_.try_emplace({written.data[0], is_parameter}, &no_type);
    if (!is_new || written.kind == CXType_Invalid) return known->second;
    Type& made = into_.types.emplace_back();
    known->second = &made;
    made.number = origin_.types.size();
    origin_.types.push_back(written);
    const CXType type = clang_.getCanonicalType(written);
    made.space = space_of(clang_, type);
    set_form(made, type);
    if (is_parameter && made.form == Type::Form::array) {
      made.form = Type::Form::pointer;
      made.holds_pointers = true;
      made.leads_to_buffers |= is_global(made.space);
    }
    set_levels(made, type);
    return &made;
  }

  void set_form(Type& made, CXType type) {
    if (type.kind == CXType_Pointer || type.kind == CXType_BlockPointer) {
      const CXType pointee = clang_.getCanonicalType(clang_.getPointeeType(type));
      made.form = Type::Form::pointer;
      made.space = space_of(clang_, pointee);
      made.holds_pointers = true;
      made.is_union = clang_.getTypeDeclaration(pointee).kind == CXCursor_UnionDecl;
      made.leads_to_buffers = is_global(made.space) || holds_pointers(pointee);
    } else if (is_array(type.kind)) {
      made.form = Type::Form::array;
      made.leads_to_buffers = made.holds_pointers = holds_pointers(type);
    } else if (is_image(type.kind)) {
      made.form = Type::Form::image;
      made.is_written_image = type.kind > CXType_OCLImage3dRO;
    } else if (type.kind == CXType_Record) {
      made.leads_to_buffers = made.holds_pointers = holds_pointers(type);
      made.is_union = clang_.getTypeDeclaration(type).kind == CXCursor_UnionDecl;
    } else if (type.kind == CXType_Void ||
               (type.kind >= CXType_OCLSampler && type.kind != CXType_ExtVector &&
                type.kind != CXType_Atomic) ||
               type.kind == CXType_Pipe) {
      made.form = Type::Form::other;
    }
  }

  void set_levels(Type& made, CXType type) const {
    for (bool is_outermost = true;; is_outermost = false) {
      const bool array = is_array(type.kind);
      if (!array && type.kind != CXType_Pointer) break;
      if (array) {
        (is_outermost ? made.array : made.rows) = true;
        (is_outermost ? made.length : made.row_length) = clang_.getArraySize(type);
      }
      type = clang_.getCanonicalType(array ? clang_.getArrayElementType(type)
                                           : clang_.getPointeeType(type));
      ++made.depth;
    }
    made.innermost = type.kind;
    made.is_const = clang_.isConstQualifiedType(type) != 0;
  }

  /// Whether something of a type may hold a pointer.
  bool holds_pointers(CXType type) {
    while (is_array(type.kind)) type = clang_.getCanonicalType(clang_.getArrayElementType(type));
    if (type.kind == CXType_Pointer || type.kind == CXType_BlockPointer) return true;
    if (type.kind != CXType_Record) return false;
    const Key key = key_of(clang_.getTypeDeclaration(type));
    const auto [known, is_new] = holding_.emplace(key, true);  // while it is looked at
    if (!is_new) return known->second;
    const auto fields = clang_.fields(type);
    const bool holds =
        std::ranges::any_of(fields, [&](CXType field) { return holds_pointers(field); });
    return holding_[key] = holds;
  }

  const Unit& unit_;
  const Library& clang_;
  Origin& origin_;
  Tree& into_;
  int deepest_;
  std::set<Key> listed_;         ///< functions that the text declares
  std::map<Key, int> defined_;   ///< by their definitions, in Tree::functions
  std::map<Key, int> known_;     ///< declarations
  std::map<Key, bool> holding_;  ///< structures that may hold pointers
  std::map<std::pair<const void*, bool>, const Type*> types_;
};

}  // namespace

bool is_array(CXTypeKind kind) {
  return kind == CXType_ConstantArray || kind == CXType_IncompleteArray ||
         kind == CXType_VariableArray || kind == CXType_DependentSizedArray;
}

Space space_of(const Library& clang, CXType type) {
  for (;;) {
    // As clang numbers those of the language; those behind the last are global memory's.
    static constexpr Space spaces[] = {Space::private_, Space::global,   Space::local,
                                       Space::constant, Space::private_, Space::generic};
    if (const unsigned space = clang.getAddressSpace(type); space != 0 || !is_array(type.kind))
      return space < std::size(spaces) ? spaces[space] : Space::global;
    type = clang.getCanonicalType(clang.getArrayElementType(type));
  }
}

Tree::Tree(std::string text)
    : source(std::make_shared<const std::string>(std::move(text))), lexed(lex(*source)) {}

void Tree::parse(const std::vector<std::string>& options, std::string_view prefix, int deepest) {
  const auto made = std::make_shared<Origin>(Origin{Unit::parse(*source, options, prefix), {}, {}});
  origin = made;
  Reader(*made, *this, deepest).read();
}

std::vector<Diagnostic> Tree::diagnostics() const { return origin->unit.diagnostics(); }

std::string Tree::spelling(const Type& type) const {
  const Library& clang = origin->unit.library();
  return &type == &no_type ? "" : clang.text(clang.getTypeSpelling(origin->types[type.number]));
}

std::string Tree::tokens_in(std::uint32_t begin, std::uint32_t end) const {
  std::string text;
  for (std::size_t i = lexed.token_at(begin);
       i < lexed.tokens.size() && lexed.tokens[i].begin < end; ++i)
    text += lexed.tokens[i].text;
  return text;
}

const Token* Tree::place(std::uint32_t at) const {
  const auto& tokens = lexed.tokens;
  for (std::size_t i = lexed.token_at(at); i < tokens.size(); ++i)
    if (tokens[i].kind != TokenKind::directive) return &tokens[i];
  return tokens.empty() ? nullptr : &tokens.back();
}

}  // namespace kiln::clang
