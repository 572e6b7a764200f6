#include "base/log.hpp"

#include <exception>
#include <memory>
#include <mutex>

namespace kiln {

namespace {
std::mutex sink_mutex;
std::shared_ptr<const LogSink> sink;
}  // namespace

void set_log_sink(LogSink replacement) {
  const std::lock_guard lock(sink_mutex);
  sink = replacement ? std::make_shared<const LogSink>(std::move(replacement)) : nullptr;
}

void log(LogLevel level, std::string_view message) {
  std::shared_ptr<const LogSink> current;
  {
    const std::lock_guard lock(sink_mutex);
    current = sink;
  }
  if (current) (*current)(level, message);
}

void log_failure(std::string_view what) noexcept {
  try {
    try {
      throw;
    } catch (const std::exception& error) {
      log(LogLevel::warning, std::string(what) + ": " + error.what());
    } catch (...) {
      log(LogLevel::warning, std::string(what) + ": something that is no exception was thrown");
    }
  } catch (...) {
    // There is nothing left to try.
  }
}

}  // namespace kiln
