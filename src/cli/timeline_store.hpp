#pragma once

#include <mutex>
#include <vector>

#include "base/trace.hpp"
#include "kernel/explain.hpp"

namespace kiln::cli {

/// Collects the spans of a command's runs, for --trace and --gantt. Thread-safe.
class Timeline : public TraceSink {
 public:
  void add(TraceEvent event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  /// Look-ups and compiles of an explanation become spans of the host's lane.
  void add(const Explanation& explanation);
  /// All spans in the order of their start. Not beside add().
  std::vector<TraceEvent> sorted() const;

 private:
  mutable std::mutex mutex_;
  std::vector<TraceEvent> events_;
};

}  // namespace kiln::cli
