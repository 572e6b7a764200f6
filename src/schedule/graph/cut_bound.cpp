#include "schedule/graph/cut_bound.hpp"

#include <algorithm>
#include <ranges>

namespace kiln::graph {
namespace {

/// Positions in the topological order of the tasks that are before or after every other one: what
/// comes earlier has no other end than it, what comes later no other begin.
std::vector<std::size_t> cuts_of(const TaskGraph& graph) {
  const auto order = graph.topological_order();
  std::vector<char> is_only_end(order.size()), is_seen(graph.size());
  std::size_t ends = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    ++ends;
    for (const auto& before : graph.predecessors(order[at]))
      if (!std::exchange(is_seen[before.task], true)) --ends;
    is_only_end[at] = ends == 1;
  }
  std::ranges::fill(is_seen, char{0});
  std::vector<std::size_t> cuts;
  std::size_t begins = 0;
  for (std::size_t at = order.size(); at-- > 0;) {
    ++begins;
    for (const auto& after : graph.successors(order[at]))
      if (!std::exchange(is_seen[after.task], true)) --begins;
    if (begins == 1 && is_only_end[at]) cuts.push_back(at);
  }
  std::ranges::reverse(cuts);
  return cuts;
}

/// The tasks between two cuts, or before the first or behind the last one.
class Section {
 public:
  static constexpr auto absent = static_cast<std::size_t>(-1);

  /// `position`: by task, absent everywhere; is so again afterwards.
  Section(const Problem& problem, std::vector<std::size_t>& position, std::size_t begin,
          std::size_t end)
      : problem_(problem),
        tasks_(problem.graph.topological_order().subspan(begin, end - begin)),
        position_(position) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) position_[tasks_[i]] = i;
  }
  ~Section() {
    for (const Task task : tasks_) position_[task] = absent;
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  /// Each task on its fastest device, all devices shared as finely as one likes.
  double loose() const {
    std::vector<double> way(tasks_.size());
    double longest = 0, work = 0, lanes = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      double least = never;
      for (std::size_t device = 0; device < problem_.devices.size(); ++device)
        least = std::min(least, problem_.run(tasks_[i], device));
      for (const auto& before : problem_.graph.predecessors(tasks_[i]))
        if (position_[before.task] != absent)
          way[i] = std::max(way[i], way[position_[before.task]]);
      way[i] += least;
      longest = std::max(longest, way[i]);
      work += least;
    }
    for (const auto& device : problem_.devices) lanes += device.lanes;
    return std::max(longest, work / lanes);
  }

  /// The least time from the end of a task on a device to the begin of another, with all of this
  /// part between them. Every assignment is tried: for few tasks.
  double between(Task from, std::size_t from_device, Task to, std::size_t to_device) const {
    double best = never;
    std::vector<std::size_t> device(tasks_.size());
    for (;;) {
      best = std::min(best, assigned(from, from_device, to, to_device, device));
      std::size_t i = 0;
      while (i < device.size() && ++device[i] == problem_.devices.size()) device[i++] = 0;
      if (i == device.size()) return best;
    }
  }
  std::size_t size() const { return tasks_.size(); }

 private:
  double assigned(Task from, std::size_t from_device, Task to, std::size_t to_device,
                  const std::vector<std::size_t>& device) const {
    std::vector<double> end(tasks_.size());
    std::vector<double> work(problem_.devices.size()), first(work.size(), never);
    double longest = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const double run = problem_.run(tasks_[i], device[i]);
      if (run == never) return never;
      double start = 0;
      for (const auto& before : problem_.graph.predecessors(tasks_[i])) {
        if (before.task == from)
          start = std::max(start, problem_.transfer(before.bytes, from_device, device[i]));
        else if (const std::size_t at = position_[before.task]; at != absent)
          start = std::max(start, end[at] + problem_.transfer(before.bytes, device[at], device[i]));
      }
      end[i] = start + run;
      longest = std::max(longest, end[i]);
      work[device[i]] += run;
      first[device[i]] = std::min(first[device[i]], start);
    }
    for (const auto& before : problem_.graph.predecessors(to)) {
      const bool is_from = before.task == from;
      const std::size_t at = is_from ? absent : position_[before.task];
      if (is_from)
        longest = std::max(longest, problem_.transfer(before.bytes, from_device, to_device));
      else if (at != absent)
        longest =
            std::max(longest, end[at] + problem_.transfer(before.bytes, device[at], to_device));
    }
    for (std::size_t on = 0; on < work.size(); ++on)
      if (work[on] > 0)
        longest = std::max(longest, first[on] + work[on] / problem_.devices[on].lanes);
    return longest;
  }

  const Problem& problem_;
  std::span<const Task> tasks_;
  std::vector<std::size_t>& position_;
};

}  // namespace

double cut_bound(const Problem& problem) {
  // More tasks, or devices, than that would be too many assignments.
  constexpr std::size_t most_tasks = 4, most_devices = 3;
  const std::vector<std::size_t> cuts = cuts_of(problem.graph);
  if (cuts.empty()) return 0;
  const auto order = problem.graph.topological_order();
  const std::size_t devices = problem.devices.size();
  std::vector<double> time(devices), next(devices);
  std::vector<std::size_t> position(problem.graph.size(), Section::absent);
  const double head = Section(problem, position, 0, cuts.front()).loose();
  for (std::size_t device = 0; device < devices; ++device)
    time[device] = head + problem.run(order[cuts.front()], device);
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    const Section part(problem, position, cuts[i - 1] + 1, cuts[i]);
    const Task from = order[cuts[i - 1]], to = order[cuts[i]];
    const bool is_small = part.size() <= most_tasks && devices <= most_devices;
    const double loose = is_small ? 0 : part.loose();
    for (std::size_t there = 0; there < devices; ++there) {
      next[there] = never;
      for (std::size_t here = 0; here < devices; ++here) {
        if (time[here] == never) continue;
        const double way = is_small ? part.between(from, here, to, there) : loose;
        next[there] = std::min(next[there], time[here] + way + problem.run(to, there));
      }
    }
    std::swap(time, next);
  }
  const double tail = Section(problem, position, cuts.back() + 1, order.size()).loose();
  return *std::ranges::min_element(time) + tail;
}

}  // namespace kiln::graph
