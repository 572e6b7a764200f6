#include "mesh/object/recording.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace kiln::mesh {

void Recording::add(const Explanation& explanation) {
  for (auto& event : trace_events(explanation))
    host_.push_back({std::move(event.lane), std::move(event.name), std::move(event.category),
                     event.start_ns, event.end_ns, std::move(event.details.at(1).second)});
}

std::vector<TimelineSpan> Recording::spans(const std::string& lane) const {
  std::vector<TimelineSpan> all = host_;
  ClockDistance clocks;
  for (const Run& run : runs_) clocks.note(run.queued, run.enqueued_ns);
  for (const Run& run : runs_)
    all.push_back(
        {lane, run.name, "kernel", clocks.on_host(run.start), clocks.on_host(run.end), ""});
  std::stable_sort(all.begin(), all.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
    return a.start_ns < b.start_ns;
  });
  return all;
}

}  // namespace kiln::mesh
