#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/api.hpp"

/// What the library tells its user while it works: messages, and spans of time for a timeline.
namespace kiln {

enum class LogLevel { debug, info, warning };

/// Receives the library's messages. The library itself prints nothing. Called from any thread.
using LogSink = std::function<void(LogLevel, std::string_view message)>;

/// Replaces the sink of this process; an empty one discards messages (the default).
KILN_API void set_log_sink(LogSink sink);

/// Hands one line to the sink.
void log(LogLevel level, std::string_view message);

/// Within a catch block from which no exception may leave: hands the sink of log() one line, `what`
/// and the exception's text. What the sink itself throws is lost.
void log_failure(std::string_view what) noexcept;

/// One span of time on one lane of the timeline. Times are now_ns() of the host.
struct TraceEvent {
  std::string lane;      ///< "host", or a device queue: "device 0: NAME"
  std::string name;      ///< "write a", "VectorAdd", "read c", "compile", "look up"
  std::string category;  ///< write, kernel, read, merge, compile, lookup, plan
  std::int64_t start_ns = 0, end_ns = 0;
  std::vector<std::pair<std::string, std::string>> details;
  std::uint32_t id = 0;              ///< tells it from the run's others; 0: nothing names it
  std::vector<std::uint32_t> after;  ///< what it waited for, by id
};

/// Receives spans as they become known, in any order, from any thread.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void add(TraceEvent event) = 0;
};

}  // namespace kiln
