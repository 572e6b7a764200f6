#pragma once

#include <chrono>
#include <cstdint>

namespace kiln {

/// Nanoseconds of the host's steady clock: the time base of traces and measurements.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace kiln
