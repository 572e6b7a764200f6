#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/source/preprocess.hpp"

namespace kiln {

/// Tokens [begin, end) of Preprocessed::tokens.
struct TokenRange {
  std::uint32_t begin = 0, end = 0;
};

/// A function definition.
struct Function {
  std::uint32_t name = 0;  ///< symbol
  bool is_kernel = false;
  TokenRange head;        ///< from the first specifier to the name
  TokenRange parameters;  ///< between the brackets
  TokenRange body;        ///< between the braces
};

/// A variable at program scope.
struct ProgramVariable {
  std::uint32_t name = 0;
  bool can_change = false;  ///< neither __constant nor const
};

struct Parameter {
  std::uint32_t name = 0;
  TokenRange tokens;
  bool is_pointer = false, is_global = false, is_constant = false, is_local = false;
  bool is_private = false, points_to_const = false, is_image = false, is_pipe = false;
  bool can_write_image = false;
  int indirections = 0;    ///< of a pointer: 2 for a pointer to pointers
  int dimensions = 0;      ///< of an array, or of the arrays that it points to
  bool bracketed = false;  ///< float (*p)[4], a pointer to arrays, not an array of pointers
  std::string type;        ///< without qualifiers and address space: "float4", "unsigned int"
};

/// What stands at program scope.
struct SourceProgram {
  std::vector<Function> functions;
  std::vector<ProgramVariable> variables;
  std::vector<TokenRange> aggregates;  ///< members of structures and unions, between the braces
  /// Name → the text that says what it is: specifiers and its own declarator; of all definitions,
  /// where undecided branches hold several.
  std::unordered_map<std::uint32_t, std::vector<TokenRange>> typedefs;
  bool well_formed = true;           ///< false: brackets do not match, so the rest means nothing
  bool has_pointer_members = false;  ///< some struct or union holds a pointer
  bool has_array_members = false;    ///< some struct or union holds an array
};

/// Finds functions, typedefs and variables by their brackets; no full grammar. O(tokens).
SourceProgram parse_program(const Preprocessed& source);

/// The parameters of a function, typedefs resolved.
std::vector<Parameter> parse_parameters(const Preprocessed& source, const SourceProgram& program,
                                        const Function& function);

/// Index of the bracket that closes the one at `open`, or `end` where none does.
std::uint32_t closing_bracket(const std::vector<Token>& tokens, std::uint32_t open,
                              std::uint32_t end);

}  // namespace kiln
