#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// One span of time on one lane of a timeline. docs/timeline.md says what there is.
struct TimelineSpan {
  std::string lane;      ///< "host", or a device queue: "device 0: NAME"
  std::string name;      ///< "write a", "VectorAdd", "read c", "compile", "look up"
  std::string category;  ///< write, kernel, read, merge, compile, lookup, plan
  std::int64_t start_ns = 0, end_ns = 0;  ///< on the host's steady clock
  std::vector<std::pair<std::string, std::string>> details;
  /// Tells it from the others of a graph's run, whose spans say what they waited for; 0: none.
  std::uint32_t id = 0;
  std::vector<std::uint32_t> after;  ///< the ids of spans that ended before it could begin
};

}  // namespace kiln
