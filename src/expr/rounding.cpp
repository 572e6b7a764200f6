#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "expr/builtins.hpp"
#include "expr/number_text.hpp"
#include "expr/operators.hpp"

namespace kiln::expr {
namespace {

/// A multiple of 10 ** zeros, the nearest, the even one of two as near.
Expected<Value> integer_to_zeros(std::int64_t value, std::int64_t zeros) {
  if (zeros > 18) {  // 10 ** 19 does not fit; it is the nearest multiple only to what is above half
    const bool far =
        zeros == 19 && (value > 5'000'000'000'000'000'000 || value < -5'000'000'000'000'000'000);
    if (!far) return Value(0);
    return fail(Errc::bad_input, "the rounded value does not fit 64 bits");
  }
  std::int64_t unit = 1;
  for (std::int64_t i = 0; i < zeros; ++i) unit *= 10;
  // Comparing twice the rest with the unit, rearranged so that nothing overflows.
  const std::int64_t rest = value % unit, base = value - rest;
  const std::int64_t twice_above = rest < 0 ? -rest - (unit + rest) : rest - (unit - rest);
  const bool odd = base / unit % 2 != 0;
  const bool away = twice_above > 0 || (twice_above == 0 && odd && rest != 0);
  if (!away) return Value(base);
  std::int64_t result = 0;
  if (__builtin_add_overflow(base, rest < 0 ? -unit : unit, &result)) {
    return fail(Errc::bad_input, "the rounded value does not fit 64 bits");
  }
  return Value(result);
}

/// The decimal digits of the exact value, cut by to_chars, which rounds half to even on it.
double through_text(double magnitude, std::int64_t digits) {
  std::array<char, 800> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude,
                                 std::chars_format::fixed, static_cast<int>(digits));
  double result = 0;
  std::from_chars(buffer.data(), end.ptr, result);
  return result;
}

/// The same for digits before the point: as many significant digits as are left of the zeros.
double to_zeros(double magnitude, std::int64_t zeros) {
  constexpr int all = 767;  // significant digits of the longest double: nothing is rounded here
  std::array<char, 800> buffer;
  char* const last = buffer.data() + buffer.size();
  auto end = std::to_chars(buffer.data(), last, magnitude, std::chars_format::scientific, all);
  const std::string exact(buffer.data(), end.ptr);
  const std::size_t e = exact.find('e');
  int exponent = 0;
  std::from_chars(exact.data() + e + (exact[e + 1] == '+' ? 2 : 1), exact.data() + exact.size(),
                  exponent);
  const auto kept = exponent - static_cast<int>(zeros);  // digits kept behind the first one
  double result = std::numeric_limits<double>::infinity();
  if (kept < -1) return 0;
  if (kept == -1) {  // one unit or none; exactly half of one goes to 0, which is even
    const bool above_half =
        exact[0] > '5' || (exact[0] == '5' && exact.find_first_of("123456789", 1) < e);
    if (!above_half) return 0;
    read_number("1e" + std::to_string(zeros), result);
    return result;
  }
  end = std::to_chars(buffer.data(), last, magnitude, std::chars_format::scientific, kept);
  std::from_chars(buffer.data(), end.ptr, result);
  return result;
}

}  // namespace

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
  const double result = digits < -most ? 0
                        : digits >= 0  ? through_text(magnitude, digits)
                                       : to_zeros(magnitude, -digits);
  if (std::isinf(result)) {
    return fail(Errc::bad_input, "the rounded value is too large for a floating-point number");
  }
  return Value(std::copysign(result, real));
}

}  // namespace kiln::expr
