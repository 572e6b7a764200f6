#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// One span of time on one lane of the timeline. Times are now_ns() of the host.
struct TraceEvent {
  std::string lane;      ///< "host", or a device queue: "device 0: NAME"
  std::string name;      ///< "write a", "VectorAdd", "read c", "compile", "look up"
  std::string category;  ///< write, kernel, read, merge, compile, lookup, plan
  std::int64_t start_ns = 0, end_ns = 0;
  std::vector<std::pair<std::string, std::string>> details;
};

/// Receives spans as they become known, in any order, from any thread.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void add(TraceEvent event) = 0;
};

}  // namespace kiln
