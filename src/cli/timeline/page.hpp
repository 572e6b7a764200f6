#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What pages of HTML are made of: escaped text, times, the ticks of an axis; and the style sheet
/// and script of the timeline's page.
namespace kiln::cli {

/// Text as it may stand in an element or a quoted attribute of a page: markup characters as
/// entities, blanks for line ends, U+FFFD for control characters and for bytes that are not UTF-8.
std::string escaped(std::string_view text);

/// The text, or its beginning and an ellipsis, in at most `characters`; empty where fewer than
/// three characters would be left to read.
std::string shortened(std::string_view text, std::size_t characters);

/// A duration in three significant digits and the unit that suits it: "1.23 ms", "450 ns", "0".
std::string time_text(std::int64_t ns);

/// A position or length as percentage, for attributes: "12.5%".
std::string percent(double fraction);

/// A part of the timeline, in ns since the first span. Never empty.
struct Window {
  std::int64_t from_ns = 0, to_ns = 1;

  std::int64_t length() const { return to_ns - from_ns; }
  /// Where a time lies: 0 at the left edge, 1 at the right one.
  double at(std::int64_t ns) const {
    return static_cast<double>(ns - from_ns) / static_cast<double>(length());
  }
};

struct Tick {
  std::int64_t ns;
  std::string text;  ///< "0", "1.25 ms"
};

/// The smallest of 1, 2, 5, 10, 20, 50, … ns that makes at most `most` steps of a length.
std::int64_t tick_step(std::int64_t length_ns, int most);

/// Ticks at multiples of a step over a window, all in the unit that suits its end, with as many
/// decimals as the step needs.
std::vector<Tick> ticks(const Window& window, int most);

/// The style sheet of the timeline's page, for light and dark surroundings and for paper.
extern const std::string_view gantt_style;

/// The script of the timeline's page: zooming with buttons, keys and wheel. The page is complete
/// without it.
extern const std::string_view gantt_script;

}  // namespace kiln::cli
