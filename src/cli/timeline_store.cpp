#include "cli/timeline_store.hpp"

#include <algorithm>

namespace kiln::cli {

void Timeline::add(const Explanation& explanation) {
  for (auto& event : trace_events(explanation)) add(std::move(event));
}

std::vector<TraceEvent> Timeline::sorted() const {
  const std::lock_guard lock(mutex_);
  auto events = events_;
  std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return a.start_ns < b.start_ns;
  });
  return events;
}

}  // namespace kiln::cli
