#pragma once

#include <span>

namespace kiln {

/// The value that a part q of 0..1 of the samples lies below, by linear interpolation; NaN where
/// there are none.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);

}  // namespace kiln
