#pragma once

#include <cstdint>
#include <ctime>
#include <limits>
#include <span>

/// The host's clock, and what samples of times say.
namespace kiln {

/// Nanoseconds of the host's steady clock: the time base of traces and measurements. It is what
/// std::chrono::steady_clock reads, without <chrono>: many files include this one.
inline std::int64_t now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
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
    if (queued - enqueued < distance_) distance_ = queued - enqueued;
  }
  /// A device's stamp on the host's clock; at least one pair was noted.
  std::int64_t on_host(std::int64_t stamp) const { return stamp - distance_; }

 private:
  std::int64_t distance_ = std::numeric_limits<std::int64_t>::max();
};

/// The value that a part q of 0..1 of the samples lies below, by linear interpolation; NaN where
/// there are none.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);

/// A running mean that follows shorter times quickly and longer ones slowly: other work on the
/// machine makes a time longer, nothing makes it shorter. The first one (mean 0) is taken whole.
void follow_shorter(double& mean, double value);

}  // namespace kiln
