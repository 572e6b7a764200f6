#pragma once

#include <memory>

#include "expr/lexer.hpp"
#include "expr/tree.hpp"

namespace kiln::expr {

/// Recursive descent with operator precedence; emits instructions in evaluation order. The only
/// recursion of the module over the syntax: every path that leads back into itself passes `enter`,
/// which bounds it. After an error every method returns false and `error_` holds the first one.
class Parser {
 public:
  Parser(std::string_view text, Dialect dialect, const Limits& limits);
  Expected<std::shared_ptr<const Expression::Tree>> parse();

 private:
  // The grammar, loosest first; each parses its part at the current token and emits its code.
  bool conditional();
  bool operators(Binding least);
  bool operation(Binding least, bool& found);
  bool short_circuit(Binding binding);
  bool chain();
  bool sign();
  bool power();
  bool postfix();
  bool primary();
  bool literal();
  bool name_or_call();
  bool parentheses();
  bool list_literal();
  /// Parses items up to the closing symbol; counts them.
  bool items(std::string_view closing, std::size_t opened, std::uint32_t& count);

  // Tokens and errors.
  bool advance();
  bool expect(std::string_view symbol, const std::string& instead);
  bool unexpected(const std::string& expected);
  bool refuse(std::size_t column, const std::string& message);
  // Bounds.
  bool enter(std::size_t column);
  void leave() { --depth_; }
  // Code.
  bool emit(const Instruction& instruction);
  bool emit(Op op, std::size_t column, std::uint32_t index = 0, std::uint32_t count = 0);
  bool emit_constant(std::size_t column, Value value);
  std::uint32_t here() const { return static_cast<std::uint32_t>(tree_->code.size()); }
  std::uint32_t name_index(std::string_view name);

  Lexer lexer_;
  const Limits& limits_;
  std::shared_ptr<Expression::Tree> tree_ = std::make_shared<Expression::Tree>();
  std::map<std::string, std::uint32_t, std::less<>> name_indices_;
  Token token_;
  std::size_t depth_ = 0;
  Error error_{Errc::internal, ""};
};

}  // namespace kiln::expr
