#include "expr/tree.hpp"

#include <string>
#include <vector>

namespace kiln::expr {

// Both tables are in the order of their enumeration.
const char* spelling(Operator op) {
  constexpr const char* spellings[] = {"+", "-", "*", "/", "//", "%", "**"};
  return spellings[static_cast<std::size_t>(op)];
}

const char* spelling(Comparison op) {
  constexpr const char* spellings[] = {"<", "<=", ">", ">=", "==", "!=", "in", "not in"};
  return spellings[static_cast<std::size_t>(op)];
}

Binding binding_of(Operator op) {
  switch (op) {
    case Operator::add:
    case Operator::subtract:
      return Binding::sum;
    case Operator::power:
      return Binding::power;
    default:
      return Binding::product;
  }
}

namespace {

/// The text of a subtree, with how tightly its outermost operator binds.
struct Piece {
  std::string text;
  Binding binding;
};

/// Rebuilds the text from the postfix order of the tree, bottom up. The left operand grows in
/// place, so a long sum costs linear time.
class Writer {
 public:
  explicit Writer(const Expression::Tree& tree) : tree_(tree) {}

  std::string write() {
    for (const Instruction& instruction : tree_.code) add(instruction);
    return std::move(pieces_.back().text);
  }

 private:
  void add(const Instruction& at) {
    switch (at.op) {
      case Op::constant:
        return constant(tree_.constants[at.index]);
      case Op::name:
        return push(tree_.names[at.index], Binding::primary);
      case Op::list:
        return push('[' + take_items(at.count) + ']', Binding::primary);
      case Op::call: {
        std::string arguments = take_items(at.count);
        return push(tree_.names[at.index] + '(' + arguments + ')', Binding::primary);
      }
      case Op::index:
        return item();
      case Op::negate:
        return prefix("-", Binding::sign);
      case Op::plus:
        return prefix("+", Binding::sign);
      case Op::invert:
        return prefix("not ", Binding::invert);
      case Op::binary:
        return binary(at.binary);
      case Op::compare:
        return compare(at);
      case Op::both:
        return infix("and", Binding::both, Binding::both, Binding::invert);
      case Op::either:
        return infix("or", Binding::either, Binding::either, Binding::both);
      case Op::choose:
        return choose();
      case Op::jump_if_false:
      case Op::jump_if_true:
      case Op::branch:
      case Op::jump:
        return;  // control flow, not nodes of the tree
    }
  }

  void constant(const Value& value) {
    // The smallest integer is the one literal that carries a sign.
    const auto* const integer = std::get_if<std::int64_t>(&value.data());
    push(value.text(), integer && *integer < 0 ? Binding::sign : Binding::primary);
  }

  /// Inside brackets nothing needs parentheses; before them everything but a primary does.
  void item() {
    const std::string position = take(Binding::conditional);
    wrap(Binding::primary);
    Piece& sequence = pieces_.back();
    sequence.text += '[' + position + ']';
    sequence.binding = Binding::primary;
  }

  /// The operand may bind as loosely as the sign itself: `--a`, `not not a`, `-a ** b`.
  void prefix(const char* sign, Binding binding) { push(sign + take(binding), binding); }

  /// Operators that group from the left need parentheses around an equal on their right; a power
  /// needs them on its left, but takes signs and powers on its right as they are.
  void binary(Operator op) {
    const Binding binding = binding_of(op);
    if (op == Operator::power) return infix("**", binding, Binding::primary, Binding::sign);
    const Binding right = binding == Binding::sum ? Binding::product : Binding::sign;
    infix(spelling(op), binding, binding, right);
  }

  void compare(const Instruction& at) {
    // Behind the first comparison of a chain the left operand is the chain so far, not a value.
    const Binding left = at.index == 0 ? Binding::sum : Binding::comparison;
    infix(spelling(at.comparison), Binding::comparison, left, Binding::sum);
  }

  /// Joins the top two pieces. Only the right one is copied, so that chains stay linear.
  void infix(const char* op, Binding binding, Binding least_left, Binding least_right) {
    const std::string right = take(least_right);
    wrap(least_left);
    Piece& left = pieces_.back();
    left.text.append(" ").append(op).append(" ").append(right);
    left.binding = binding;
  }

  /// Pushed in the order of evaluation: condition, chosen, otherwise.
  void choose() {
    const std::string otherwise = take(Binding::conditional);
    std::string chosen = take(Binding::either);
    const std::string condition = take(Binding::either);
    push(std::move(chosen) + " if " + condition + " else " + otherwise, Binding::conditional);
  }

  void push(std::string text, Binding binding) { pieces_.push_back({std::move(text), binding}); }

  /// Puts parentheses around the top piece where it binds more loosely than `least`.
  void wrap(Binding least) {
    Piece& top = pieces_.back();
    if (top.binding >= least) return;
    top.text.insert(0, 1, '(');
    top.text += ')';
  }

  /// The top piece, fit for a place that asks for `least`.
  std::string take(Binding least) {
    wrap(least);
    std::string text = std::move(pieces_.back().text);
    pieces_.pop_back();
    return text;
  }

  /// The last `count` pieces between commas, where nothing needs parentheses.
  std::string take_items(std::size_t count) {
    std::string text;
    for (std::size_t i = pieces_.size() - count; i < pieces_.size(); ++i) {
      if (!text.empty()) text += ", ";
      text += pieces_[i].text;
    }
    pieces_.resize(pieces_.size() - count, Piece{});
    return text;
  }

  const Expression::Tree& tree_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::string canonical_text(const Expression::Tree& tree) { return Writer(tree).write(); }

}  // namespace kiln::expr
