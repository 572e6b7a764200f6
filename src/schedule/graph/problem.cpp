#include "schedule/graph/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln::graph {

std::size_t Problem::memories() const { return memories_; }

std::size_t Problem::lanes() const {
  return std::accumulate(devices.begin(), devices.end(), std::size_t{0},
                         [](std::size_t sum, const DeviceModel& d) { return sum + d.lanes; });
}

Expected<void> Problem::complete() {
  if (devices.empty()) return fail(Errc::bad_input, "found no device, expected one at least");
  memories_ = 0;
  for (const auto& device : devices) {
    if (device.lanes == 0)
      return fail(Errc::bad_input,
                  fmt::format("device {}: found no lane, expected one at least", device.name));
    memories_ = std::max(memories_, std::size_t{device.memory} + 1);
  }
  if (run_ns.size() != graph.size() * devices.size())
    return fail(Errc::bad_input, fmt::format("found {} run times, expected {} of each of {} tasks",
                                             run_ns.size(), devices.size(), graph.size()));
  if (!moves.empty() && moves.size() != run_ns.size())
    return fail(Errc::bad_input, fmt::format("found moves of {} tasks on devices, expected {}",
                                             moves.size(), run_ns.size()));
  if (links.size() != memories_ * memories_)
    return fail(Errc::bad_input, fmt::format("found {} links, expected {} between {} memories",
                                             links.size(), memories_ * memories_, memories_));
  for (Task task = 0; task < graph.size(); ++task) {
    bool runs = false;
    for (std::size_t device = 0; device < devices.size(); ++device) {
      if (!(run(task, device) >= 0))
        return fail(Errc::bad_input, fmt::format("task {}: found the run time {} ns on {}", task,
                                                 run(task, device), devices[device].name));
      runs |= run(task, device) != never;
    }
    if (!runs) return fail(Errc::bad_input, fmt::format("task {}: no device can run it", task));
  }
  double latency = 0, per_byte = 0;
  std::size_t pairs = 0;
  for (const auto& from : devices)
    for (const auto& to : devices) {
      if (from.memory == to.memory) continue;
      const Link& link = links[from.memory * memories_ + to.memory];
      latency += link.latency_ns;
      per_byte += link.ns_per_byte;
      ++pairs;
    }
  mean_latency_ns_ = pairs > 0 ? latency / static_cast<double>(pairs) : 0;
  mean_ns_per_byte_ = pairs > 0 ? per_byte / static_cast<double>(pairs) : 0;
  return {};
}

std::vector<Task> Timetable::order(const TaskGraph& graph) const {
  std::vector<std::uint32_t> position(graph.size());
  std::uint32_t next = 0;
  for (const Task task : graph.topological_order()) position[task] = next++;
  std::vector<Task> order(graph.topological_order().begin(), graph.topological_order().end());
  // Tasks that take no time may begin when their predecessors do.
  std::sort(order.begin(), order.end(), [&](Task a, Task b) {
    if (tasks[a].start_ns != tasks[b].start_ns) return tasks[a].start_ns < tasks[b].start_ns;
    return position[a] < position[b];
  });
  return order;
}

Expected<void> check_timetable(const Problem& problem, const Timetable& timetable) {
  const TaskGraph& graph = problem.graph;
  if (timetable.tasks.size() != graph.size())
    return fail(Errc::bad_input, fmt::format("found {} tasks in a timetable of {}",
                                             timetable.tasks.size(), graph.size()));
  // Sums of the same times in another order may differ in their last digits.
  const double slack = 1e-9 * (timetable.makespan_ns + 1);
  const auto wrong = [](Task task, const std::string& what) {
    return fail(Errc::bad_input, fmt::format("task {}: {}", task, what));
  };
  std::vector<std::vector<Task>> of_lane(problem.devices.size() * problem.lanes());
  for (Task task = 0; task < graph.size(); ++task) {
    const auto& entry = timetable.tasks[task];
    if (entry.device >= problem.devices.size() || entry.lane >= problem.devices[entry.device].lanes)
      return wrong(task, fmt::format("found lane {} of device {}", entry.lane, entry.device));
    if (problem.run(task, entry.device) == never) return wrong(task, "its device cannot run it");
    if (entry.end_ns + slack < entry.start_ns + problem.run(task, entry.device))
      return wrong(task, "it ends too early");
    if (entry.end_ns > timetable.makespan_ns + slack) return wrong(task, "it ends after the end");
    if (entry.start_ns + slack < problem.moves_of(task, entry.device).inputs_ns)
      return wrong(task, "it begins before its inputs are there");
    for (const auto& before : graph.predecessors(task)) {
      const auto& from = timetable.tasks[before.task];
      if (entry.start_ns + slack <
          from.end_ns + problem.transfer(before.bytes, from.device, entry.device))
        return wrong(task,
                     fmt::format("it begins before the result of task {} is there", before.task));
    }
    of_lane[entry.device * problem.lanes() + entry.lane].push_back(task);
  }
  for (auto& tasks : of_lane) {
    std::sort(tasks.begin(), tasks.end(), [&](Task a, Task b) {
      const auto &first = timetable.tasks[a], &second = timetable.tasks[b];
      return std::pair(first.start_ns, first.end_ns) < std::pair(second.start_ns, second.end_ns);
    });
    for (std::size_t i = 1; i < tasks.size(); ++i)
      if (timetable.tasks[tasks[i]].start_ns + slack < timetable.tasks[tasks[i - 1]].end_ns)
        return wrong(tasks[i],
                     fmt::format("it begins before task {} ends on its lane", tasks[i - 1]));
  }
  return {};
}

}  // namespace kiln::graph
