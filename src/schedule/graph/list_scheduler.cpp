#include "schedule/graph/list_scheduler.hpp"

#include <algorithm>

namespace kiln::graph {

ListScheduler::ListScheduler(const Problem& problem)
    : problem_(problem), placed_(problem.graph.size()) {
  first_lane_.push_back(0);
  for (std::size_t device = 0; device < problem.devices.size(); ++device) {
    const DeviceModel& model = problem.devices[device];
    slow_down_.push_back(model.slow_down_of(model.lanes));
    double shortest = never;
    for (Task task = 0; task < problem.graph.size(); ++task)
      shortest = std::min(shortest, run(task, device));
    first_lane_.push_back(first_lane_.back() + model.lanes);
    none_taken_.resize(first_lane_.back(), FreeTime(shortest == never ? 0 : shortest));
  }
  free_ = none_taken_;
  timetable_.tasks.resize(problem.graph.size());
}

void ListScheduler::clear() {
  free_ = none_taken_;
  std::ranges::fill(placed_, char{0});
  timetable_.makespan_ns = 0;
}

double ListScheduler::ready_ns(Task task, std::size_t device) const {
  double ready = problem_.moves_of(task, device).inputs_ns;
  for (const auto& before : problem_.graph.predecessors(task)) {
    if (!placed_[before.task]) continue;
    const auto& entry = timetable_.tasks[before.task];
    ready = std::max(ready, entry.end_ns + problem_.transfer(before.bytes, entry.device, device));
  }
  return ready;
}

ListScheduler::Slot ListScheduler::find(Task task, std::size_t device) const {
  const double length = run(task, device);
  Slot best;
  if (length == never) return best;
  const double ready = ready_ns(task, device);
  for (std::uint32_t lane = first_lane_[device]; lane < first_lane_[device + 1]; ++lane) {
    const double start = free_[lane].earliest(ready, length);
    if (start + length < best.end_ns) best = {lane - first_lane_[device], start, start + length};
  }
  return best;
}

void ListScheduler::place(Task task, std::size_t device, const Slot& slot) {
  free_[first_lane_[device] + slot.lane].take(slot.start_ns, slot.end_ns - slot.start_ns);
  timetable_.tasks[task] = {static_cast<std::uint32_t>(device), slot.lane, slot.start_ns,
                            slot.end_ns};
  timetable_.makespan_ns = std::max(timetable_.makespan_ns, slot.end_ns);
  placed_[task] = true;
}

std::size_t ListScheduler::first_to_end(Task task, Slot& slot) const {
  std::size_t best = 0;
  slot = {};
  for (std::size_t device = 0; device < problem_.devices.size(); ++device) {
    const Slot there = find(task, device);
    if (there.end_ns < slot.end_ns) {
      slot = there;
      best = device;
    }
  }
  return best;
}

void ListScheduler::go_back(const Mark& mark, std::span<const Task> placed_since) {
  free_ = mark.free;
  timetable_.makespan_ns = mark.makespan_ns;
  for (const Task task : placed_since) placed_[task] = false;
}

}  // namespace kiln::graph
