#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kiln::layer::measure {

/// Times in ns, in bounded memory: exact numbers, sums and bounds, and a sample that every time has
/// the same chance to be in (Vitter's algorithm R), of which quantiles are estimates where there
/// are more than it holds. Not thread-safe.
class Times {
 public:
  void add(std::int64_t ns);

  std::uint64_t count() const { return count_; }
  std::int64_t total() const { return total_; }
  std::int64_t least() const { return least_; }
  std::int64_t most() const { return most_; }
  /// 0 where there are none.
  std::int64_t median() const;

 private:
  static constexpr std::size_t sample_size = 1024;
  std::uint64_t count_ = 0, random_ = 0x9E3779B97F4A7C15u;
  std::int64_t total_ = 0, least_ = 0, most_ = 0;
  std::vector<std::int64_t> sample_;
};

/// Sizes of a launch; `local` is all 0 where the driver chose, and sizes beyond the dimensions are
/// 1 (0 of offsets and of such local sizes).
struct LaunchSizes {
  std::array<std::uint64_t, 3> global{1, 1, 1}, local{}, offset{};
  std::uint32_t dimensions = 0;
  bool operator==(const LaunchSizes&) const = default;
  std::uint64_t work_items() const { return global[0] * global[1] * global[2]; }
};

/// The sizes that a kernel was launched with, and how often. Those that come when there are many
/// already are counted together.
class SizesSeen {
 public:
  struct Seen {
    LaunchSizes sizes;
    std::uint64_t calls = 0;
  };
  void add(const LaunchSizes& sizes);
  /// The most frequent first.
  std::vector<Seen> most_frequent(std::size_t most) const;
  std::uint64_t calls() const { return calls_; }

 private:
  static constexpr std::size_t most_kept = 64;
  std::vector<Seen> seen_;
  std::size_t last_ = 0;
  std::uint64_t calls_ = 0;
};

/// Commands of one kind on one device: a kernel's launches, or transfers of a kind.
struct Series {
  int number = -1;  ///< of kernels: the place in the file
  int device = 0, program = -1;
  std::string name;
  /// Enqueued; those below are counted when they are done. Some stay without a time: the queue has
  /// none, or too many were under way.
  std::atomic<std::uint64_t> calls{0};
  std::uint64_t failed = 0;
  Times times;
  std::uint64_t bytes = 0, work_items = 0;  ///< of those with a time
  SizesSeen sizes;
};

/// Calls in which the program's own thread waits.
struct HostTime {
  std::atomic<std::uint64_t> calls{0}, ns{0};
  void add(std::int64_t duration) {
    calls.fetch_add(1, std::memory_order_relaxed);
    ns.fetch_add(static_cast<std::uint64_t>(duration), std::memory_order_relaxed);
  }
};

}  // namespace kiln::layer::measure
