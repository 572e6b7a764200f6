#pragma once

#include <string_view>

namespace kiln::cli {

/// The style sheet of the timeline's page, for light and dark surroundings and for paper.
extern const std::string_view gantt_style;

/// The script of the timeline's page: zooming with buttons, keys and wheel. The page is complete
/// without it.
extern const std::string_view gantt_script;

}  // namespace kiln::cli
