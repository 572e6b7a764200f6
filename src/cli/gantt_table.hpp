#pragma once

#include <string>

#include "cli/gantt_lanes.hpp"

namespace kiln::cli {

/// Markup of the table of totals: a row a lane, a column a category that occurs; time and number
/// of the spans, and the share of the whole time in which the lane was busy.
std::string totals_table(const Lanes& lanes);

}  // namespace kiln::cli
