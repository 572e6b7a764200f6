#include "schedule/graph/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>

namespace kiln::graph {
namespace {

/// Sums the edges of each pair of tasks. Sorting by buckets of the first task keeps this linear.
void merge_parallel(std::vector<TaskGraph::Edge>& edges, std::size_t tasks) {
  std::vector<std::uint32_t> begin(tasks + 1);
  for (const auto& edge : edges) ++begin[edge.from + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<TaskGraph::Edge> sorted(edges.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (const auto& edge : edges) sorted[next[edge.from]++] = edge;
  std::size_t kept = 0;
  for (std::size_t task = 0; task < tasks; ++task) {
    const auto first = sorted.begin() + begin[task], last = sorted.begin() + begin[task + 1];
    std::stable_sort(first, last, [](const auto& a, const auto& b) { return a.to < b.to; });
    const std::size_t mine = kept;
    for (auto edge = first; edge != last; ++edge) {
      if (kept > mine && edges[kept - 1].to == edge->to)
        edges[kept - 1].bytes += edge->bytes;
      else
        edges[kept++] = *edge;
    }
  }
  edges.resize(kept);
}

/// A cycle among tasks of which each has a predecessor that is among them, too.
std::string text_of_cycle(const std::vector<std::uint32_t>& waits_for, const TaskGraph& graph) {
  const auto waiting = [&](Task task) {
    for (const auto& before : graph.predecessors(task))
      if (waits_for[before.task] > 0) return before.task;
    return task;  // not reached: its count would be 0
  };
  Task task = 0;
  while (waits_for[task] == 0) ++task;
  // So many steps back it is on the cycle surely.
  for (std::size_t step = 0; step < waits_for.size(); ++step) task = waiting(task);
  std::vector<Task> cycle{task};
  for (Task before = waiting(task); before != task; before = waiting(before))
    cycle.push_back(before);
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::reverse(cycle.begin() + 1, cycle.end());
  cycle.push_back(cycle.front());
  return fmt::format("{}", fmt::join(cycle, " -> "));
}

}  // namespace

Expected<TaskGraph> TaskGraph::make(std::size_t tasks, std::vector<Edge> edges) {
  for (const Edge& edge : edges)
    if (edge.from >= tasks || edge.to >= tasks)
      return fail(Errc::bad_input,
                  fmt::format("found an edge {} -> {}, expected tasks from 0 to {}", edge.from,
                              edge.to, tasks - 1));
  merge_parallel(edges, tasks);
  TaskGraph graph;
  graph.first_predecessor_.resize(tasks + 1);
  graph.first_successor_.resize(tasks + 1);
  for (const Edge& edge : edges) {
    ++graph.first_successor_[edge.from + 1];
    ++graph.first_predecessor_[edge.to + 1];
  }
  for (auto* begin : {&graph.first_predecessor_, &graph.first_successor_})
    std::partial_sum(begin->begin(), begin->end(), begin->begin());
  graph.predecessors_.resize(edges.size());
  graph.successors_.reserve(edges.size());
  auto next = graph.first_predecessor_;
  for (const Edge& edge : edges) {
    graph.successors_.push_back({edge.to, edge.bytes});
    graph.predecessors_[next[edge.to]++] = {edge.from, edge.bytes};
  }
  std::vector<std::uint32_t> waits_for(tasks);
  std::priority_queue<Task, std::vector<Task>, std::greater<>> ready;
  for (Task task = 0; task < tasks; ++task) {
    waits_for[task] = static_cast<std::uint32_t>(graph.predecessors(task).size());
    if (waits_for[task] == 0) ready.push(task);
  }
  graph.order_.reserve(tasks);
  while (!ready.empty()) {
    const Task task = ready.top();
    ready.pop();
    graph.order_.push_back(task);
    for (const auto& after : graph.successors(task))
      if (--waits_for[after.task] == 0) ready.push(after.task);
  }
  if (graph.order_.size() < tasks)
    return fail(Errc::bad_input,
                fmt::format("found a cycle {}, expected none", text_of_cycle(waits_for, graph)));
  return graph;
}

std::vector<std::uint32_t> TaskGraph::levels() const {
  std::vector<std::uint32_t> levels(size());
  for (const Task task : order_)
    for (const auto& after : successors(task))
      levels[after.task] = std::max(levels[after.task], levels[task] + 1);
  return levels;
}

std::vector<std::uint32_t> TaskGraph::components() const {
  constexpr auto unseen = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> component(size(), unseen);
  std::vector<Task> open;
  std::uint32_t count = 0;
  for (Task first = 0; first < size(); ++first) {
    if (component[first] != unseen) continue;
    component[first] = count;
    open.push_back(first);
    while (!open.empty()) {
      const Task task = open.back();
      open.pop_back();
      for (const auto neighbours : {predecessors(task), successors(task)})
        for (const auto& neighbour : neighbours)
          if (component[neighbour.task] == unseen) {
            component[neighbour.task] = count;
            open.push_back(neighbour.task);
          }
    }
    ++count;
  }
  return component;
}

}  // namespace kiln::graph
