#include "expr/arithmetic.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "expr/text.hpp"

namespace kiln::expr {
namespace {

constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

tl::unexpected<Error> overflow(Operator op, std::int64_t left, std::int64_t right) {
  return fail(Errc::bad_input,
              fmt::format("{} {} {} does not fit 64 bits", left, spelling(op), right));
}

tl::unexpected<Error> division_by_zero() { return fail(Errc::bad_input, "division by zero"); }

/// left / right correctly rounded, also where one of them has more than 53 bits.
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

struct Division {
  double quotient, remainder;
};

/// The remainder is exact and has the divisor's sign; the quotient follows from it, so that
/// rounding never makes the two disagree.
Division floored_division(double left, double right) {
  double remainder = std::fmod(left, right);
  double quotient = (left - remainder) / right;
  if (remainder == 0) {
    remainder = std::copysign(0.0, right);
  } else if ((remainder < 0) != (right < 0)) {
    remainder += right;
    quotient -= 1;
  }
  if (quotient == 0) return {std::copysign(0.0, left / right), remainder};
  // The quotient is near an integer, but rounding may have put it just below.
  double whole = std::floor(quotient);
  if (quotient - whole > 0.5) whole += 1;
  return {whole, remainder};
}

tl::unexpected<Error> too_large(const Value& base, const Value& exponent) {
  return fail(Errc::bad_input, fmt::format("{} ** {} is too large", base.text(), exponent.text()));
}

/// A multiple of 10 ** zeros (at most 20), the nearest, the even one of two as near.
Expected<Value> integer_to_zeros(std::int64_t value, std::int64_t zeros) {
  __extension__ using Wide = __int128;
  Wide unit = 1;
  for (std::int64_t i = 0; i < zeros; ++i) unit *= 10;
  const Wide magnitude = value < 0 ? -Wide{value} : Wide{value};
  const Wide twice_rest = magnitude % unit * 2;
  Wide units = magnitude / unit;
  if (twice_rest > unit || (twice_rest == unit && units % 2 != 0)) ++units;
  const Wide result = value < 0 ? -units * unit : units * unit;
  if (result < smallest || result > std::numeric_limits<std::int64_t>::max())
    return fail(Errc::bad_input, "the rounded value does not fit 64 bits");
  return Value(static_cast<std::int64_t>(result));
}

/// The decimal digits of the exact value, cut by to_chars, which rounds half to even on it. So many
/// digits behind the point; below 0, zeros before it.
double to_digits(double magnitude, std::int64_t digits) {
  constexpr int all = 767;  // significant digits of the longest double: nothing is rounded here
  std::array<char, 800> buffer;
  char* const last = buffer.data() + buffer.size();
  auto end = std::to_chars(buffer.data(), last, magnitude, std::chars_format::scientific, all);
  const std::string exact(buffer.data(), end.ptr);
  const auto kept = exponent_of(exact) + static_cast<int>(digits);  // digits behind the first one
  double result = std::numeric_limits<double>::infinity();
  if (kept < -1) return 0;
  if (kept == -1) {  // one unit or none; exactly half of one goes to 0, which is even
    const bool above_half =
        exact[0] > '5' ||
        (exact[0] == '5' && exact.find_first_of("123456789", 1) < exact.find('e'));
    if (!above_half) return 0;
    read_number("1e" + std::to_string(-digits), result);
    return result;
  }
  end = std::to_chars(buffer.data(), last, magnitude, std::chars_format::scientific, kept);
  std::from_chars(buffer.data(), end.ptr, result);
  return result;
}

}  // namespace

std::int64_t integer_of(const Value& value) {
  const auto* const truth = std::get_if<bool>(&value.data());
  return truth ? std::int64_t{*truth} : std::get<std::int64_t>(value.data());
}

double double_of(const Value& value) {
  const auto* const real = std::get_if<double>(&value.data());
  return real ? *real : static_cast<double>(integer_of(value));
}

Expected<std::int64_t> truncated(double value) {
  // Both bounds are exact doubles, and nan fails either comparison.
  if (value >= -0x1p63 && value < 0x1p63) return static_cast<std::int64_t>(value);
  return fail(Errc::bad_input, number_text(value) + " does not fit a 64-bit integer");
}

std::int64_t floored_remainder(std::int64_t left, std::int64_t right) {
  if (right == -1) return 0;  // the smallest integer % -1 traps on x86
  const std::int64_t remainder = left % right;
  return remainder != 0 && (remainder < 0) != (right < 0) ? remainder + right : remainder;
}

// Squaring needs at most 6 rounds before the bound on 64 bits is met.
bool integer_power(std::int64_t base, std::int64_t exponent, std::int64_t& result) {
  result = 1;
  if (base == 0 || base == 1) {
    result = exponent == 0 ? 1 : base;
    return true;
  }
  if (base == -1) {
    result = exponent % 2 == 0 ? 1 : -1;
    return true;
  }
  while (exponent > 0) {
    if (exponent % 2 != 0 && __builtin_mul_overflow(result, base, &result)) return false;
    exponent /= 2;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return false;
  }
  return true;
}

bool integer_result(Operator op, std::int64_t left, std::int64_t right, std::int64_t& result) {
  switch (op) {
    case Operator::add:
      return !__builtin_add_overflow(left, right, &result);
    case Operator::subtract:
      return !__builtin_sub_overflow(left, right, &result);
    case Operator::multiply:
      return !__builtin_mul_overflow(left, right, &result);
    case Operator::power:
      return right >= 0 && integer_power(left, right, result);
    case Operator::modulo:
      result = floored_remainder(left, right);
      return true;
    default:
      if (left == smallest && right == -1) return false;
      result = floored_quotient(left, right);
      return true;
  }
}

Expected<Value> of_integers(Operator op, std::int64_t left, std::int64_t right, Dialect dialect) {
  if (right == 0 && divides(op)) return division_by_zero();
  if (op == Operator::divide && dialect == Dialect::python3)
    return Value(true_quotient(left, right));
  std::int64_t result = 0;
  if (!integer_result(op, left, right, result)) return overflow(op, left, right);
  return Value(result);
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
  const Division division = floored_division(left, right);
  return Value(op == Operator::modulo ? division.remainder : division.quotient);
}

// Infinite operands follow C's pow; only finite ones can be errors.
Expected<Value> power(const Value& base, const Value& exponent) {
  if (base.is_integer() && exponent.is_integer() && integer_of(exponent) >= 0) {
    std::int64_t result = 0;
    if (!integer_power(integer_of(base), integer_of(exponent), result)) {
      return too_large(base, exponent);
    }
    return Value(result);
  }
  const double x = double_of(base), y = double_of(exponent);
  const bool finite = std::isfinite(x) && std::isfinite(y);
  if (finite && x == 0 && y < 0) {
    return fail(Errc::bad_input, "0 cannot be raised to a negative power");
  }
  if (finite && x < 0 && y != std::floor(y)) {
    return fail(Errc::bad_input, fmt::format("{} ** {} has no value among floating-point numbers",
                                             base.text(), exponent.text()));
  }
  const double result = std::pow(x, y);
  if (finite && std::isinf(result)) return too_large(base, exponent);
  return Value(result);
}

Expected<Value> rounded(const Value& value, std::int64_t digits) {
  if (value.is_integer()) {
    if (digits >= 0) return Value(integer_of(value));
    // Beyond 20 zeros all integers round to 0, so the sign can be changed without overflow.
    return integer_to_zeros(integer_of(value), digits < -20 ? 20 : -digits);
  }
  constexpr std::int64_t most = 340;  // finer than the smallest double
  const double real = double_of(value);
  if (!std::isfinite(real) || real == 0 || digits > most) return value;
  const double magnitude = std::fabs(real);
  const double result = digits < -most ? 0 : to_digits(magnitude, digits);
  if (std::isinf(result)) {
    return fail(Errc::bad_input, "the rounded value is too large for a floating-point number");
  }
  return Value(std::copysign(result, real));
}

}  // namespace kiln::expr
