#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

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

/// How far a device's clock is from the host's. The device stamps a command as it is queued, and
/// the host notes its own time just before: of many such pairs the smallest difference is the
/// truest. Times in ns.
class ClockDistance {
 public:
  void note(std::int64_t queued, std::int64_t enqueued) {
    distance_ = std::min(distance_, queued - enqueued);
  }
  /// A device's stamp on the host's clock; at least one pair was noted.
  std::int64_t on_host(std::int64_t stamp) const { return stamp - distance_; }

 private:
  std::int64_t distance_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace kiln
