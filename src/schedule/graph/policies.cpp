#include "schedule/graph/policies.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "schedule/graph/list_scheduler.hpp"

namespace kiln::graph {

Timetable heft(const Problem& problem, RankBy by) {
  ListScheduler scheduler(problem);
  for (const Task task : by_falling_rank(problem.graph, upward_ranks(problem, by))) {
    ListScheduler::Slot slot;
    const std::size_t device = scheduler.first_to_end(task, slot);
    scheduler.place(task, device, slot);
  }
  return scheduler.take();
}

Timetable peft(const Problem& problem) {
  const std::size_t devices = problem.devices.size();
  const std::vector<double> costs = optimistic_costs(problem);
  std::vector<double> ranks(problem.graph.size());
  for (Task task = 0; task < ranks.size(); ++task) {
    double sum = 0;
    for (std::size_t device = 0; device < devices; ++device) sum += costs[task * devices + device];
    ranks[task] = sum / static_cast<double>(devices);
  }
  ListScheduler scheduler(problem);
  for (const Task task : by_falling_rank(problem.graph, ranks)) {
    std::size_t best = 0;
    ListScheduler::Slot slot;
    double least = never;
    for (std::size_t device = 0; device < devices; ++device) {
      const auto there = scheduler.find(task, device);
      const double promise = there.end_ns + costs[task * devices + device];
      if (promise < least) {
        least = promise;
        best = device;
        slot = there;
      }
    }
    scheduler.place(task, best, slot);
  }
  return scheduler.take();
}

Timetable lookahead(const Problem& problem) {
  const std::vector<double> ranks = upward_ranks(problem);
  ListScheduler scheduler(problem);
  std::vector<Task> after, tried;
  for (const Task task : by_falling_rank(problem.graph, ranks)) {
    after.clear();
    for (const auto& successor : problem.graph.successors(task)) after.push_back(successor.task);
    std::stable_sort(after.begin(), after.end(),
                     [&](Task a, Task b) { return ranks[a] > ranks[b]; });
    std::size_t best = 0;
    ListScheduler::Slot slot;
    double least = never, least_own = never;
    for (std::size_t device = 0; device < problem.devices.size(); ++device) {
      const auto there = scheduler.find(task, device);
      if (there.end_ns == never) continue;
      double last = there.end_ns;
      if (!after.empty()) {
        const auto mark = scheduler.mark();
        scheduler.place(task, device, there);
        tried.assign(1, task);
        for (const Task successor : after) {
          ListScheduler::Slot next;
          const std::size_t on = scheduler.first_to_end(successor, next);
          scheduler.place(successor, on, next);
          tried.push_back(successor);
          last = std::max(last, next.end_ns);
        }
        scheduler.go_back(mark, tried);
      }
      if (std::pair(last, there.end_ns) < std::pair(least, least_own)) {
        least = last;
        least_own = there.end_ns;
        best = device;
        slot = there;
      }
    }
    scheduler.place(task, best, slot);
  }
  return scheduler.take();
}

std::vector<std::uint32_t> linear_clusters(const Problem& problem) {
  const TaskGraph& graph = problem.graph;
  constexpr auto none = static_cast<Task>(-1);
  // A task's cluster goes on with the neighbour over its dearest edge, where that thinks so, too.
  const auto dearest = [](std::span<const TaskGraph::Neighbour> neighbours) {
    Task found = none;
    double most = 0;
    for (const auto& neighbour : neighbours)
      if (neighbour.bytes > most) {
        most = neighbour.bytes;
        found = neighbour.task;
      }
    return found;
  };
  std::vector<std::uint32_t> cluster_of(graph.size());
  std::uint32_t clusters = 0;
  for (const Task task : graph.topological_order()) {
    const Task before = dearest(graph.predecessors(task));
    const bool goes_on = before != none && dearest(graph.successors(before)) == task;
    cluster_of[task] = goes_on ? cluster_of[before] : clusters++;
  }
  return cluster_of;
}

Timetable clusters(const Problem& problem, const std::vector<std::uint32_t>& cluster_of) {
  const std::size_t devices = problem.devices.size();
  const std::size_t count =
      cluster_of.empty() ? 0 : std::size_t{*std::ranges::max_element(cluster_of)} + 1;
  constexpr auto none = static_cast<std::uint32_t>(-1);
  std::vector<double> work(count * devices);  // `never` where one of its tasks cannot run
  for (Task task = 0; task < cluster_of.size(); ++task)
    for (std::size_t device = 0; device < devices; ++device)
      work[cluster_of[task] * devices + device] += problem.run(task, device);
  std::vector<std::uint32_t> device_of(count, none);
  std::vector<double> busy(devices);
  ListScheduler scheduler(problem);
  for (const Task task : by_falling_rank(problem.graph, upward_ranks(problem))) {
    std::uint32_t& chosen = device_of[cluster_of[task]];
    if (chosen == none) {
      double least = never;
      for (std::size_t device = 0; device < devices; ++device) {
        const double lanes = problem.devices[device].lanes;
        const double end = std::max(busy[device], scheduler.ready_ns(task, device)) +
                           work[cluster_of[task] * devices + device] / lanes;
        if (end < least) {
          least = end;
          chosen = static_cast<std::uint32_t>(device);
        }
      }
      if (chosen != none) busy[chosen] = least;
    }
    // A cluster that no device can run whole is no cluster.
    ListScheduler::Slot slot;
    std::size_t device = chosen;
    if (chosen == none)
      device = scheduler.first_to_end(task, slot);
    else
      slot = scheduler.find(task, device);
    scheduler.place(task, device, slot);
  }
  return scheduler.take();
}

Timetable one_device(const Problem& problem, std::size_t device) {
  std::vector<std::uint32_t> device_of(problem.graph.size(), static_cast<std::uint32_t>(device));
  for (Task task = 0; task < device_of.size(); ++task) {
    if (problem.run(task, device) != never) continue;
    for (std::uint32_t other = 0; other < problem.devices.size(); ++other)
      if (problem.run(task, device_of[task]) > problem.run(task, other)) device_of[task] = other;
  }
  return on_devices(problem, device_of);
}

Timetable on_devices(const Problem& problem, const std::vector<std::uint32_t>& device_of) {
  ListScheduler scheduler(problem);
  for (const Task task : by_falling_rank(problem.graph, upward_ranks(problem, device_of)))
    scheduler.place(task, device_of[task], scheduler.find(task, device_of[task]));
  return scheduler.take();
}

Timetable eager(const Problem& problem) {
  const TaskGraph& graph = problem.graph;
  const std::vector<double> ranks = upward_ranks(problem);
  struct Free {
    double at;
    std::uint32_t device;
    Lane lane;
    auto operator<=>(const Free&) const = default;
  };
  std::set<Free> lanes;
  for (std::uint32_t device = 0; device < problem.devices.size(); ++device)
    for (Lane lane = 0; lane < problem.devices[device].lanes; ++lane)
      lanes.insert({0, device, lane});
  struct Ready {
    double rank;
    Task task;
    bool operator<(const Ready& other) const {
      return rank != other.rank ? rank > other.rank : task < other.task;
    }
  };
  std::set<Ready> ready;
  std::set<std::pair<double, Task>> running;
  std::vector<std::uint32_t> waits_for(graph.size());
  for (Task task = 0; task < graph.size(); ++task) {
    waits_for[task] = static_cast<std::uint32_t>(graph.predecessors(task).size());
    if (waits_for[task] == 0) ready.insert({ranks[task], task});
  }
  Timetable timetable;
  timetable.tasks.resize(graph.size());
  double now = 0;
  while (!ready.empty() || !running.empty()) {
    // All that can begin now.
    bool began = true;
    while (began && !ready.empty()) {
      began = false;
      std::vector<Free> idle;
      for (const Free& lane : lanes)
        if (lane.at <= now) idle.push_back(lane);
      std::ranges::sort(idle, {},
                        [](const Free& lane) { return std::pair(lane.device, lane.lane); });
      for (const Free& lane : idle) {
        const auto next = std::ranges::find_if(ready, [&](const Ready& candidate) {
          return problem.run(candidate.task, lane.device) != never;
        });
        if (next == ready.end()) continue;
        const Task task = next->task;
        double start = std::max(now, problem.moves_of(task, lane.device).inputs_ns);
        for (const auto& before : graph.predecessors(task)) {
          const auto& from = timetable.tasks[before.task];
          start = std::max(start,
                           from.end_ns + problem.transfer(before.bytes, from.device, lane.device));
        }
        const DeviceModel& device = problem.devices[lane.device];
        const double end =
            start + problem.run(task, lane.device) * device.slow_down_of(device.lanes);
        timetable.tasks[task] = {lane.device, lane.lane, start, end};
        timetable.makespan_ns = std::max(timetable.makespan_ns, end);
        ready.erase(next);
        running.insert({end, task});
        lanes.erase(lane);
        lanes.insert({end, lane.device, lane.lane});
        began = true;
        break;
      }
    }
    if (running.empty()) break;
    now = running.begin()->first;
    while (!running.empty() && running.begin()->first <= now) {
      const Task task = running.begin()->second;
      running.erase(running.begin());
      for (const auto& after : graph.successors(task))
        if (--waits_for[after.task] == 0) ready.insert({ranks[after.task], after.task});
    }
  }
  return timetable;
}

}  // namespace kiln::graph
