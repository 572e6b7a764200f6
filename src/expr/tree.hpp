#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kiln/expr.hpp"

/// The syntax tree, kept flat: one array of instructions in evaluation order (operands first).
/// A stack machine runs it, and the same array read without its jumps is the tree in postfix
/// order. So nothing that walks a tree recurses, and no depth can exhaust a stack.
namespace kiln::expr {

enum class Operator : std::uint8_t { add, subtract, multiply, divide, floor_divide, modulo, power };

enum class Comparison : std::uint8_t {
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  in,
  not_in
};

/// As written: "+", "//", "**", …
const char* spelling(Operator op);
/// As written: "<", "not in", …
const char* spelling(Comparison op);

enum class Op : std::uint8_t {
  constant,       ///< pushes constants[index]
  name,           ///< pushes the value of names[index]
  list,           ///< count items -> one list
  call,           ///< count arguments -> the result of the function names[index]
  index,          ///< sequence, position -> item
  negate,         ///< unary -
  plus,           ///< unary +
  invert,         ///< not
  binary,         ///< left, right -> result of the Operator
  compare,        ///< left, right -> result; inside a chain a true one leaves right and goes on
  jump_if_false,  ///< `and`: leaves a false operand and jumps, else drops it
  jump_if_true,   ///< `or`: leaves a true operand and jumps, else drops it
  branch,         ///< drops a condition; jumps where it was false
  jump,           ///< always
  both,           ///< end of `and`: nothing to do, marks the tree's node
  either,         ///< end of `or`: likewise
  choose          ///< end of `a if c else b`: likewise; the tree's operands are c, a, b
};

struct Instruction {
  Op op;
  Operator binary = Operator::add;
  Comparison comparison = Comparison::less;
  bool chain_ends = true;    ///< compare: the last of its chain
  std::uint32_t column = 1;  ///< 1-based byte of the text, for messages
  std::uint32_t index = 0;   ///< of a constant or name; compare: position in its chain
  std::uint32_t count = 0;   ///< operands of list and call
  std::uint32_t target = 0;  ///< where jumps go
};

/// How tightly a node binds; a looser operand needs parentheses.
enum class Binding : std::uint8_t {
  conditional,
  either,
  both,
  invert,
  comparison,
  sum,
  product,
  sign,
  power,
  primary
};

Binding binding_of(Operator op);

struct Expression::Tree {
  std::vector<Instruction> code;
  std::vector<Value> constants;
  std::vector<std::string> names;
};

/// Reads a text within the limits' depth and number of nodes. Errors name the column.
Expected<std::shared_ptr<const Expression::Tree>> parse_tree(std::string_view text, Dialect dialect,
                                                             const Limits& limits);

/// The text with the fewest parentheses that parses to this tree.
std::string canonical_text(const Expression::Tree& tree);

}  // namespace kiln::expr
