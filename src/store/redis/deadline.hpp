#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "base/clock.hpp"

namespace kiln::redis {

/// The moment by which something has to be done, whatever the number of its steps. It may be
/// brought forward from another thread while somebody waits (see capped_by).
class Deadline {
 public:
  explicit Deadline(std::chrono::nanoseconds from_now) : end_ns_(now_ns() + from_now.count()) {}

  /// The same, but not later than `end_ns` says at each look. Waits look again every slice().
  Deadline capped_by(const std::atomic<std::int64_t>& end_ns) const {
    Deadline capped = *this;
    capped.cap_ = &end_ns;
    return capped;
  }
  /// The same or earlier: a share of what is left.
  Deadline share(std::size_t of) const {
    Deadline part = *this;
    part.end_ns_ =
        now_ns() + left().count() / static_cast<std::int64_t>(std::max<std::size_t>(of, 1));
    return part;
  }

  std::chrono::nanoseconds left() const {
    const auto end = cap_ == nullptr ? end_ns_ : std::min(end_ns_, cap_->load());
    return std::chrono::nanoseconds(std::max<std::int64_t>(end - now_ns(), 0));
  }
  bool over() const { return left().count() == 0; }

  /// How long to wait before looking again.
  std::chrono::nanoseconds next_look() const {
    return cap_ == nullptr ? left() : std::min(left(), slice());
  }
  static constexpr std::chrono::nanoseconds slice() { return std::chrono::milliseconds(5); }

 private:
  std::int64_t end_ns_;
  const std::atomic<std::int64_t>* cap_ = nullptr;
};

}  // namespace kiln::redis
