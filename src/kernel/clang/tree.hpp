#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/source/lexer.hpp"
#include "kiln/error.hpp"

namespace kiln::clang {

struct Diagnostic;
struct Origin;

/// OpenCL's address spaces, as clang numbers them.
enum class Space : std::uint8_t { private_, global, local, constant, generic };
/// A type; one object for each that clang tells apart.
struct Type {
  enum class Form : std::uint8_t { value, pointer, array, image, other };
  std::size_t number = 0;   ///< in Tree::types
  Form form = Form::value;  ///< value: numbers, vectors, structures
  Space space =
      Space::private_;  ///< where a pointer points; of others where the object itself lies
  bool leads_to_buffers = false;  ///< a pointer to them, or something that may hold such a pointer
  bool holds_pointers = false;    ///< is one, or has some among its members or elements
  bool is_written_image = false;  ///< write_only or read_write
  bool is_union = false;          ///< or a pointer to one: the same bytes are several things
  int depth = 0;                  ///< pointers and arrays on the way to the innermost type
  int innermost = 0;              ///< the canonical type's kind there, a CXTypeKind
  bool is_const = false;          ///< the innermost type is
  bool array = false;     ///< the outermost level is an array as it is written; of a parameter, too
  bool rows = false;      ///< a pointer to arrays, or an array of them: T (*)[n]
  long long length = -1;  ///< of the outermost array, where it says one
  long long row_length = -1;  ///< of the arrays within
  bool is_pointer() const { return form == Form::pointer; }
  bool points_to_buffers() const {
    return is_pointer() && (space == Space::global || space == Space::constant);
  }
  bool is_address() const { return form == Form::pointer || form == Form::array; }
};
inline const Type no_type;

/// Something with a name.
struct Declaration {
  enum class Kind : std::uint8_t { function, variable, parameter, given, other };
  Kind kind = Kind::other;  ///< given: a variable of the prefix
  std::string name;
  const Type* type = &no_type;
  /// Of a function that the text defines its number in Tree::functions, of a parameter its place,
  /// of what is given which; else -1.
  int number = -1;
  std::uint32_t begin = 0, name_at = 0;  ///< of the whole declaration, and of the name in it
  bool is_in_text = false;               ///< not a built-in of the language
  bool is_in_function = false;
  bool can_change = false;  ///< a variable that is neither const nor in __constant memory
  bool is_static = false, is_local = false;
};

/// One node of a function's body, or of a declaration in it. Of what a macro's body wrote the bytes
/// are those of the whole place where the macro is used; of what a macro was given they are where
/// it is written, between the macro's parentheses.
struct Node {
  int kind = 0;  ///< a CXCursorKind
  std::uint32_t begin = 0, end = 0;
  int declaration = -1;   ///< what it names, declares or calls, in Tree::declarations
  std::string operation;  ///< of operators: "+", "+=", "++" …; empty where a macro wrote it
  const Type* type = &no_type;
  std::vector<Node> children;  ///< of a variable its initializer; no types, members, attributes
};

/// A function that the text defines or declares.
struct Function {
  std::string name;
  std::uint32_t begin = 0, end = 0, name_at = 0;
  std::uint32_t close = 0;  ///< the ) of its parameter list
  bool is_static = false, is_kernel = false;
  bool is_too_deep = false;     ///< nested so deeply that its body is not all here
  std::vector<int> parameters;  ///< in Tree::declarations
  const Type* result = &no_type;
  std::array<std::uint64_t, 3> required_local_size{};
  Node body;
};

/// A text as libclang has read it.
struct Tree {
  explicit Tree(std::string text);
  /// Reads it; `options` and `prefix` are Unit's. Nodes that are nested more deeply are left out.
  /// Throws Error: unsupported where there is no libclang.
  void parse(const std::vector<std::string>& options, std::string_view prefix = {},
             int deepest = std::numeric_limits<int>::max());

  const std::string& text() const { return *source; }
  const Declaration& declared(int number) const {
    return declarations[static_cast<std::size_t>(number)];
  }
  const Function& function(int number) const { return functions[static_cast<std::size_t>(number)]; }
  /// What a node names, or null.
  const Declaration* named(const Node& node) const {
    return node.declaration < 0 ? nullptr : &declared(node.declaration);
  }
  /// Number of the text's function that a call or name means, or -1.
  int callee(const Node& node) const {
    const Declaration* name = named(node);
    return name != nullptr && name->kind == Declaration::Kind::function ? name->number : -1;
  }

  std::vector<Diagnostic> diagnostics() const;
  /// A type as clang writes it, with its address spaces.
  std::string spelling(const Type& type) const;

  /// The tokens of some bytes without what is between them.
  std::string tokens_in(std::uint32_t begin, std::uint32_t end) const;
  /// File and line of a byte, as #line directives count: of the first token at it or behind it that
  /// is no directive, or else of the last; null where there is none.
  const Token* place(std::uint32_t at) const;

  std::shared_ptr<const std::string> source;
  Lexed lexed;
  std::vector<Function> functions, prototypes;  ///< definitions and other declarations, in order
  std::vector<Declaration> declarations;
  std::map<std::string, const Type*> typedefs;  ///< at the text's top level
  std::deque<Type> types;
  std::shared_ptr<const Origin> origin;  ///< none before parse()
};

}  // namespace kiln::clang
