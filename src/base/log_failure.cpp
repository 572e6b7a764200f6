#include "base/log_failure.hpp"

#include <exception>
#include <string>

#include "base/log.hpp"

namespace kiln {

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
