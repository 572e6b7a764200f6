#pragma once

#include "tune/space/checker.hpp"
#include "tune/space/component.hpp"

namespace kiln::tune {

/// Bounds on the making of a space.
struct SpaceBounds {
  std::size_t rows = 100'000'000;        ///< of one table; 2 bytes a parameter and 8 each
  std::uint64_t steps = 20'000'000'000;  ///< values tried
};

/// Groups of parameters that constraints join, each ascending; the first of each ascending.
std::vector<std::vector<std::size_t>> independent_groups(std::span<const Parameter> parameters,
                                                         std::span<const Constraint> constraints);

/// All combinations of one group's values that satisfy the constraints on it. Depth first: values
/// are chosen parameter by parameter in an order that completes constraints early; a constraint is
/// checked as soon as its last parameter is chosen, and one of sums and products as soon as
/// its range over what is left shows that it cannot hold.
/// Errors: a constraint that cannot be evaluated, nothing left, a bound reached.
Expected<Component> enumerate(std::span<const std::size_t> group,
                              std::span<const Parameter> parameters,
                              std::span<const Constraint> constraints, const SpaceBounds& bounds);

}  // namespace kiln::tune
