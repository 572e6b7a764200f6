#pragma once

#include <string>

#include "cli/gantt_colours.hpp"

namespace kiln::cli {

/// Markup of the table of totals: a row a lane, a column a category that occurs; time and number
/// of the spans, and the share of the whole time in which the lane was busy.
std::string totals_table(const Lanes& lanes);

/// Markup of the table of kernels by name: how often each ran, for how long in all and on average,
/// and its share of the time of all kernels. Empty where none ran.
std::string kernels_table(const KernelColours& colours);

}  // namespace kiln::cli
