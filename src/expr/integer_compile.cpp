#include <algorithm>

#include "expr/integer_program.hpp"
#include "expr/parser.hpp"

namespace kiln::expr {
namespace {

constexpr std::uint32_t kMostDepth = 200;

}  // namespace

/// Reads a tree's instructions in postfix order, without its jumps, into nodes.
class IntegerProgram::Builder {
 public:
  Builder(const Expression::Tree& tree, Dialect dialect, std::span<const std::string> names)
      : tree_(tree), dialect_(dialect), names_(names) {}

  bool build(IntegerProgram& program) {
    for (const Instruction& at : tree_.code) {
      if (!add(at)) return false;
    }
    if (stack_.size() != 1 || lists_ > 0) return false;
    program.nodes_ = std::move(nodes_);
    program.root_ = stack_.front();
    program.divides_ = divides_;
    program.bounds_well_ = compares_ && !forgets_;
    return true;
  }

 private:
  bool add(const Instruction& at) {
    switch (at.op) {
      case Op::constant:
        return constant(tree_.constants[at.index]);
      case Op::name:
        return name(tree_.names[at.index]);
      case Op::list:
        // Only an `in` that follows at once takes a list: until then nothing can be added.
        list_size_ = at.count;
        return lists_++ == 0 && at.count > 0;
      case Op::call:
        return call(tree_.names[at.index], at.count);
      case Op::negate:
        return combine(Kind::negate, 1);
      case Op::plus:
        return combine(Kind::plus, 1);
      case Op::invert:
        return combine(Kind::invert, 1);
      case Op::binary:
        return binary(at.binary);
      case Op::compare:
        return compare(at);
      case Op::both:
        return combine(Kind::both, 2);
      case Op::either:
        return combine(Kind::either, 2);
      case Op::choose:
        return combine(Kind::choose, 3);
      case Op::jump_if_false:
      case Op::jump_if_true:
      case Op::branch:
      case Op::jump:
        return true;  // the marks at their targets say all
      case Op::index:
        return false;
    }
    return false;
  }

  bool constant(const Value& value) {
    if (!value.is_integer()) return false;
    Node node;
    node.constant = *value.to_integer();
    return push(std::move(node));
  }

  bool name(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return false;
    Node node;
    node.kind = Kind::name;
    node.constant = found - names_.begin();
    return push(std::move(node));
  }

  bool call(const std::string& function, std::size_t count) {
    if (function == "int" && count == 1) return combine(Kind::plus, 1);
    if (function == "abs" && count == 1) return combine(Kind::magnitude, 1);
    if (function == "min" && count > 1) return combine(Kind::least, count);
    if (function == "max" && count > 1) return combine(Kind::most, count);
    return false;
  }

  bool binary(Operator op) {
    if (!combine(Kind::binary, 2)) return false;
    // python2's `/` of integers is its `//`.
    if (op == Operator::divide && dialect_ == Dialect::python2) op = Operator::floor_divide;
    nodes_.back().op = op;
    divides_ |= op == Operator::divide;
    forgets_ |= op == Operator::modulo || op == Operator::floor_divide || op == Operator::power;
    return true;
  }

  /// A chain `a < b < c` becomes `a < b and b < c` with one node for b; `links_` holds the part of
  /// it that is read.
  bool compare(const Instruction& at) {
    compares_ = true;
    const bool membership = at.comparison == Comparison::in || at.comparison == Comparison::not_in;
    if (membership != (lists_ > 0)) return false;
    if (membership) {
      --lists_;
      const Kind kind = at.comparison == Comparison::in ? Kind::within : Kind::not_within;
      // No part of a chain: its right operand would be a list.
      return at.index == 0 && at.chain_ends && combine(kind, list_size_ + std::size_t{1});
    }
    if (stack_.size() < 2) return false;
    const std::uint32_t right = stack_.back();
    if (!combine(Kind::compare, 2)) return false;
    nodes_.back().comparison = at.comparison;
    if (at.index > 0 && !combine(Kind::both, 2)) return false;  // with the links before
    if (!at.chain_ends) stack_.push_back(right);
    return true;
  }

  bool combine(Kind kind, std::size_t count) {
    if (stack_.size() < count) return false;
    if (lists_ > 0) return false;  // a list that is no operand of `in`
    Node node;
    node.kind = kind;
    node.parts.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return push(std::move(node));
  }

  bool push(Node node) {
    if (lists_ > 0) return false;
    // What runs the nodes recurses, and a sum of many terms is as deep as it is long.
    std::uint32_t depth = 1;
    for (const std::uint32_t part : node.parts) depth = std::max(depth, depths_[part] + 1);
    if (depth > kMostDepth) return false;
    depths_.push_back(depth);
    stack_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back(std::move(node));
    return true;
  }

  const Expression::Tree& tree_;
  Dialect dialect_;
  std::span<const std::string> names_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> depths_;  ///< of each node
  std::vector<std::uint32_t> stack_;
  std::size_t list_size_ = 0, lists_ = 0;
  bool divides_ = false, forgets_ = false, compares_ = false;
};

std::optional<IntegerProgram> IntegerProgram::compile(const Expression& expression,
                                                      std::span<const std::string> names) {
  // The canonical text has the same tree, and so nothing but the evaluator needs to see inside.
  const std::string text = expression.canonical();
  const Limits limits;
  const auto tree = Parser(text, expression.dialect(), limits).parse();
  if (!tree) return std::nullopt;
  IntegerProgram program;
  if (!Builder(**tree, expression.dialect(), names).build(program)) return std::nullopt;
  return program;
}

}  // namespace kiln::expr
