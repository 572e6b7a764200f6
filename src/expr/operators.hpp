#pragma once

#include "expr/budget.hpp"
#include "expr/tree.hpp"

/// Python's operators. Errors say what went wrong, not where: the evaluator adds the column.
namespace kiln::expr {

Expected<Value> apply(Operator op, const Value& left, const Value& right, Dialect dialect,
                      Budget& budget);
Expected<Value> compare(Comparison op, const Value& left, const Value& right);
Expected<Value> negate(const Value& operand);
Expected<Value> plus(const Value& operand);
/// sequence[position]; a negative position counts from the end.
Expected<Value> item_of(const Value& sequence, const Value& position);

/// Python's ==: numbers by value whatever their types, different kinds never equal.
bool equal(const Value& left, const Value& right);

/// Parts of `apply`, each for the operands that it knows.
Expected<Value> power(const Value& base, const Value& exponent);
Expected<Value> concatenate(const Value& left, const Value& right, Budget& budget);
Expected<Value> repeat(const Value& sequence, std::int64_t times, Budget& budget);

/// The error for operand types that an operator does not take.
tl::unexpected<Error> wrong_types(const char* op, const Value& left, const Value& right);

/// A bool or integer as an integer; call only where Value::is_integer.
std::int64_t integer_of(const Value& value);
/// A number as a double, rounded to nearest; call only where Value::is_number.
double double_of(const Value& value);
/// Division that rounds toward minus infinity, as Python's //; `right` is not 0, and the quotient
/// fits.
std::int64_t floored_quotient(std::int64_t left, std::int64_t right);
/// With the sign of the divisor, as Python's %; `right` is not 0.
std::int64_t floored_remainder(std::int64_t left, std::int64_t right);
/// base ** exponent for exponent >= 0; false on overflow.
bool integer_power(std::int64_t base, std::int64_t exponent, std::int64_t& result);
/// A double that is whole after truncation, where it fits 64 bits.
Expected<std::int64_t> truncated(double value);

}  // namespace kiln::expr
