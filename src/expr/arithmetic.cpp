#include "expr/arithmetic.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace kiln::expr {
namespace {

constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

tl::unexpected<Error> overflow(Operator op, std::int64_t left, std::int64_t right) {
  return fail(Errc::bad_input,
              fmt::format("{} {} {} does not fit 64 bits", left, spelling(op), right));
}

tl::unexpected<Error> division_by_zero() { return fail(Errc::bad_input, "division by zero"); }

struct Division {
  double quotient, remainder;
};

/// The remainder is exact and has the divisor's sign; the quotient follows from it, so that
/// rounding never makes the two disagree.
Division floored(double left, double right) {
  double remainder = std::fmod(left, right);
  double quotient = (left - remainder) / right;
  if (remainder == 0) {
    remainder = std::copysign(0.0, right);
  } else if ((remainder < 0) != (right < 0)) {
    remainder += right;
    quotient -= 1;
  }
  if (quotient == 0) return {std::copysign(0.0, left / right), remainder};
  // The quotient is near a whole number, but rounding may have put it just below.
  double whole = std::floor(quotient);
  if (quotient - whole > 0.5) whole += 1;
  return {whole, remainder};
}

}  // namespace

/// C++ rounds toward zero: one less where that rounded a negative quotient up.
std::int64_t floored_quotient(std::int64_t left, std::int64_t right) {
  const std::int64_t quotient = left / right;
  const bool rounded_up = left % right != 0 && (left < 0) != (right < 0);
  return quotient - (rounded_up ? 1 : 0);
}

/// With the sign of the divisor, as Python, where C++ takes the dividend's.
std::int64_t floored_remainder(std::int64_t left, std::int64_t right) {
  if (right == -1) return 0;  // the smallest integer % -1 traps on x86
  const std::int64_t remainder = left % right;
  return remainder != 0 && (remainder < 0) != (right < 0) ? remainder + right : remainder;
}

double true_quotient(std::int64_t left, std::int64_t right) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (left >= -exact && left <= exact && right >= -exact && right <= exact) {
    return static_cast<double>(left) / static_cast<double>(right);
  }
  // Converting either to a double would round a first time, the division a second time.
  if (left == 0) return right < 0 ? -0.0 : 0.0;
  __extension__ using Wide = unsigned __int128;
  const auto magnitude = [](std::int64_t v) {
    return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
  };
  const std::uint64_t dividend = magnitude(left), divisor = magnitude(right);
  // At least 63 bits of quotient, and the lowest says whether anything was cut off behind them:
  // one rounding to 53 bits is then the only one.
  const int shift = 64 + std::countl_zero(dividend);
  const Wide shifted = static_cast<Wide>(dividend) << shift;
  const Wide quotient = shifted / divisor;
  const bool cut = shifted % divisor != 0;
  const double rounded = static_cast<double>(quotient | Wide{cut});
  const double result = std::ldexp(rounded, -shift);
  return (left < 0) == (right < 0) ? result : -result;
}

Expected<Value> of_integers(Operator op, std::int64_t left, std::int64_t right, Dialect dialect) {
  std::int64_t result = 0;
  switch (op) {
    case Operator::add:
      if (__builtin_add_overflow(left, right, &result)) return overflow(op, left, right);
      return Value(result);
    case Operator::subtract:
      if (__builtin_sub_overflow(left, right, &result)) return overflow(op, left, right);
      return Value(result);
    case Operator::multiply:
      if (__builtin_mul_overflow(left, right, &result)) return overflow(op, left, right);
      return Value(result);
    default:
      break;
  }
  // What is left are the divisions.
  if (right == 0) return division_by_zero();
  if (op == Operator::modulo) return Value(floored_remainder(left, right));
  if (op == Operator::divide && dialect == Dialect::python3) {
    return Value(true_quotient(left, right));
  }
  if (left == smallest && right == -1) return overflow(op, left, right);
  return Value(floored_quotient(left, right));
}

Expected<Value> of_doubles(Operator op, double left, double right) {
  switch (op) {
    case Operator::add:
      return Value(left + right);
    case Operator::subtract:
      return Value(left - right);
    case Operator::multiply:
      return Value(left * right);
    default:
      break;
  }
  if (right == 0) return division_by_zero();
  if (op == Operator::divide) return Value(left / right);
  const Division division = floored(left, right);
  return Value(op == Operator::modulo ? division.remainder : division.quotient);
}

}  // namespace kiln::expr
