#include "expr/integer_program.hpp"

#include <algorithm>

#include "expr/arithmetic.hpp"
#include "expr/functions.hpp"
#include "expr/operators.hpp"
#include "expr/tree.hpp"

namespace kiln::expr {
namespace {

/// What runs and bounds the nodes recurses.
constexpr std::uint32_t deepest_node = 200;

/// Integers up to here are exact as doubles.
constexpr std::int64_t most_exact = std::int64_t{1} << 53;

bool is_exact(std::int64_t value) { return value >= -most_exact && value <= most_exact; }

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
    switch (on_integers(function, count)) {
      case OnIntegers::unknown:
        return false;
      case OnIntegers::itself:
        return combine(Kind::plus, 1);
      case OnIntegers::magnitude:
        return combine(Kind::magnitude, 1);
      case OnIntegers::least:
        return count > 1 && combine(Kind::least, count);  // of one: that of a list's items
      case OnIntegers::greatest:
        return count > 1 && combine(Kind::most, count);
    }
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
    if (depth > deepest_node) return false;
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
  const auto tree = parse_tree(text, expression.dialect(), limits);
  if (!tree) return std::nullopt;
  IntegerProgram program;
  if (!Builder(**tree, expression.dialect(), names).build(program)) return std::nullopt;
  return program;
}

std::optional<std::int64_t> IntegerProgram::evaluate(std::span<const std::int64_t> values) const {
  std::int64_t result = 0;
  if (!run(root_, values.data(), result)) return std::nullopt;
  return result;
}

/// False: ask the plain evaluator.
bool IntegerProgram::run(std::uint32_t at, const std::int64_t* values, std::int64_t& result) const {
  const Node& node = nodes_[at];
  std::int64_t left = 0, right = 0;
  switch (node.kind) {
    case Kind::constant:
      result = node.constant;
      return true;
    case Kind::name:
      result = values[node.constant];
      return true;
    case Kind::binary:
      return run(node.parts[0], values, left) && run(node.parts[1], values, right) &&
             run_binary(node.op, left, right, result);
    case Kind::compare:
      if (!run(node.parts[0], values, left) || !run(node.parts[1], values, right)) return false;
      result = holds(node.comparison, left <=> right);
      return true;
    case Kind::negate:
      return run(node.parts[0], values, left) && !__builtin_sub_overflow(0, left, &result);
    case Kind::plus:
      return run(node.parts[0], values, result);
    case Kind::invert:
      if (!run(node.parts[0], values, left)) return false;
      result = left == 0;
      return true;
    case Kind::both:  // gives one of its operands, as in Python
      if (!run(node.parts[0], values, result)) return false;
      return result == 0 || run(node.parts[1], values, result);
    case Kind::either:
      if (!run(node.parts[0], values, result)) return false;
      return result != 0 || run(node.parts[1], values, result);
    case Kind::choose:
      return run(node.parts[0], values, left) && run(node.parts[left != 0 ? 1 : 2], values, result);
    default:
      return run_several(node, values, result);
  }
}

bool IntegerProgram::run_binary(Operator op, std::int64_t left, std::int64_t right,
                                std::int64_t& result) const {
  if (right == 0 && divides(op)) return false;
  if (op == Operator::divide && !(is_exact(left) && is_exact(right) && left % right == 0))
    return false;
  if (!integer_result(op, left, right, result)) return false;
  // With a `/` about, this may stand for a double.
  return !divides_ || (is_exact(result) && is_exact(left) && is_exact(right));
}

bool IntegerProgram::run_several(const Node& node, const std::int64_t* values,
                                 std::int64_t& result) const {
  std::int64_t first = 0, other = 0;
  if (!run(node.parts[0], values, first)) return false;
  bool found = false;
  result = first;
  for (std::size_t i = 1; i < node.parts.size(); ++i) {
    if (!run(node.parts[i], values, other)) return false;
    found |= other == first;
    if (node.kind == Kind::least) result = std::min(result, other);
    if (node.kind == Kind::most) result = std::max(result, other);
  }
  if (node.kind == Kind::within) result = found;
  if (node.kind == Kind::not_within) result = !found;
  if (node.kind == Kind::magnitude && first < 0) {
    return !__builtin_sub_overflow(0, first, &result);
  }
  return true;
}

}  // namespace kiln::expr
