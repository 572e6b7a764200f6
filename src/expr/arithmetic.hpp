#pragma once

#include "expr/tree.hpp"

/// Python's arithmetic on numbers: integers of 64 bits, whose overflow is an error, and doubles.
/// Errors say what went wrong, not where: the evaluator adds the column.
namespace kiln::expr {

/// A bool or integer as an integer; call only where Value::is_integer.
std::int64_t integer_of(const Value& value);
/// A number as a double, rounded to nearest; call only where Value::is_number.
double double_of(const Value& value);
/// A double truncated toward zero, where the result fits 64 bits.
Expected<std::int64_t> truncated(double value);

/// Division that rounds toward minus infinity, as Python's //; `right` is not 0, and the quotient
/// fits. C++ rounds toward zero: one less where that rounded a negative quotient up.
template <class Integer>
Integer floored_quotient(Integer left, Integer right) {
  const Integer quotient = left / right;
  const bool rounded_up = left % right != 0 && (left < 0) != (right < 0);
  return quotient - (rounded_up ? 1 : 0);
}
/// With the sign of the divisor, as Python's %, where C++ takes the dividend's; `right` is not 0.
std::int64_t floored_remainder(std::int64_t left, std::int64_t right);
/// base ** exponent for exponent >= 0; false on overflow.
bool integer_power(std::int64_t base, std::int64_t exponent, std::int64_t& result);

/// Whether an operator is one of the divisions, whose right operand may not be 0.
inline bool divides(Operator op) {
  return op == Operator::divide || op == Operator::floor_divide || op == Operator::modulo;
}
/// Any operator on integers; `/` rounds as `//` does. False where the result is no integer of 64
/// bits. The right operand of a division is not 0.
bool integer_result(Operator op, std::int64_t left, std::int64_t right, std::int64_t& result);

/// All operators but **, on two integers: checked for overflow of 64 bits and division by zero;
/// // and % round toward minus infinity, as `/` does in python2.
Expected<Value> of_integers(Operator op, std::int64_t left, std::int64_t right, Dialect dialect);
/// The same on doubles, as CPython: infinities may come out, but dividing by zero is an error.
Expected<Value> of_doubles(Operator op, double left, double right);
/// base ** exponent of two numbers. As CPython: integers stay integers for exponents from 0 up,
/// everything else goes through doubles.
Expected<Value> power(const Value& base, const Value& exponent);
/// round(value, digits): half to even on the exact binary value; call where Value::is_number.
Expected<Value> rounded(const Value& value, std::int64_t digits);

}  // namespace kiln::expr
