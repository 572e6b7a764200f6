#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kiln/api.hpp"

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

}  // namespace kiln
