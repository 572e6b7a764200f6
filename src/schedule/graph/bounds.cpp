#include "schedule/graph/bounds.hpp"

#include <algorithm>
#include <ranges>

#include "schedule/graph/cut_bound.hpp"

namespace kiln::graph {
namespace {

/// Work that a device does in a unit of time, one lane alone being 1.
double capacity(const DeviceModel& device) {
  double most = 1;
  for (std::size_t lanes = 1; lanes <= device.lanes; ++lanes)
    most = std::max(most, static_cast<double>(lanes) / device.slow_down_of(lanes));
  return most;
}

double least_run(const Problem& problem, Task task) {
  double least = never;
  for (std::size_t device = 0; device < problem.devices.size(); ++device)
    least = std::min(least, problem.run(task, device));
  return least;
}

/// The least time over all devices that a task's inputs, or its results, take to move.
double least_move(const Problem& problem, Task task, double Problem::Moves::*which) {
  double least = never;
  for (std::size_t device = 0; device < problem.devices.size(); ++device)
    if (problem.run(task, device) != never)
      least = std::min(least, problem.moves_of(task, device).*which);
  return least;
}
/// A task with what it moves, on the device where all of this takes least.
double least_with_moves(const Problem& problem, Task task, double after) {
  double least = never;
  for (std::size_t device = 0; device < problem.devices.size(); ++device) {
    const auto moves = problem.moves_of(task, device);
    least = std::min(
        least, moves.inputs_ns + problem.run(task, device) + std::max(after, moves.results_ns));
  }
  return least;
}

/// The work of any set of tasks over all devices.
class WorkBound {
 public:
  explicit WorkBound(const Problem& problem) : problem_(problem) {
    for (const auto& device : problem.devices) capacity_.push_back(capacity(device));
    if (problem.devices.size() != 2) return;
    for (Task task = 0; task < problem.graph.size(); ++task) by_ratio_.push_back(task);
    // From those that the second device does best, compared with the first.
    const auto ratio = [&](Task task) {
      const double first = problem.run(task, 0), second = problem.run(task, 1);
      if (second == never || (first == 0 && second == 0)) return never;
      return first == never ? -1.0 : second / first;
    };
    std::vector<double> ratios;
    for (Task task = 0; task < problem.graph.size(); ++task) ratios.push_back(ratio(task));
    std::ranges::stable_sort(by_ratio_, {}, [&](Task task) { return ratios[task]; });
  }

  template <class Has>
  double of(Has&& has) const {
    return problem_.devices.size() == 2 ? of_two(has) : of_many(has);
  }

 private:
  /// Exact: tasks go to the second device in order of its advantage until both are done at once.
  template <class Has>
  double of_two(Has&& has) const {
    double first = 0, second = 0;
    for (const Task task : by_ratio_)
      if (has(task) && problem_.run(task, 0) != never) first += problem_.run(task, 0);
    for (const Task task : by_ratio_) {
      if (!has(task)) continue;
      const double on_first = problem_.run(task, 0), on_second = problem_.run(task, 1);
      if (on_first == never) {
        second += on_second;
        continue;
      }
      if (on_second == never) break;
      const double before = first / capacity_[0];
      if (before <= second / capacity_[1]) break;
      const double first_after = (first - on_first) / capacity_[0];
      const double second_after = (second + on_second) / capacity_[1];
      if (first_after <= second_after) {
        // A part of it makes both equal.
        const double part =
            (before - second / capacity_[1]) / (on_first / capacity_[0] + on_second / capacity_[1]);
        return (first - part * on_first) / capacity_[0];
      }
      first -= on_first;
      second += on_second;
    }
    return std::max(first / capacity_[0], second / capacity_[1]);
  }
  /// Every task counted on the device that does it fastest: exact for one device and for equal
  /// ones.
  template <class Has>
  double of_many(Has&& has) const {
    double work = 0, all = 0;
    for (const double one : capacity_) all += one;
    for (Task task = 0; task < problem_.graph.size(); ++task)
      if (has(task)) work += least_run(problem_, task);
    return work / all;
  }

  const Problem& problem_;
  std::vector<double> capacity_;
  std::vector<Task> by_ratio_;
};

/// Work that lies between two ways: `head` before any of it can begin, `tail` after the last of it.
/// After Fernandez and Bussell, "Bounds on the number of processors and time for multiprocessor
/// optimal schedules" (1973), for devices that differ.
double window_bound(const Problem& problem, const WorkBound& work) {
  const TaskGraph& graph = problem.graph;
  std::vector<double> head(graph.size()), tail(graph.size());
  for (const Task task : graph.topological_order()) {
    head[task] = std::max(head[task], least_move(problem, task, &Problem::Moves::inputs_ns));
    for (const auto& after : graph.successors(task))
      head[after.task] = std::max(head[after.task], head[task] + least_run(problem, task));
  }
  for (const Task task : std::views::reverse(graph.topological_order())) {
    tail[task] = std::max(tail[task], least_move(problem, task, &Problem::Moves::results_ns));
    for (const auto& before : graph.predecessors(task))
      tail[before.task] = std::max(tail[before.task], tail[task] + least_run(problem, task));
  }
  // All windows of a small graph; of a large one, those at some of the moments.
  constexpr std::size_t moments = 24;
  const auto some = [](std::vector<double> values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() <= moments) return values;
    std::vector<double> chosen;
    for (std::size_t i = 0; i < moments; ++i) chosen.push_back(values[i * values.size() / moments]);
    return chosen;
  };
  double most = 0;
  for (const double begin : some(head))
    for (const double end : some(tail)) {
      const auto is_between = [&](Task task) { return head[task] >= begin && tail[task] >= end; };
      const double between = work.of(is_between);
      if (between > 0) most = std::max(most, begin + between + end);
    }
  return most;
}

/// Lagrange's dual of the linear program that asks for shares of each task on each device, so that
/// no device and no way of the graph takes longer than T. Prices of the devices and a flow of price
/// along ways, whose sum (a device's times its capacity) is 1: each task, at its cheapest, gives a
/// valid bound. The prices move towards what is overloaded.
double mixed_bound(const Problem& problem) {
  const TaskGraph& graph = problem.graph;
  const std::size_t devices = problem.devices.size();
  std::vector<double> capacities;
  for (const auto& device : problem.devices) capacities.push_back(capacity(device));
  std::vector<double> price(devices);  // times capacity: parts of 1 that the ways do not have
  for (double& one : price) one = 0.5 / static_cast<double>(devices);
  // What carries inputs to a device, and results from it, is busy at the same time.
  std::vector<double> up_price(devices), down_price(devices), up(devices), down(devices);
  if (!problem.moves.empty())
    for (std::vector<double>* prices : {&up_price, &down_price, &price})
      for (double& one : *prices) one = 0.5 / 3 / static_cast<double>(devices);
  std::vector<double> flow(graph.size()), way(graph.size()), taken(graph.size());
  std::vector<Task> next(graph.size());
  // Tasks that weigh 1 in all along one way: it starts with none.
  double ways = 0.5, best = 0;
  constexpr int rounds = 60;
  constexpr auto none = static_cast<Task>(-1);
  std::vector<double> load(devices);
  for (int round = 0; round < rounds; ++round) {
    for (std::vector<double>* loads : {&load, &up, &down}) std::ranges::fill(*loads, 0.0);
    double value = 0;
    for (Task task = 0; task < graph.size(); ++task) {
      double least = never;
      std::size_t on = 0;
      for (std::size_t device = 0; device < devices; ++device) {
        const double run = problem.run(task, device);
        if (run == never) continue;
        const auto moves = problem.moves_of(task, device);
        const double cost = run * (price[device] / capacities[device] + ways * flow[task]) +
                            moves.up_ns * up_price[device] + moves.down_ns * down_price[device];
        if (cost < least) {
          least = cost;
          on = device;
        }
      }
      value += least;
      taken[task] = problem.run(task, on);
      load[on] += taken[task] / capacities[on];
      up[on] += problem.moves_of(task, on).up_ns;
      down[on] += problem.moves_of(task, on).down_ns;
    }
    best = std::max(best, value);
    // The longest way with these shares gets more of the flow.
    Task first = none;
    for (const Task task : std::views::reverse(graph.topological_order())) {
      way[task] = 0;
      next[task] = none;
      for (const auto& after : graph.successors(task))
        if (way[after.task] > way[task]) {
          way[task] = way[after.task];
          next[task] = after.task;
        }
      way[task] += taken[task];
      if (first == none || way[task] > way[first]) first = task;
    }
    if (first == none) break;
    const double step = 1.0 / (round + 2);
    for (double& part : flow) part *= 1 - step;
    for (Task task = first; task != none; task = next[task]) flow[task] += step;
    // Multiplicative weights over the devices and the ways.
    const double longest = way[first];
    double scale = longest;
    for (const std::vector<double>* loads : {&load, &up, &down})
      scale = std::max(scale, *std::ranges::max_element(*loads));
    if (scale <= 0) break;
    double sum = 0;
    const std::pair<std::vector<double>*, std::vector<double>*> priced[] = {
        {&price, &load}, {&up_price, &up}, {&down_price, &down}};
    for (const auto& [prices, loads] : priced)
      for (std::size_t device = 0; device < devices; ++device)
        sum += (*prices)[device] *= 1 + step * ((*loads)[device] / scale - 0.5);
    sum += ways *= 1 + step * (longest / scale - 0.5);
    for (const auto& [prices, loads] : priced)
      for (double& one : *prices) one /= sum;
    ways /= sum;
  }
  return best;
}

}  // namespace

Bounds bounds(const Problem& problem) {
  Bounds found;
  const TaskGraph& graph = problem.graph;
  std::vector<double> way(graph.size());
  for (const Task task : std::views::reverse(graph.topological_order())) {
    for (const auto& after : graph.successors(task))
      way[task] = std::max(way[task], way[after.task]);
    found.path_ns = std::max(found.path_ns, least_with_moves(problem, task, way[task]));
    way[task] = std::max(way[task], least_move(problem, task, &Problem::Moves::results_ns)) +
                least_run(problem, task);
  }
  const WorkBound work(problem);
  found.work_ns = work.of([](Task) { return true; });
  found.mixed_ns = std::max({found.path_ns, found.work_ns, window_bound(problem, work),
                             mixed_bound(problem), cut_bound(problem)});
  return found;
}

}  // namespace kiln::graph
