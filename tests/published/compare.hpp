#pragma once
// Is a result the expected one? With words for the first element that is not.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace kiln::published {

/// A result is accepted where |result - expected| <= relative * |expected| + absolute.
struct Tolerance {
  double relative;
  double absolute;
};

/// The first element that is not accepted, in words, or nothing where all are. A different number
/// of elements is a difference; an infinite or not-a-number expectation wants the same of the
/// result.
std::optional<std::string> difference(std::span<const double> expected,
                                      std::span<const float> result, Tolerance tolerance);
std::optional<std::string> difference(std::span<const double> expected,
                                      std::span<const std::int32_t> result, Tolerance tolerance);

}  // namespace kiln::published
