#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::cli {

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

}  // namespace kiln::cli
