#include "expr/operators.hpp"

#include <fmt/format.h>

#include <limits>

#include "expr/arithmetic.hpp"

namespace kiln::expr {
namespace {

/// What is not arithmetic: joining and repeating. Equal indices mean equal types.
Expected<Value> sequences(Operator op, const Value& left, const Value& right, Budget& budget) {
  if (op == Operator::add && left.data().index() == right.data().index()) {
    return concatenate(left, right, budget);
  }
  if (op == Operator::multiply && right.is_integer()) {
    return repeat(left, integer_of(right), budget);
  }
  if (op == Operator::multiply && left.is_integer()) {
    return repeat(right, integer_of(left), budget);
  }
  return wrong_types(spelling(op), left, right);
}

}  // namespace

tl::unexpected<Error> wrong_types(const char* op, const Value& left, const Value& right) {
  return fail(Errc::bad_input,
              fmt::format("'{}' does not take {} and {}", op, left.type_name(), right.type_name()));
}

Expected<Value> apply(Operator op, const Value& left, const Value& right, Dialect dialect,
                      Budget& budget) {
  if (!left.is_number() || !right.is_number()) return sequences(op, left, right, budget);
  if (op == Operator::power) return power(left, right);
  if (left.is_integer() && right.is_integer()) {
    return of_integers(op, integer_of(left), integer_of(right), dialect);
  }
  return of_doubles(op, double_of(left), double_of(right));
}

Expected<Value> negate(const Value& operand) {
  if (!operand.is_number()) {
    return fail(Errc::bad_input, fmt::format("'-' does not take {}", operand.type_name()));
  }
  if (!operand.is_integer()) return Value(-double_of(operand));
  const std::int64_t integer = integer_of(operand);
  if (integer == std::numeric_limits<std::int64_t>::min()) {
    return fail(Errc::bad_input, fmt::format("-({}) does not fit 64 bits", integer));
  }
  return Value(-integer);
}

Expected<Value> plus(const Value& operand) {
  if (!operand.is_number()) {
    return fail(Errc::bad_input, fmt::format("'+' does not take {}", operand.type_name()));
  }
  // +True is the integer 1.
  return operand.is_integer() ? Value(integer_of(operand)) : operand;
}

}  // namespace kiln::expr
