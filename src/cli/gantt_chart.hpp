#pragma once

#include <string>
#include <string_view>

#include "cli/gantt_axis.hpp"
#include "cli/gantt_colours.hpp"
#include "cli/gantt_lanes.hpp"

namespace kiln::cli {

/// Markup of one chart: the lanes' names at the left, and over a time axis one row of bars a row
/// of a lane. Only lanes that have a span in the window are drawn. Positions are percentages, so
/// that the chart follows the page's width; the script zooms by widening the drawing.
std::string chart(const Lanes& lanes, const KernelColours& colours, const Window& window,
                  std::string_view heading);

}  // namespace kiln::cli
