#include "cli/log_sink.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <memory>

#include "base/log.hpp"
#include "base/text.hpp"

namespace kiln::cli {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      break;
  }
  return spdlog::level::warn;
}

/// Made at the first message: most runs have none, and then pay nothing.
spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("kiln", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made.set_level(spdlog::level::trace);
    made.set_pattern("%n: %^%l%$: %v");
    return made;
  }();
  return instance;
}

}  // namespace

void print_log(std::string_view level) {
  if (level == "off") return set_log_sink({});
  const LogLevel least = level == "debug"  ? LogLevel::debug
                         : level == "info" ? LogLevel::info
                                           : LogLevel::warning;
  set_log_sink([least](LogLevel of, std::string_view message) {
    if (of >= least) logger().log(level_of(of), visible_text(message));
  });
}

}  // namespace kiln::cli
