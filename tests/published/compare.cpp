#include "published/compare.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace kiln::published {
namespace {

bool accepted(double expected, double result, Tolerance tolerance) {
  if (std::isnan(expected)) return std::isnan(result);
  // Equal infinities, whose distance is not a number.
  if (expected == result) return true;
  return std::abs(result - expected) <=
         tolerance.relative * std::abs(expected) + tolerance.absolute;
}

template <class T>
std::optional<std::string> first_difference(std::span<const double> expected,
                                            std::span<const T> result, Tolerance tolerance) {
  if (expected.size() != result.size())
    return fmt::format("{} elements, expected {}", result.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto found = static_cast<double>(result[i]);
    if (!accepted(expected[i], found, tolerance))
      return fmt::format("element {} is {}, expected {}", i, found, expected[i]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> difference(std::span<const double> expected,
                                      std::span<const float> result, Tolerance tolerance) {
  return first_difference(expected, result, tolerance);
}

std::optional<std::string> difference(std::span<const double> expected,
                                      std::span<const std::int32_t> result, Tolerance tolerance) {
  return first_difference(expected, result, tolerance);
}

}  // namespace kiln::published
