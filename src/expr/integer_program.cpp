#include "expr/integer_program.hpp"

#include <algorithm>
#include <limits>

#include "expr/operators.hpp"

namespace kiln::expr {
namespace {

/// Whole doubles are exact up to here.
constexpr std::int64_t kExact = std::int64_t{1} << 53;

bool is_exact(std::int64_t value) { return value >= -kExact && value <= kExact; }

bool holds(Comparison op, std::int64_t left, std::int64_t right) {
  switch (op) {
    case Comparison::less:
      return left < right;
    case Comparison::less_equal:
      return left <= right;
    case Comparison::greater:
      return left > right;
    case Comparison::greater_equal:
      return left >= right;
    case Comparison::equal:
      return left == right;
    default:
      return left != right;
  }
}

}  // namespace

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
      result = holds(node.comparison, left, right);
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
  bool sure = true;
  switch (op) {
    case Operator::add:
      sure = !__builtin_add_overflow(left, right, &result);
      break;
    case Operator::subtract:
      sure = !__builtin_sub_overflow(left, right, &result);
      break;
    case Operator::multiply:
      sure = !__builtin_mul_overflow(left, right, &result);
      break;
    case Operator::power:
      sure = right >= 0 && integer_power(left, right, result);
      break;
    case Operator::divide:
      if (right == 0 || !is_exact(left) || !is_exact(right) || left % right != 0) return false;
      result = left / right;
      break;
    case Operator::floor_divide:
      if (right == 0 || (right == -1 && left == std::numeric_limits<std::int64_t>::min())) {
        return false;
      }
      result = floored_quotient(left, right);
      break;
    case Operator::modulo:
      if (right == 0) return false;
      result = floored_remainder(left, right);
      break;
  }
  // With a `/` about, this may stand for a double.
  return sure && (!divides_ || (is_exact(result) && is_exact(left) && is_exact(right)));
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
