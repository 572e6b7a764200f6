#include <fmt/format.h>

#include <cmath>

#include "expr/operators.hpp"

namespace kiln::expr {
namespace {

tl::unexpected<Error> too_large(const Value& base, const Value& exponent) {
  return fail(Errc::bad_input, fmt::format("{} ** {} is too large", base.text(), exponent.text()));
}

}  // namespace

/// False on overflow. Squaring needs at most 6 rounds before the bound on 64 bits is met.
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

/// As CPython: integers stay integers for exponents from 0 up, everything else goes through
/// doubles. Infinite operands follow C's pow; only finite ones can be errors.
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
    return fail(Errc::bad_input,
                fmt::format("{} ** {} is not a real number", base.text(), exponent.text()));
  }
  const double result = std::pow(x, y);
  if (finite && std::isinf(result)) return too_large(base, exponent);
  return Value(result);
}

}  // namespace kiln::expr
