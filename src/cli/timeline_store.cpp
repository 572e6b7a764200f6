#include "cli/timeline_store.hpp"

#include <algorithm>

namespace kiln::cli {

void Timeline::add(const Explanation& explanation) {
  for (const auto& step : explanation.steps) {
    const bool compiles = step.layer == "compile" || step.layer == "variant";
    add(TraceEvent{"host",
                   step.layer + ": " + explanation.what,
                   compiles ? "compile" : "lookup",
                   step.start_ns,
                   step.end_ns,
                   {{"answered", step.answered ? "yes" : "no"}, {"reason", step.reason}}});
  }
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
