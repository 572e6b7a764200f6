// The parser: a text becomes a tree's instructions. The grammar is in kiln/expr.hpp.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "expr/lexer.hpp"
#include "expr/text.hpp"
#include "expr/tree.hpp"

namespace kiln::expr {
namespace {

/// The operators that group from the left; ** groups from the right and is not among them.
std::optional<Operator> operator_of(const Token& token) {
  if (token.kind != Token::Kind::symbol) return std::nullopt;
  for (const Operator op : {Operator::add, Operator::subtract, Operator::multiply, Operator::divide,
                            Operator::floor_divide, Operator::modulo}) {
    if (token.text == spelling(op)) return op;
  }
  return std::nullopt;
}

/// The comparison that a token starts; "not" stands for "not in".
std::optional<Comparison> comparison_of(const Token& token) {
  if (token.is("not")) return Comparison::not_in;
  for (const Comparison op :
       {Comparison::less, Comparison::less_equal, Comparison::greater, Comparison::greater_equal,
        Comparison::equal, Comparison::not_equal, Comparison::in}) {
    if (token.is(spelling(op))) return op;
  }
  return std::nullopt;
}

/// What the right operand of an operator that groups from the left must exceed.
Binding tighter(Binding binding) {
  return static_cast<Binding>(static_cast<std::uint8_t>(binding) + 1);
}

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
  std::uint32_t token_column() const { return static_cast<std::uint32_t>(token_.column); }
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

Parser::Parser(std::string_view text, Dialect dialect, const Limits& limits)
    : lexer_(text, dialect), limits_(limits) {}

Expected<std::shared_ptr<const Expression::Tree>> Parser::parse() {
  if (!advance() || !conditional()) return tl::unexpected(error_);
  if (token_.kind != Token::Kind::end) {
    unexpected("an operator or the end");
    return tl::unexpected(error_);
  }
  return std::shared_ptr<const Expression::Tree>(std::move(tree_));
}

/// `a if c else b`. The condition runs first but stands second, so the code for `a`, already
/// emitted, moves behind it; its own jumps move with it.
bool Parser::conditional() {
  if (!enter(token_.column)) return false;
  const std::uint32_t start = here();
  if (!operators(Binding::either)) return false;
  if (token_.is("if")) {
    const std::size_t column = token_.column;
    auto& code = tree_->code;
    // Moving costs time per level of nesting, which `enter` bounds; the other way, parsing the
    // condition first, would need unbounded look-ahead.
    std::vector<Instruction> chosen(code.begin() + start, code.end());
    code.resize(start);
    if (!advance() || !operators(Binding::either) || !emit(Op::branch, column)) return false;
    const std::uint32_t branch = here() - 1, moved = here() - start;
    for (Instruction& instruction : chosen) instruction.target += moved;
    code.insert(code.end(), chosen.begin(), chosen.end());
    if (!emit(Op::jump, column)) return false;
    const std::uint32_t jump = here() - 1;
    code[branch].target = here();
    if (!expect("else", "'else' of the conditional") || !conditional()) return false;
    code[jump].target = here();
    if (!emit(Op::choose, column)) return false;
  }
  leave();
  return true;
}

/// An operand and all operators behind it that bind at least as tightly as `least`.
bool Parser::operators(Binding least) {
  if (token_.is("not") && least <= Binding::invert) {
    const std::size_t column = token_.column;
    if (!enter(column) || !advance() || !operators(Binding::invert)) return false;
    leave();
    if (!emit(Op::invert, column)) return false;
  } else if (!sign()) {
    return false;
  }
  for (bool found = true; found;) {
    if (!operation(least, found)) return false;
  }
  return true;
}

/// One operator and its right operand; `found` is false where none binds tightly enough.
bool Parser::operation(Binding least, bool& found) {
  found = true;
  if (token_.is("or") || token_.is("and")) {
    const Binding binding = token_.is("or") ? Binding::either : Binding::both;
    if (binding >= least) return short_circuit(binding);
  } else if (comparison_of(token_)) {
    if (Binding::comparison >= least) return chain();
  } else if (const auto op = operator_of(token_)) {
    const Binding binding = binding_of(*op);
    if (binding >= least) {
      const Instruction instruction{.op = Op::binary, .binary = *op, .column = token_column()};
      return advance() && operators(tighter(binding)) && emit(instruction);
    }
  }
  found = false;
  return true;
}

/// `and` and `or`: the jump behind the left operand skips the right one and keeps the left.
bool Parser::short_circuit(Binding binding) {
  const bool is_or = binding == Binding::either;
  const std::size_t column = token_.column;
  const std::uint32_t jump = here();
  if (!advance() || !emit(is_or ? Op::jump_if_true : Op::jump_if_false, column) ||
      !operators(tighter(binding))) {
    return false;
  }
  tree_->code[jump].target = here();
  return emit(is_or ? Op::either : Op::both, column);
}

/// a < b <= c …: one node, each operand evaluated at most once.
bool Parser::chain() {
  std::vector<std::uint32_t> comparisons;
  while (const auto op = comparison_of(token_)) {
    const Instruction instruction{.op = Op::compare,
                                  .comparison = *op,
                                  .chain_ends = false,
                                  .column = token_column(),
                                  .index = static_cast<std::uint32_t>(comparisons.size())};
    if (!advance()) return false;
    if (*op == Comparison::not_in && !expect("in", "'in' after 'not'")) return false;
    if (!operators(Binding::sum)) return false;
    comparisons.push_back(here());
    if (!emit(instruction)) return false;
  }
  // All links jump behind the last: whichever fails first has left the chain's result.
  tree_->code[comparisons.back()].chain_ends = true;
  for (const std::uint32_t at : comparisons) tree_->code[at].target = here();
  return true;
}

/// Signs nest to the right; each is a node, so `--a` keeps both.
bool Parser::sign() {
  if (!token_.is("-") && !token_.is("+")) return power();
  const bool negative = token_.is("-");
  const std::size_t column = token_.column;
  if (!enter(column) || !advance()) return false;
  constexpr std::uint64_t past_largest = std::uint64_t{1} << 63;
  if (negative && token_.kind == Token::Kind::integer && token_.magnitude == past_largest) {
    // The smallest integer has no positive counterpart, so its sign belongs to the literal.
    const Token number = token_;
    if (!advance()) return false;
    if (token_.is("**") || token_.is("[")) {
      return refuse(number.column, shown(number.text) + " does not fit 64 bits");
    }
    leave();
    return emit_constant(column, std::numeric_limits<std::int64_t>::min());
  }
  if (!sign()) return false;
  leave();
  return emit(negative ? Op::negate : Op::plus, column);
}

/// Binds tighter than a sign before it, looser than one behind it: -2 ** -1 is -(2 ** (-1)).
bool Parser::power() {
  if (!postfix()) return false;
  if (!token_.is("**")) return true;
  const Instruction instruction{
      .op = Op::binary, .binary = Operator::power, .column = token_column()};
  if (!enter(token_.column) || !advance() || !sign()) return false;
  leave();
  return emit(instruction);
}

/// Indices after a value. A call is not among them: what can be called is a name, not a value.
bool Parser::postfix() {
  if (!primary()) return false;
  while (token_.is("[")) {
    const std::size_t column = token_.column;
    if (!advance() || !conditional() || !expect("]", "']' after the index") ||
        !emit(Op::index, column)) {
      return false;
    }
  }
  if (token_.is("(")) return refuse(token_.column, "only a function's name can be called");
  return true;
}

/// What no operator holds together: names, calls, literals, lists, parentheses.
bool Parser::primary() {
  switch (token_.kind) {
    case Token::Kind::name:
      return name_or_call();
    case Token::Kind::integer:
    case Token::Kind::real:
    case Token::Kind::string:
      return literal();
    default:
      if (token_.is("True") || token_.is("False")) return literal();
      if (token_.is("(")) return parentheses();
      if (token_.is("[")) return list_literal();
      return unexpected("a value");
  }
}

/// A constant. The lexer accepts 2 ** 63 for the sake of `sign`; elsewhere it is too large.
bool Parser::literal() {
  const Token written = token_;
  if (!advance()) return false;
  switch (written.kind) {
    case Token::Kind::integer:
      if (written.magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return refuse(written.column, shown(written.text) + " does not fit 64 bits");
      return emit_constant(written.column, static_cast<std::int64_t>(written.magnitude));
    case Token::Kind::real:
      return emit_constant(written.column, written.real);
    case Token::Kind::string:
      return emit_constant(written.column, written.string);
    default:
      return emit_constant(written.column, written.is("True"));
  }
}

/// The bracket behind a name makes it a call; the two kinds of names never mix.
bool Parser::name_or_call() {
  const std::size_t column = token_.column;
  const std::uint32_t name = name_index(token_.text);
  if (!advance()) return false;
  if (!token_.is("(")) return emit(Op::name, column, name);
  const std::size_t opened = token_.column;
  std::uint32_t count = 0;
  return advance() && items(")", opened, count) && emit(Op::call, column, name, count);
}

/// A value in parentheses, or a tuple, which is a list here: a comma makes the difference.
bool Parser::parentheses() {
  const std::size_t column = token_.column;
  if (!advance()) return false;
  if (token_.is(")")) return advance() && emit(Op::list, column);
  if (!conditional()) return false;
  if (!token_.is(",")) return expect(")", fmt::format("')' for the '(' of column {}", column));
  std::uint32_t count = 0;
  return advance() && items(")", column, count) && emit(Op::list, column, 0, count + 1);
}

bool Parser::list_literal() {
  const std::size_t column = token_.column;
  std::uint32_t count = 0;
  return advance() && items("]", column, count) && emit(Op::list, column, 0, count);
}

/// A comma behind the last item is allowed, as in Python.
bool Parser::items(std::string_view closing, std::size_t opened, std::uint32_t& count) {
  while (!token_.is(closing)) {
    if (!conditional()) return false;
    ++count;
    if (!token_.is(",")) break;
    if (!advance()) return false;
  }
  const char* const opening = closing == ")" ? "(" : "[";
  return expect(closing,
                fmt::format("',' or '{}' for the '{}' of column {}", closing, opening, opened));
}

bool Parser::advance() {
  auto next = lexer_.next();
  if (next) {
    token_ = std::move(*next);
    return true;
  }
  error_ = next.error();
  return false;
}

bool Parser::expect(std::string_view symbol, const std::string& instead) {
  return token_.is(symbol) ? advance() : unexpected(instead);
}

/// The message of every syntax error: where, what stands there, what could.
bool Parser::unexpected(const std::string& expected) {
  const std::string found = token_.kind == Token::Kind::end ? "the end" : shown(token_.text);
  return refuse(token_.column, fmt::format("found {}, expected {}", found, expected));
}

bool Parser::refuse(std::size_t column, const std::string& message) {
  error_ = fail_at(column, message).value();
  return false;
}

/// Bounds the recursion. No guard object: after an error parsing does not go on, so
/// only the good paths need to leave.
bool Parser::enter(std::size_t column) {
  if (++depth_ <= limits_.depth) return true;
  return refuse(column, fmt::format("nested deeper than {} levels", limits_.depth));
}

bool Parser::emit(const Instruction& instruction) {
  if (tree_->code.size() >= limits_.nodes) {
    return refuse(instruction.column,
                  fmt::format("more than {} operations and values", limits_.nodes));
  }
  tree_->code.push_back(instruction);
  return true;
}

bool Parser::emit(Op op, std::size_t column, std::uint32_t index, std::uint32_t count) {
  return emit(Instruction{
      .op = op, .column = static_cast<std::uint32_t>(column), .index = index, .count = count});
}

bool Parser::emit_constant(std::size_t column, Value value) {
  tree_->constants.push_back(std::move(value));
  return emit(Op::constant, column, static_cast<std::uint32_t>(tree_->constants.size() - 1));
}

/// Each name is stored once, however often it stands in the text.
std::uint32_t Parser::name_index(std::string_view name) {
  const auto next = static_cast<std::uint32_t>(tree_->names.size());
  const auto [entry, added] = name_indices_.try_emplace(std::string(name), next);
  if (added) tree_->names.emplace_back(name);
  return entry->second;
}

}  // namespace

Expected<std::shared_ptr<const Expression::Tree>> parse_tree(std::string_view text, Dialect dialect,
                                                             const Limits& limits) {
  return Parser(text, dialect, limits).parse();
}

}  // namespace kiln::expr
