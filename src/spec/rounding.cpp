// The original's two rounding functions, kept bit for bit, oddities included: they are here to be
// compared with. The base version counts in whole hundredths (tenths below 100 elements), the
// concurrent one in floating point.
#include <cmath>

#include "kiln/spec.hpp"

namespace kiln::spec {
namespace {

/// Largest inputs for which no step below can overflow; far above anything a launch can have.
constexpr std::int64_t most_elements = std::int64_t{1} << 44;
constexpr std::int64_t most_percent = 1 << 16;

bool in_bounds(std::int64_t value, std::int64_t most) { return value >= -most && value <= most; }

/// Python's `//` for a positive divisor.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && a < 0) ? 1 : 0);
}

/// The divided part of the rule: `of` percent of the elements, in the dialect's arithmetic.
std::int64_t share(SpecDialect dialect, std::int64_t elements, std::int64_t percent) {
  const bool hundredths = elements >= 100;
  if (dialect == SpecDialect::concurrent) {
    const double unit = static_cast<double>(elements) / (hundredths ? 100.0 : 10.0);
    return static_cast<std::int64_t>(
        std::trunc(unit * static_cast<double>(percent) / (hundredths ? 1.0 : 10.0)));
  }
  const std::int64_t unit = floor_divide(elements, hundredths ? 100 : 10);
  return floor_divide(unit * percent, hundredths ? 1 : 10);
}

std::int64_t round_even(SpecDialect dialect, std::int64_t elements, std::int64_t percent,
                        std::int64_t exact, std::int64_t total) {
  if (percent == 50) return floor_divide(elements, 2);
  if (exact == -1) exact = percent > 50 ? 0 : 1;
  if (exact != 0) return share(dialect, elements, percent);
  const std::int64_t rest = share(dialect, elements, total - percent);
  if (dialect == SpecDialect::concurrent || total == 100) return elements - rest;
  return round_even(dialect, elements, total, -1, 100) - rest;
}

}  // namespace

// An odd size is rounded as the even one below it, plus one in the lower half. So offset 0 becomes
// 1 and the first element is lost: the fault that Kiln's own runs do not have.
Expected<std::int64_t> partition_round(SpecDialect dialect, std::int64_t elements,
                                       std::int64_t percent, std::int64_t exact,
                                       std::int64_t total) {
  if (!in_bounds(elements, most_elements) || !in_bounds(percent, most_percent) ||
      !in_bounds(total, most_percent)) {
    return fail(Errc::bad_input, "partition_round: found " + std::to_string(elements) + " at " +
                                     std::to_string(percent) + " of " + std::to_string(total) +
                                     ", expected at most 2^44 elements and 2^16 percent");
  }
  const bool odd = elements % 2 != 0;
  const auto even = round_even(dialect, odd ? elements - 1 : elements, percent, exact, total);
  return odd && percent <= 50 ? even + 1 : even;
}

// "Smaller" and not "at most": a size equal to the step falls through to the next one.
Expected<std::int64_t> multiple_round(SpecDialect dialect, std::int64_t elements,
                                      std::int64_t percent,
                                      const std::vector<std::int64_t>& multiples,
                                      std::int64_t exact, std::int64_t total) {
  if (dialect == SpecDialect::concurrent && percent == 100) return elements;
  for (const auto multiple : multiples) {
    if (multiple == 0) {
      return fail(Errc::refused, "the original fails here: multiple_round divides by zero");
    }
    // The largest negative number has no counterpart to divide by.
    if (multiple < 0 || elements % multiple != 0 || elements <= multiple) continue;
    auto rounded = partition_round(dialect, elements / multiple, percent, exact, total);
    if (!rounded) return rounded;
    std::int64_t result = 0;
    if (__builtin_mul_overflow(*rounded, multiple, &result)) {
      return fail(Errc::bad_input, "multiple_round: the result does not fit 64 bits");
    }
    return result;
  }
  return fail(Errc::refused,
              "the original fails here: multiple_round(" + std::to_string(elements) +
                  ", …) finds no smaller multiple that divides it, gives None and adds to that");
}

}  // namespace kiln::spec
