#include "schedule/graph/ranks.hpp"

#include <algorithm>
#include <ranges>

namespace kiln::graph {
namespace {

double time_of(const Problem& problem, Task task, RankBy by) {
  double sum = 0, least = never;
  std::size_t count = 0;
  for (std::size_t device = 0; device < problem.devices.size(); ++device) {
    const double run = problem.run(task, device);
    if (run == never) continue;
    sum += run;
    least = std::min(least, run);
    ++count;
  }
  return by == RankBy::mean ? sum / static_cast<double>(count) : least;
}

/// ranks[t] = time(t) + max over successors of (transfer(t, successor) + their rank).
template <class Time, class Transfer>
std::vector<double> longest_ways(const TaskGraph& graph, Time&& time, Transfer&& transfer) {
  std::vector<double> ranks(graph.size());
  for (const Task task : std::views::reverse(graph.topological_order())) {
    double rest = 0;
    for (const auto& after : graph.successors(task))
      rest = std::max(rest, transfer(task, after) + ranks[after.task]);
    ranks[task] = time(task) + rest;
  }
  return ranks;
}

}  // namespace

std::vector<double> upward_ranks(const Problem& problem, RankBy by) {
  return longest_ways(
      problem.graph, [&](Task task) { return time_of(problem, task, by); },
      [&](Task, const auto& after) { return problem.mean_transfer(after.bytes); });
}

std::vector<double> upward_ranks(const Problem& problem,
                                 const std::vector<std::uint32_t>& device_of) {
  return longest_ways(
      problem.graph, [&](Task task) { return problem.run(task, device_of[task]); },
      [&](Task task, const auto& after) {
        return problem.transfer(after.bytes, device_of[task], device_of[after.task]);
      });
}

std::vector<Task> by_falling_rank(const TaskGraph& graph, const std::vector<double>& ranks) {
  std::vector<Task> order(graph.size());
  for (Task task = 0; task < order.size(); ++task) order[task] = task;
  std::sort(order.begin(), order.end(),
            [&](Task a, Task b) { return ranks[a] != ranks[b] ? ranks[a] > ranks[b] : a < b; });
  // That is an order of the graph unless tasks of no length, or ranks of another kind, break it.
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  const auto comes_too_early = [&](Task task) {
    return std::ranges::any_of(graph.predecessors(task), [&](const auto& before) {
      return position[before.task] > position[task];
    });
  };
  if (std::ranges::none_of(order, comes_too_early)) return order;
  std::vector<std::uint32_t> waits_for(order.size()), ready;
  const auto later = std::greater<>();
  for (const Task task : order) {
    waits_for[task] = static_cast<std::uint32_t>(graph.predecessors(task).size());
    if (waits_for[task] == 0) ready.push_back(position[task]);
  }
  std::make_heap(ready.begin(), ready.end(), later);
  std::vector<Task> sorted;
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const Task task = order[ready.back()];
    ready.pop_back();
    sorted.push_back(task);
    for (const auto& after : graph.successors(task))
      if (--waits_for[after.task] == 0) {
        ready.push_back(position[after.task]);
        std::push_heap(ready.begin(), ready.end(), later);
      }
  }
  return sorted;
}

std::vector<double> optimistic_costs(const Problem& problem) {
  const std::size_t devices = problem.devices.size();
  std::vector<double> costs(problem.graph.size() * devices);
  for (const Task task : std::views::reverse(problem.graph.topological_order()))
    for (const auto& after : problem.graph.successors(task)) {
      const double link = problem.mean_link_time(after.bytes);
      for (std::size_t here = 0; here < devices; ++here) {
        double least = never;
        for (std::size_t there = 0; there < devices; ++there) {
          const bool moves = problem.devices[here].memory != problem.devices[there].memory;
          const double way = (here != there ? problem.hand_over_ns : 0) + (moves ? link : 0);
          least = std::min(
              least, costs[after.task * devices + there] + problem.run(after.task, there) + way);
        }
        double& cost = costs[task * devices + here];
        cost = std::max(cost, least);
      }
    }
  return costs;
}

}  // namespace kiln::graph
