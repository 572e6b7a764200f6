#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/facts/macro_free.hpp"
#include "kernel/source/lexer.hpp"

namespace kiln::facts {

enum class Space : std::uint8_t { private_, global, constant, local, generic };

/// A type as far as the analysis asks.
struct Type {
  enum class Form : std::uint8_t { value, pointer, array, image, other };
  Form form = Form::value;  ///< value: numbers, vectors, structures
  Space space =
      Space::private_;  ///< where a pointer points; of others where the object itself lies
  bool leads_to_buffers = false;  ///< a pointer to them, or something that may hold such a pointer
  bool holds_pointers = false;    ///< is one, or has some among its members or elements
  bool is_written_image = false;  ///< write_only or read_write
  bool is_union = false;          ///< or a pointer to one: the same bytes are several things
  bool is_pointer() const { return form == Form::pointer; }
  bool is_address() const { return form == Form::pointer || form == Form::array; }
};

/// Something with a name.
struct Declaration {
  enum class Kind : std::uint8_t { function, variable, parameter, other };
  Kind kind = Kind::other;
  std::string name;
  Type type;
  std::uint32_t at = 0;
  bool is_in_text = false;  ///< not a built-in of the language
  bool is_in_function = false;
  bool can_change = false;  ///< a variable that is neither const nor in __constant memory
  bool is_static = false, is_local = false;
  bool points_to_const = false;  ///< a parameter
  int function = -1;  ///< a function's number in Syntax::functions, where the text defines it
};

/// One node of a function's body, or of a declaration in it. Bytes of the text are exact.
struct Node {
  int kind = 0;  ///< a CXCursorKind
  std::uint32_t begin = 0, end = 0;
  int declaration = -1;   ///< what it names, declares or calls, in Syntax::declarations
  std::string operation;  ///< of operators: "+", "+=", "++" …
  Type type;
  std::vector<Node> children;  ///< without references to types and members
};

/// What a type brings with it that other devices do not see, for a message.
struct SharedContents {
  std::uint32_t at = 0;
  std::string what;  ///< "volatile", "atomic_int"
  bool is_atomic = false;
  bool is_private = false;  ///< in memory of a work-item or work-group, or constant
};

/// A function that the text defines.
struct Function {
  std::string name;
  std::uint32_t begin = 0, end = 0, name_at = 0;
  bool is_kernel = false;
  std::vector<int> parameters;  ///< in Syntax::declarations
  Type result;
  Node body;
  std::vector<SharedContents> shared;  ///< of the types of its parameters, variables and casts
  bool uses_local_memory = false;
  bool is_too_deep = false;  ///< nested so deeply that its body is not all here
  std::array<std::uint64_t, 3> required_local_size{};
  std::vector<ParameterUse> uses;  ///< of a kernel's parameters: what they are, and how large
};

/// A program, read by libclang, without anything of libclang's.
struct Syntax {
  MacroFree source;
  Lexed lexed;  ///< of source.text
  std::vector<Function> functions;
  std::vector<Declaration> declarations;
  /// What clang has against the text: no device compiles it as it is, or Kiln cannot know.
  std::vector<Problem> errors;

  /// "line 12", or "util.h line 3" where that is not the program's main file.
  std::string place(std::uint32_t at) const;
  /// The macro whose use wrote a byte; empty for none.
  std::string_view macro_at(std::uint32_t at) const;
  /// The number of the first token at a byte or behind it.
  std::size_t token_at(std::uint32_t at) const;
  /// The tokens of some bytes without what is between them.
  std::string tokens_in(std::uint32_t begin, std::uint32_t end) const;
};

/// Reads a program. Syntax holds views into its own text: it stays where it is. Error: unsupported
/// where there is no libclang.
Expected<std::unique_ptr<Syntax>> read_syntax(MacroFree source, const std::string& standard);

/// What is the same but for brackets and conversions.
const Node& core(const Node& node);

/// Appends a message unless it is there already or there are many.
void add_message(std::vector<std::string>& messages, std::string message);

/// Looks for everything that behaves differently in a part of an NDRange, in all that the kernel (a
/// number in Syntax::functions) reaches. Fills reasons, suspicions and what it uses.
void check_rules(const Syntax& syntax, std::size_t kernel, KernelFacts& facts);

/// Follows the kernel's pointers through its text and its functions: what is read, what is written,
/// whether at the same index, and whether loaded values decide it. Fills the parameters,
/// data_dependent_writes and suspicions; where it gives up, every pointer counts as read and
/// written.
void check_flow(const Syntax& syntax, std::size_t kernel, KernelFacts& facts);
/// As if it had given up.
void assume_the_worst(const Syntax& syntax, std::size_t kernel, KernelFacts& facts);

}  // namespace kiln::facts
