#pragma once

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "kiln/timeline.hpp"

namespace kiln {

/// Keeps what a run tells of, for results of the public API. Thread-safe.
class KeptSpans final : public TraceSink {
 public:
  void add(TraceEvent event) override {
    const std::lock_guard lock(mutex_);
    spans_.push_back({std::move(event.lane), std::move(event.name), std::move(event.category),
                      event.start_ns, event.end_ns, std::move(event.details), event.id,
                      std::move(event.after)});
  }
  /// In the order of their start.
  std::vector<TimelineSpan> take() {
    const std::lock_guard lock(mutex_);
    std::ranges::stable_sort(spans_, {}, &TimelineSpan::start_ns);
    return std::move(spans_);
  }

 private:
  std::mutex mutex_;
  std::vector<TimelineSpan> spans_;
};

}  // namespace kiln
