#include "schedule/graph/improve.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <ranges>

#include "schedule/graph/list_scheduler.hpp"
#include "schedule/graph/policies.hpp"

namespace kiln::graph {
namespace {

/// The problem with every edge reversed. A timetable of it, read backwards, is one of the
/// problem's.
Problem reversed(const Problem& problem) {
  std::vector<TaskGraph::Edge> edges;
  edges.reserve(problem.graph.edges());
  for (Task task = 0; task < problem.graph.size(); ++task)
    for (const auto& after : problem.graph.successors(task))
      edges.push_back({after.task, task, after.bytes});
  Problem back = problem;
  back.moves.clear();  // read backwards, inputs would come at the end
  back.graph = *TaskGraph::make(problem.graph.size(), std::move(edges));
  const std::size_t memories = problem.memories();
  for (std::size_t from = 0; from < memories; ++from)
    for (std::size_t to = 0; to < memories; ++to)
      back.links[to * memories + from] = problem.links[from * memories + to];
  return back;
}

/// A timetable as a search changes it: devices, and the order in which tasks are placed.
struct Candidate {
  std::vector<std::uint32_t> device_of;
  std::vector<Task> order;
};

class Search {
 public:
  Search(const Problem& problem, SearchEffort effort)
      : problem_(problem), scheduler_(problem), left_(effort.evaluations) {}

  bool may_go_on() const { return left_ > 0; }

  /// Places the candidate's tasks; with free devices, where they end first.
  const Timetable& place(const Candidate& candidate, bool devices_are_free = false) {
    --left_;
    scheduler_.clear();
    for (const Task task : candidate.order) {
      ListScheduler::Slot slot;
      std::size_t device = candidate.device_of[task];
      if (devices_are_free)
        device = scheduler_.first_to_end(task, slot);
      else
        slot = scheduler_.find(task, device);
      scheduler_.place(task, device, slot);
    }
    return scheduler_.timetable();
  }

 private:
  const Problem& problem_;
  ListScheduler scheduler_;
  std::size_t left_;

  friend class Improvement;
};

Candidate candidate_of(const Problem& problem, const Timetable& timetable) {
  Candidate candidate;
  for (const auto& entry : timetable.tasks) candidate.device_of.push_back(entry.device);
  candidate.order = timetable.order(problem.graph);
  return candidate;
}

/// What kept the graph from ending earlier: from its last task back to whoever it waited for, be
/// it for data or for the lane.
struct CriticalStep {
  Task task;
  Task lane_before;  ///< the task that held its lane until it began; itself: none
};

std::vector<CriticalStep> critical_way(const Problem& problem, const Timetable& timetable,
                                       std::span<const Task> order) {
  const std::size_t tasks = timetable.tasks.size();
  constexpr auto none = static_cast<Task>(-1);
  std::vector<Task> before_on_lane(tasks, none);
  const std::size_t lanes = problem.lanes();
  std::vector<Task> last(problem.devices.size() * lanes, none);
  Task end = 0;
  for (const Task task : order) {
    const auto& entry = timetable.tasks[task];
    Task& on_lane = last[entry.device * lanes + entry.lane];
    before_on_lane[task] = on_lane;
    on_lane = task;
    if (entry.end_ns > timetable.tasks[end].end_ns) end = task;
  }
  std::vector<CriticalStep> way;
  for (Task task = end; task != none;) {
    const auto& entry = timetable.tasks[task];
    Task waited_for = none;
    double latest = 0;
    for (const auto& before : problem.graph.predecessors(task)) {
      const auto& from = timetable.tasks[before.task];
      const double ready = from.end_ns + problem.transfer(before.bytes, from.device, entry.device);
      if (ready > latest) {
        latest = ready;
        waited_for = before.task;
      }
    }
    const Task on_lane = before_on_lane[task];
    const bool for_lane = on_lane != none && timetable.tasks[on_lane].end_ns > latest;
    way.push_back({task, for_lane ? on_lane : task});
    task = for_lane ? on_lane : waited_for;
  }
  return way;
}

class Improvement {
 public:
  Improvement(const Problem& problem, const Timetable& start, SearchEffort effort)
      : problem_(problem),
        search_(problem, effort),
        best_(start),
        current_(candidate_of(problem, start)),
        current_table_(start) {}

  Timetable run() {
    if (problem_.graph.size() < 2) return best_;
    push_together();
    walk();
    return best_;
  }

 private:
  void take(const Timetable& table) {
    if (table.makespan_ns < best_.makespan_ns) best_ = table;
  }

  /// Places all from the end backwards, then from the begin again, in the order of the last times:
  /// gaps close from both sides.
  void push_together() {
    const Problem back = reversed(problem_);
    Search backwards(back, {.evaluations = 16});
    for (const bool free : {false, true}) {
      Candidate candidate = candidate_of(problem_, best_);
      double last = never;
      for (int round = 0; round < 6 && search_.may_go_on(); ++round) {
        std::ranges::stable_sort(candidate.order, std::greater<>(), [&](Task task) {
          return (round == 0 ? best_ : current_table_).tasks[task].end_ns;
        });
        if (!keeps_order(back.graph, candidate.order)) break;
        const Timetable turned = backwards.place(candidate, free);
        candidate = candidate_of(back, turned);
        std::ranges::stable_sort(candidate.order, std::greater<>(),
                                 [&](Task task) { return turned.tasks[task].end_ns; });
        if (!keeps_order(problem_.graph, candidate.order)) break;
        current_table_ = search_.place(candidate, free);
        candidate = candidate_of(problem_, current_table_);
        take(current_table_);
        if (current_table_.makespan_ns >= last) break;
        last = current_table_.makespan_ns;
      }
    }
    current_table_ = best_;
    current_ = candidate_of(problem_, best_);
  }

  static bool keeps_order(const TaskGraph& graph, const std::vector<Task>& order) {
    std::vector<std::uint32_t> position(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    return std::ranges::all_of(order, [&](Task task) {
      return std::ranges::all_of(graph.predecessors(task), [&](const auto& before) {
        return position[before.task] < position[task];
      });
    });
  }

  /// Simulated annealing: random changes along the critical path, with a falling chance that a
  /// worse timetable is accepted.
  void walk() {
    std::mt19937_64 random(0x6b696c6e);  // any: the same graph gets the same timetable
    const std::size_t rounds = search_.left_;
    std::size_t since_best = 0;
    for (std::size_t round = 0; search_.may_go_on(); ++round) {
      Candidate changed = current_;
      const auto way = critical_way(problem_, current_table_, current_.order);
      const std::size_t changes = 1 + random() % 3;
      for (std::size_t i = 0; i < changes; ++i) change(changed, way, random);
      const Timetable& table = search_.place(changed);
      const double heat = 0.02 * (1 - static_cast<double>(round) / static_cast<double>(rounds));
      const double chance = static_cast<double>(random() >> 11) * 0x1p-53;
      const double worse = table.makespan_ns / current_table_.makespan_ns - 1;
      ++since_best;
      if (worse <= 0 || chance < std::exp(-worse / std::max(heat, 1e-6) * 8)) {
        if (table.makespan_ns < best_.makespan_ns) since_best = 0;
        take(table);
        current_table_ = table;
        current_ = std::move(changed);
        current_.order = current_table_.order(problem_.graph);
      }
      if (since_best > rounds / 4) {
        since_best = 0;
        current_table_ = best_;
        current_ = candidate_of(problem_, best_);
      }
    }
  }

  void change(Candidate& candidate, const std::vector<CriticalStep>& way, std::mt19937_64& random) {
    const bool anywhere = random() % 8 == 0;
    const CriticalStep& step = way[random() % way.size()];
    const Task task = anywhere ? static_cast<Task>(random() % problem_.graph.size()) : step.task;
    const bool can_come_earlier = !anywhere && step.lane_before != step.task;
    if (can_come_earlier && random() % 2 == 0) {
      pull_before(candidate.order, task, step.lane_before);
    } else if (problem_.devices.size() > 1) {
      const auto device = static_cast<std::uint32_t>(random() % problem_.devices.size());
      if (problem_.run(task, device) != never) candidate.device_of[task] = device;
    }
  }

  /// The task, and what it waits for between the two, comes to stand before the other one.
  void pull_before(std::vector<Task>& order, Task task, Task other) const {
    const auto from = std::ranges::find(order, other);
    const auto to = std::find(from, order.end(), task);
    if (to == order.end()) return;
    std::vector<char> needed(problem_.graph.size());
    needed[task] = true;
    std::vector<Task> earlier{task}, later;
    for (auto it = std::make_reverse_iterator(to); it != std::make_reverse_iterator(from); ++it) {
      const bool is_needed = std::ranges::any_of(
          problem_.graph.successors(*it), [&](const auto& after) { return needed[after.task]; });
      needed[*it] = is_needed;
      (is_needed ? earlier : later).push_back(*it);
    }
    if (needed[other]) return;  // the task waits for it
    std::ranges::reverse(earlier);
    std::ranges::reverse(later);
    std::ranges::copy(later, std::ranges::copy(earlier, from).out);
  }

  const Problem& problem_;
  Search search_;
  Timetable best_;
  Candidate current_;
  Timetable current_table_;
};

/// Every assignment to two devices, each in the order of its own ranks.
Timetable best_assignment(const Problem& problem) {
  Timetable best;
  best.makespan_ns = never;
  const std::size_t tasks = problem.graph.size();
  std::vector<std::uint32_t> device_of(tasks);
  for (std::size_t set = 0; set < std::size_t{1} << tasks; ++set) {
    bool can_run = true;
    for (Task task = 0; task < tasks; ++task) {
      device_of[task] = set >> task & 1;
      can_run &= problem.run(task, device_of[task]) != never;
    }
    if (!can_run) continue;
    Timetable table = on_devices(problem, device_of);
    if (table.makespan_ns < best.makespan_ns) best = std::move(table);
  }
  return best;
}

}  // namespace

SearchEffort SearchEffort::usual(std::size_t tasks) {
  constexpr std::size_t placements = 1'500'000;  // of tasks
  return {std::clamp<std::size_t>(placements / std::max<std::size_t>(tasks, 1), 60, 6000)};
}

Timetable improve(const Problem& problem, const Timetable& start, SearchEffort effort) {
  return Improvement(problem, start, effort).run();
}

Timetable best_timetable(const Problem& problem, SearchEffort effort) {
  std::vector<Timetable> found;
  for (std::size_t device = 0; device < problem.devices.size(); ++device)
    found.push_back(one_device(problem, device));
  if (problem.devices.size() > 1 || problem.lanes() > 1) {
    found.push_back(heft(problem));
    found.push_back(heft(problem, RankBy::least));
    found.push_back(peft(problem));
    found.push_back(lookahead(problem));
    found.push_back(eager(problem));
    found.push_back(clusters(problem, linear_clusters(problem)));
    if (problem.devices.size() == 2 && problem.graph.size() <= 9)
      found.push_back(best_assignment(problem));
  }
  std::ranges::stable_sort(found, {}, &Timetable::makespan_ns);
  // The second best may lead further than the best.
  Timetable best = improve(problem, found[0], effort);
  for (std::size_t i = 1; i < std::min<std::size_t>(found.size(), 3); ++i) {
    Timetable other = improve(problem, found[i], {effort.evaluations / 2});
    if (other.makespan_ns < best.makespan_ns) best = std::move(other);
  }
  return best;
}

}  // namespace kiln::graph
