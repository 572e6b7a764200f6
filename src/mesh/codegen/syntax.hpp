#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/source/source.hpp"
#include "kiln/error.hpp"
#include "mesh/model/loop_shape.hpp"

namespace kiln::mesh {

/// A type of C as far as code generation asks.
struct CType {
  std::optional<ScalarType> scalar;  ///< at the end of all pointers and arrays; none: void, structs
  int depth = 0;                     ///< pointers and arrays on the way there
  bool array = false;                ///< the outermost level is an array
  bool rows = false;                 ///< a pointer to arrays, or an array of them: T (*)[n]
  long long length = -1;             ///< of the outermost array, where it says one
  long long row_length = -1;         ///< of the arrays within
  bool is_const = false;             ///< what the innermost pointer points to
  std::string spelling;              ///< for people
};

/// What a name in a kernel's text stands for.
struct Declaration {
  enum class Kind : std::uint8_t { function, parameter, variable, constant, other };
  Kind kind = Kind::other;
  std::string name;
  CType type;
  int number = -1;  ///< function: in Syntax::functions; parameter: its place; constant: which
  std::uint32_t begin = 0;  ///< of the whole declaration
  std::uint32_t name_at = 0;
};

/// One node of a function's body. Offsets are bytes of the Source's text. Of what a macro's body
/// wrote they are those of the whole place where the macro is used; of what a macro was given they
/// are where it is written, between the macro's parentheses.
struct Node {
  int kind = 0;  ///< a CXCursorKind
  std::uint32_t begin = 0, end = 0;
  int declaration = -1;   ///< what a name refers to, in Syntax::declarations
  std::string operation;  ///< "+", "+=", "<", "[", "++" …: of operators
  CType type;
  std::vector<Node> children;
};

/// A function that the text defines.
struct Function {
  std::string name;
  std::uint32_t begin = 0, end = 0;  ///< of the definition
  std::uint32_t name_at = 0;
  std::uint32_t close = 0;    ///< the ) of its parameter list
  std::uint32_t void_at = 0;  ///< where (void) has its void, else 0
  bool is_static = false;
  std::vector<int> parameters;  ///< in Syntax::declarations
  CType result;
  Node body;
};

/// A declaration of a function without its body.
struct Prototype {
  std::string name;
  std::uint32_t begin = 0, name_at = 0, close = 0, void_at = 0;
  bool is_static = false, has_parameters = false;
};

/// A user's text, read by libclang, without anything of libclang's: what may be edited, and where.
struct Syntax {
  SourcePtr source;  ///< with "_kiln" behind names that are words of OpenCL C (local, kernel …)
  std::vector<Function> functions;  ///< definitions, in the text's order
  std::vector<Prototype> prototypes;
  std::vector<Declaration> declarations;
  std::vector<ConstShape> constants;
  std::map<std::string, ScalarType> floating_types;  ///< typedef names of float and double

  /// The number of the function of a name, or -1.
  int function(const std::string& name) const;
};

/// Reads a text as the C that its author means: pointers without an address space, constants known
/// by name, OpenCL's built-in functions and types. Errors: bad_input with the user's file, line and
/// column and clang's message; unsupported where there is no libclang. Thread-safe.
Expected<Syntax> read_syntax(const SourcePtr& source, const std::vector<ConstShape>& constants);

/// "file:line" of a byte of the text, for messages.
std::string where(const Syntax& syntax, std::uint32_t at);
/// A #line directive for what is copied from there.
std::string line_directive(const Syntax& syntax, std::uint32_t at);

/// What clang has against a text as OpenCL C 1.2: its first error, if any. Throws as read_syntax
/// fails: never for a text's sake.
std::optional<Error> opencl_error(const std::string& text,
                                  std::initializer_list<const char*> options = {});

}  // namespace kiln::mesh
