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

/// Within a catch block, where nobody is left to be told: hands the sink of log() one line, `what`
/// and what was thrown. The sink is the user's own: what it throws is lost.
void log_failure(std::string_view what) noexcept;

}  // namespace kiln
