// What an Executable's run tells of times: of tasks, and spans for timelines.
#include <algorithm>

#include "schedule/graph_run/executable.hpp"
#include "schedule/placement.hpp"

namespace kiln::graph {

Executable::Signals Executable::find_signals() const {
  Signals signals{std::vector<std::uint32_t>(steps_.slots, none),
                  std::vector<std::uint32_t>(work_.tasks().size(), none)};
  for (std::uint32_t i = 0; i < steps_.all.size(); ++i) {
    const Step& step = steps_.all[i];
    if (step.signal != none) signals.by_slot[step.signal] = i;
    if (step.kind == Step::Kind::run || step.kind == Step::Kind::host)
      if (step.task != none) signals.by_task[step.task] = i;
  }
  for (const UserEvent& event : steps_.user_events) signals.by_slot[event.slot] = event.step;
  return signals;
}

/// The spans that a step's had to come after: commands of other queues, and tasks of its own queue
/// whose results it reads.
std::vector<std::uint32_t> Executable::waited_for(std::size_t index) const {
  const Signals& signals = signals_;
  std::vector<std::uint32_t> after;
  const auto note = [&](std::uint32_t before) {
    if (before == none) return;
    // What the host hands from one context to another has no span: what it waits for has.
    const Step& step = steps_.all[before];
    const bool is_bridge = step.kind == Step::Kind::host && step.task == none;
    if (!is_bridge) {
      after.push_back(before + 1);
      return;
    }
    for (std::uint32_t i = 0; i < step.waits; ++i)
      if (const auto from = signals.by_slot[steps_.waits[step.first_wait + i]]; from != none)
        after.push_back(from + 1);
  };
  const Step& step = steps_.all[index];
  for (std::uint32_t i = 0; i < step.waits; ++i)
    note(signals.by_slot[steps_.waits[step.first_wait + i]]);
  if (step.task == none || (step.kind != Step::Kind::run && step.kind != Step::Kind::host))
    return after;
  for (const ValueId read : work_.tasks()[step.task].reads) {
    if (read == none) continue;
    WorkGraph::for_each_producer(work_.values()[read], [&](Task producer, std::size_t) {
      const std::uint32_t before = signals.by_task[producer];
      if (before != none && steps_.all[before].queue == step.queue) after.push_back(before + 1);
    });
  }
  std::ranges::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  return after;
}

void Executable::take_times(const RunOrder& order) {
  std::vector<QueueTimeline> lanes;
  for (const auto& entry : steps_.queues) lanes.emplace_back(entry.lane);
  for (std::size_t i = 0; i < steps_.all.size(); ++i) {
    const Step& step = steps_.all[i];
    if (step.queue == steps_.queues.size()) continue;
    const cl::Event event(all_[i], true);
    if (step.kind == Step::Kind::run)
      task_ns_[step.task] =
          steps_.runners[step.runner]->duration_ns(*work_.tasks()[step.task].work, event);
    if (order.trace == nullptr) continue;
    const char* const verbs[] = {"", "clear ", "copy ", "write ", "read ", ""};
    const char* const categories[] = {"kernel", "fill", "copy", "write", "read", "host"};
    const auto kind = static_cast<std::size_t>(step.kind);
    const Task task = step.task != none ? step.task : work_.values()[step.value].producer;
    const std::string what = task != none ? work_.tasks()[task].label : "input";
    lanes[step.queue].add(verbs[kind] + what, categories[kind], event, enqueued_ns_[i],
                          static_cast<std::uint32_t>(i + 1), waited_for(i));
  }
  if (order.trace != nullptr)
    for (const auto& lane : lanes) lane.send(*order.trace);
}

}  // namespace kiln::graph
