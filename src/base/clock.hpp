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

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(now_ns() - start_) * 1e-9; }

 private:
  std::int64_t start_ = now_ns();
};

}  // namespace kiln
