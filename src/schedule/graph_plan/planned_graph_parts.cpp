// Tasks of a PlannedGraph in parts: which of them, and whether that is faster.
#include <algorithm>
#include <numeric>

#include "schedule/graph/policies.hpp"
#include "schedule/graph_plan/planned_graph.hpp"
#include "store/key/canonical.hpp"

namespace kiln::graph {
namespace {

/// A device that is idle for this part of a task's time, and not too slow for it, takes some of it.
constexpr double idle_enough = 0.5, slowest = 20;
/// Whether parts of a task do the same is looked at by some runs of it: not of longer ones, and not
/// of more tasks.
constexpr double longest_look_ns = 5e9;
constexpr int most_tasks = 1000;
/// A task has to take so many times what it costs to start something on another device.
constexpr double long_enough = 3;
/// What parts have to promise.
constexpr double worth_planning = 0.05;
/// Runs that take less are tried.
constexpr double longest_tried_ns = 200e6;

/// When a device is at work.
class BusyTimes {
 public:
  BusyTimes(const Timetable& table, std::uint32_t device) {
    for (const auto& entry : table.tasks)
      if (entry.device == device && entry.end_ns > entry.start_ns)
        spans_.emplace_back(entry.start_ns, entry.end_ns);
    std::ranges::sort(spans_);
    // Of lanes that work at the same time one span is made.
    std::size_t kept = 0;
    for (const auto& span : spans_)
      if (kept > 0 && span.first <= spans_[kept - 1].second)
        spans_[kept - 1].second = std::max(spans_[kept - 1].second, span.second);
      else
        spans_[kept++] = span;
    spans_.resize(kept);
  }
  /// How much of a time it has nothing to do.
  double idle_ns(double start, double end) const {
    double idle = end - start;
    auto span = std::ranges::upper_bound(spans_, start, {}, [](const auto& s) { return s.second; });
    for (; span != spans_.end() && span->first < end; ++span)
      idle -= std::min(span->second, end) - std::max(span->first, start);
    return idle;
  }

 private:
  std::vector<std::pair<double, double>> spans_;
};

}  // namespace

/// By task, the share that each device would have of it; empty: it stays whole.
std::vector<std::vector<double>> PlannedGraph::weights_in_parts() {
  const auto& table = report_.timetable;
  const std::size_t devices = devices_->all().size();
  std::vector<BusyTimes> busy;
  for (std::uint32_t device = 0; device < devices; ++device) busy.emplace_back(table, device);
  std::vector<std::vector<double>> weights(work_.tasks().size());
  double gain_ns = 0;
  int tasks = 0;
  for (Task task = 0; task < weights.size(); ++task) {
    const auto& entry = work_.tasks()[task];
    const auto* kernel = dynamic_cast<const KernelWork*>(entry.work.get());
    if (kernel == nullptr || !kernel->may_be_cut() || entry.device != none) continue;
    const bool writes_array = std::ranges::any_of(entry.writes, [&](ValueId value) {
      return value != none && work_.values()[value].array != none;
    });
    if (writes_array) continue;
    const auto& where = table.tasks[task];
    const double here = problem_.run(task, where.device), taken = where.end_ns - where.start_ns;
    const CommandCosts& costs = costs_[where.device];
    const bool is_long =
        here >= long_enough * (problem_.hand_over_ns + costs.launch_ns + costs.enqueue_ns);
    if (!is_long || here > longest_look_ns) continue;
    if (++tasks > most_tasks) break;
    std::vector<double> shares(devices);
    for (std::uint32_t device = 0; device < devices; ++device) {
      const double there = problem_.run(task, device);
      const bool takes_part =
          device == where.device ||
          (there < slowest * here && there < longest_look_ns &&
           busy[device].idle_ns(where.start_ns, where.end_ns) > idle_enough * taken);
      if (takes_part) shares[device] = 1 / there;
    }
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (all * here <= 1) continue;  // no other device
    gain_ns += taken * (1 - 1 / (all * here));
    weights[task] = std::move(shares);
  }
  if (gain_ns < worth_planning * table.makespan_ns) weights.clear();
  return weights;
}

std::optional<WorkGraph> PlannedGraph::in_parts() {
  const bool has_choice = devices_->all().size() > 1;
  if (options_.policy != Policy::automatic || !options_.may_cut || !has_choice ||
      !report_.times_are_known || !can_be_repeated())
    return std::nullopt;
  const auto weights = weights_in_parts();
  PartTrials trials(devices_->resolver());
  constexpr auto stays_whole = static_cast<std::size_t>(-1);
  std::vector<std::size_t> number_of(weights.size(), stays_whole);
  for (Task task = 0; task < weights.size(); ++task) {
    if (weights[task].empty()) continue;
    const WorkPtr& work = work_.tasks()[task].work;
    std::vector<bool> needs_zeros;
    for (std::size_t use = 0; use < work->uses().size(); ++use)
      needs_zeros.push_back(!whole_writes_.hold(*work, use));
    auto parts = cut_kernel(static_cast<const KernelWork&>(*work), weights[task], needs_zeros);
    if (!parts) continue;
    std::vector<const Device*> takes_part;
    for (std::size_t device = 0; device < devices_->all().size(); ++device)
      takes_part.push_back(weights[task][device] > 0 ? devices_->all()[device].device.get()
                                                     : nullptr);
    number_of[task] = trials.add(work, *std::move(parts), takes_part);
  }
  if (!try_parts(trials)) return std::nullopt;
  std::optional<WorkGraph> made;
  for (Task task = 0; task < weights.size(); ++task) {
    if (number_of[task] == stays_whole) continue;
    const auto parts = trials.shown(number_of[task]);
    if (!parts || (!parts->are_in_pieces && devices_->memories() > 1)) continue;
    if (!made) made = work_;
    made->split(task, parts->parts);
  }
  return made;
}

/// Runs of the graph on those devices on which parts were not looked at yet. False: a device has no
/// memory for such a run.
bool PlannedGraph::try_parts(PartTrials& trials) {
  for (std::uint32_t device = 0; device < devices_->all().size(); ++device) {
    if (!trials.lack(device)) continue;
    Executable run(work_, build_steps(work_, problem_.graph, one_device(problem_, device),
                                      *devices_, step_options(Queue::Times::none)));
    RunOrder order = trial();
    order.before_task = [&](const TaskRun& task) { trials.before(task); };
    order.after_task = [&](const TaskRun& task) { trials.after(task); };
    try {
      run.run(order);
    } catch (const Error& error) {
      if (error.code() != Errc::device || !runtime_.state().lost_device().empty()) throw;
      return false;
    }
  }
  trials.save();
  return true;
}

bool PlannedGraph::is_faster_than(PlannedGraph& other) {
  const double mine = report_.timetable.makespan_ns, others = other.report_.timetable.makespan_ns;
  if (std::min(mine, others) > longest_tried_ns) return mine < worth_it * others;
  CanonicalWriter writer("graph in parts", 1);
  writer.bytes("parts", kept_as_).bytes("whole", other.kept_as_);
  if (const auto known = kept_timetables_.find_choice(writer.view())) return *known;
  std::vector<double> taken[2];
  double all_ns = 0;
  for (int round = 0; round < 100 && (round < 3 || all_ns < longest_tried_ns / 2); ++round)
    for (PlannedGraph* graph : {this, &other}) {
      graph->executable_->run(graph->trial());
      const auto ns = static_cast<double>(graph->executable_->wall_ns());
      if (round > 0) taken[graph == this ? 0 : 1].push_back(ns);
      all_ns += ns;
    }
  // What disturbs a machine makes runs longer only.
  const bool is_faster = quantile(taken[0], 0.25) < worth_it * quantile(taken[1], 0.25);
  kept_timetables_.keep_choice(writer.view(), is_faster);
  return is_faster;
}

std::unique_ptr<PlannedGraph> plan_graph(const Runtime& runtime, WorkGraph work,
                                         const PlanOptions& options) {
  auto whole = std::make_unique<PlannedGraph>(runtime, std::move(work), options);
  whole->plan(PlannedGraph::Explore::yes);
  try {
    auto divided = whole->in_parts();
    if (!divided) return whole;
    auto parts = std::make_unique<PlannedGraph>(runtime, *std::move(divided), options);
    parts->plan(PlannedGraph::Explore::yes);
    if (parts->report().times_are_known && parts->is_faster_than(*whole)) return parts;
  } catch (const Error& error) {
    // As where parts in several memories need more of them than there is.
    if (error.code() != Errc::device || !runtime.state().lost_device().empty()) throw;
  }
  return whole;
}

}  // namespace kiln::graph
