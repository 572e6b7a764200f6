#include "mesh/object/recording.hpp"

#include <algorithm>
#include <limits>

namespace kiln::mesh {

void Recording::add(const Explanation& explanation) {
  for (const auto& step : explanation.steps) {
    const bool compiles = step.layer == "compile" || step.layer == "variant";
    const char* category = compiles ? "compile" : step.layer == "make" ? "plan" : "lookup";
    host_.push_back({"host", step.layer + ": " + explanation.what, category, step.start_ns,
                     step.end_ns, step.reason});
  }
}

std::vector<TimelineSpan> Recording::spans(const std::string& lane) const {
  std::vector<TimelineSpan> all = host_;
  // The device stamps a command when it is queued, the host notes its own time just before: the
  // smallest difference is the truest distance of the clocks.
  std::int64_t distance = std::numeric_limits<std::int64_t>::max();
  for (const Run& run : runs_) distance = std::min(distance, run.queued - run.enqueued_ns);
  for (const Run& run : runs_)
    all.push_back({lane, run.name, "kernel", run.start - distance, run.end - distance, ""});
  std::stable_sort(all.begin(), all.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
    return a.start_ns < b.start_ns;
  });
  return all;
}

}  // namespace kiln::mesh
