#include "kernel/source/condition.hpp"

#include <charconv>
#include <optional>

namespace kiln {

int precedence(const Token& token) {
  if (token.kind != TokenKind::punctuator) return 0;
  switch (token.code) {
    case punct("*"):
    case punct("/"):
    case punct("%"):
      return 10;
    case punct("+"):
    case punct("-"):
      return 9;
    case punct("<<"):
    case punct(">>"):
      return 8;
    case punct("<"):
    case punct(">"):
    case punct("<="):
    case punct(">="):
      return 7;
    case punct("=="):
    case punct("!="):
      return 6;
    case punct("&"):
      return 5;
    case punct("^"):
      return 4;
    case punct("|"):
      return 3;
    case punct("&&"):
      return 2;
    case punct("||"):
      return 1;
    default:
      return 0;
  }
}

namespace {

/// nullopt: not known.
using Value = std::optional<std::int64_t>;

/// Arithmetic in 64 bits that wraps; what C leaves undefined is not known.
Value apply(std::uint32_t code, std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  switch (code) {
    case punct("*"):
      return static_cast<std::int64_t>(ua * ub);
    case punct("/"):
      return b == 0 || (b == -1 && a < -INT64_MAX) ? Value{} : a / b;
    case punct("%"):
      if (b == 0) return {};
      return b == -1 ? 0 : a % b;  // INT64_MIN % -1 would trap
    case punct("+"):
      return static_cast<std::int64_t>(ua + ub);
    case punct("-"):
      return static_cast<std::int64_t>(ua - ub);
    case punct("<<"):
      return b < 0 || b > 63 ? Value{} : static_cast<std::int64_t>(ua << b);
    case punct(">>"):
      return b < 0 || b > 63 ? Value{} : a >> b;
    case punct("<"):
      return a < b;
    case punct(">"):
      return a > b;
    case punct("<="):
      return a <= b;
    case punct(">="):
      return a >= b;
    case punct("=="):
      return a == b;
    case punct("!="):
      return a != b;
    case punct("&"):
      return a & b;
    case punct("^"):
      return a ^ b;
    default:
      return a | b;
  }
}

class Evaluator {
 public:
  Evaluator(std::span<const Token> tokens, const std::function<bool(const Token&)>& undefined)
      : tokens_(tokens), surely_undefined_(undefined) {}

  Value run() {
    const Value value = conditional();
    return failed_ || at_ != tokens_.size() ? Value{} : value;
  }

 private:
  static constexpr int max_depth = 200;

  bool take(std::uint32_t code) {
    if (at_ >= tokens_.size() || !tokens_[at_].is(code)) return false;
    ++at_;
    return true;
  }
  Value fail() {
    failed_ = true;
    return {};
  }

  Value conditional() {
    const Value condition = binary(1);
    if (!take(punct("?"))) return condition;
    if (++depth_ > max_depth) return fail();
    const Value yes = conditional();
    if (!take(punct(":"))) return fail();
    const Value no = conditional();
    --depth_;
    if (!condition) return yes && no && *yes == *no ? yes : Value{};
    return *condition != 0 ? yes : no;
  }

  Value binary(int lowest) {
    Value left = unary();
    while (!failed_ && at_ < tokens_.size()) {
      const std::uint32_t code = tokens_[at_].code;
      const int level = precedence(tokens_[at_]);
      if (level < lowest) break;
      ++at_;
      const Value right = binary(level + 1);
      left = combine(code, left, right);
    }
    return left;
  }

  Value combine(std::uint32_t code, Value a, Value b) const {
    // One side can settle these two.
    if (code == punct("&&")) {
      if ((a && *a == 0) || (b && *b == 0)) return 0;
      return a && b ? Value{1} : Value{};
    }
    if (code == punct("||")) {
      if ((a && *a != 0) || (b && *b != 0)) return 1;
      return a && b ? Value{0} : Value{};
    }
    if (!a || !b) return {};
    // Unsigned arithmetic differs only where a value is negative as a signed one.
    if (unsigned_ && (*a < 0 || *b < 0)) return {};
    const Value result = apply(code, *a, *b);
    return unsigned_ && result && *result < 0 ? Value{} : result;
  }

  Value unary() {
    if (at_ >= tokens_.size() || ++depth_ > max_depth) return fail();
    const Value value = unary_inner();
    --depth_;
    return value;
  }

  Value unary_inner() {
    if (take(punct("("))) {
      const Value value = conditional();
      return take(punct(")")) ? value : fail();
    }
    if (take(punct("!"))) {
      const Value value = unary();
      return value ? Value{*value == 0} : Value{};
    }
    if (take(punct("+"))) return unary();
    if (take(punct("-"))) return combine(punct("-"), 0, unary());
    if (take(punct("~"))) return combine(punct("-"), -1, unary());
    const Token& token = tokens_[at_++];
    if (token.kind == TokenKind::number) return number(token.text);
    if (token.kind == TokenKind::identifier && surely_undefined_(token)) return 0;
    if (token.kind != TokenKind::identifier && token.kind != TokenKind::unknown) return fail();
    // Something like __has_feature(x): skip its operand.
    if (take(punct("("))) {
      for (int open = 1; open > 0; ++at_) {
        if (at_ >= tokens_.size()) return fail();
        open += tokens_[at_].is(punct("(")) - tokens_[at_].is(punct(")"));
      }
    }
    return {};
  }

  Value number(std::string_view text) {
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) base = 16;
    if (text.starts_with("0b") || text.starts_with("0B")) base = 2;
    if (base != 10)
      text.remove_prefix(2);
    else if (text.size() > 1 && text[0] == '0')
      base = 8;
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (parsed.ec != std::errc{}) return fail();
    for (const char* c = parsed.ptr; c != text.data() + text.size(); ++c) {
      if (*c == 'u' || *c == 'U')
        unsigned_ = true;
      else if (*c != 'l' && *c != 'L')
        return fail();
    }
    return value;
  }

  std::span<const Token> tokens_;
  const std::function<bool(const Token&)>& surely_undefined_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false, unsigned_ = false;
};

}  // namespace

Truth evaluate_condition(std::span<const Token> tokens,
                         const std::function<bool(const Token& name)>& surely_undefined) {
  const Value value = Evaluator(tokens, surely_undefined).run();
  if (!value) return Truth::unknown;
  return *value != 0 ? Truth::yes : Truth::no;
}

std::optional<std::int64_t> evaluate_constant(std::span<const Token> tokens) {
  static const std::function<bool(const Token&)> none = [](const Token&) { return false; };
  return Evaluator(tokens, none).run();
}

}  // namespace kiln
