// Tasks of a PlannedGraph in parts: which of them, and whether that is faster.
#include <algorithm>
#include <numeric>
#include <set>

#include "schedule/graph_run/kernel_parts.hpp"
#include "schedule/graph_run/planned_graph.hpp"

namespace kiln::graph {
namespace {

/// A device that is idle for this part of a task's time, and not too slow for it, takes some of it.
constexpr double idle_enough = 0.5, slowest = 20;
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
    if (here < long_enough * (problem_.hand_over_ns + costs.launch_ns + costs.enqueue_ns)) continue;
    std::vector<double> shares(devices);
    for (std::uint32_t device = 0; device < devices; ++device) {
      const double there = problem_.run(task, device);
      const bool takes_part =
          device == where.device ||
          (there < slowest * here &&
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

/// A queue of one device of each kind.
std::vector<Queue> PlannedGraph::kinds_of_devices() const {
  std::vector<Queue> queues;
  std::set<std::string> kinds;
  for (const auto& entry : devices_->all())
    if (kinds.insert(entry.device->fingerprint()).second)
      queues.push_back(entry.queues(Queue::Times::none).lanes.front());
  return queues;
}

std::optional<WorkGraph> PlannedGraph::in_parts() {
  const bool has_choice = devices_->all().size() > 1;
  if (options_.policy != Policy::automatic || !options_.may_cut || !has_choice ||
      !report_.times_are_known || !can_be_repeated())
    return std::nullopt;
  const auto weights = weights_in_parts();
  if (weights.empty()) return std::nullopt;
  KernelCutter cutter(devices_->resolver(), kinds_of_devices(), options_.stop);
  std::optional<WorkGraph> made;
  for (Task task = 0; task < weights.size(); ++task) {
    if (weights[task].empty()) continue;
    const auto& work = static_cast<const KernelWork&>(*work_.tasks()[task].work);
    std::vector<bool> needs_zeros;
    for (std::size_t use = 0; use < work.uses().size(); ++use)
      needs_zeros.push_back(!whole_writes_.hold(work, use));
    const auto parts = cutter.cut(work, weights[task], needs_zeros);
    if (!parts || (!parts->are_in_pieces && devices_->memories() > 1)) continue;
    if (!made) made = work_;
    made->split(task, parts->parts);
  }
  return made;
}

void PlannedGraph::keep_tried(double ns) {
  if (kept_as_.empty()) return;
  kept_timetables_.keep(kept_as_, problem_, {report_.timetable, ns});
  report_.timetable.makespan_ns = ns;
}

bool PlannedGraph::is_faster_than(PlannedGraph& other) {
  const double mine = report_.timetable.makespan_ns, others = other.report_.timetable.makespan_ns;
  const bool is_known = report_.is_kept && other.report_.is_kept;
  if (is_known || std::min(mine, others) > longest_tried_ns) return mine < worth_it * others;
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
  // So that the next process comes to the same without runs.
  const double ns = median(taken[0]);
  keep_tried(ns);
  other.keep_tried(is_faster ? std::max(median(taken[1]), 1.001 * ns / worth_it)
                             : std::min(median(taken[1]), ns / worth_it));
  return is_faster;
}

std::unique_ptr<PlannedGraph> plan_graph(const Runtime& runtime, WorkGraph work,
                                         const PlanOptions& options) {
  auto whole = std::make_unique<PlannedGraph>(runtime, std::move(work), options);
  whole->plan(PlannedGraph::Explore::yes);
  auto divided = whole->in_parts();
  if (!divided) return whole;
  try {
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
