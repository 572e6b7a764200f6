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
};

}  // namespace kiln
