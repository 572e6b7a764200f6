#include "graph/graph_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/kept_spans.hpp"
#include "schedule/graph/bounds.hpp"

namespace kiln {
namespace graph {
namespace {

std::string microseconds(double ns) { return fmt::format("{:.1f} us", ns / 1000); }

/// Why a task is where it is, in a sentence.
std::string reason_of(const Problem& problem, const Timetable& table, Task task) {
  const auto& entry = table.tasks[task];
  const double here = problem.run(task, entry.device);
  std::size_t fastest = entry.device, can = 0;
  for (std::size_t device = 0; device < problem.devices.size(); ++device) {
    can += problem.run(task, device) != never;
    if (problem.run(task, device) < problem.run(task, fastest)) fastest = device;
  }
  if (can == 1) return "it can run nowhere else";
  // When the data could have been on each of the others.
  std::string why = fmt::format("it takes {} here", microseconds(here));
  for (std::size_t device = 0; device < problem.devices.size(); ++device) {
    if (device == entry.device || problem.run(task, device) == never) continue;
    double ready = 0;
    for (const auto& before : problem.graph.predecessors(task)) {
      const auto& from = table.tasks[before.task];
      ready = std::max(ready, from.end_ns + problem.transfer(before.bytes, from.device, device));
    }
    why += fmt::format(", {} on device {}, with its data there at {}",
                       microseconds(problem.run(task, device)), device, microseconds(ready));
  }
  if (fastest != entry.device)
    why += "; the faster device has other work, or the data are too far away";
  return why;
}

}  // namespace

PlanOptions plan_options(const GraphPlanOptions& options) {
  PlanOptions made;
  made.policy = value_or_throw(parse_policy(options.policy));
  made.device = options.device < 0 ? none : static_cast<std::uint32_t>(options.device);
  made.queues = options.queues;
  made.memory_limit = options.memory_limit;
  made.may_cut = options.may_cut;
  made.timeout = options.timeout;
  made.stop = options.stop;
  return made;
}

GraphReport report_of(const Problem& problem, const Timetable& timetable,
                      const std::vector<std::string>& names) {
  GraphReport report;
  report.makespan_ns = timetable.makespan_ns;
  const Bounds bound = bounds(problem);
  report.path_bound_ns = bound.path_ns;
  report.work_bound_ns = bound.work_ns;
  report.bound_ns = bound.mixed_ns;
  for (const auto& device : problem.devices) report.devices.push_back(device.name);
  for (Task task = 0; task < problem.graph.size(); ++task) {
    const auto& entry = timetable.tasks[task];
    GraphReport::Task made;
    made.name = names[task];
    made.device = entry.device;
    made.queue = entry.lane;
    made.start_ns = entry.start_ns;
    made.end_ns = entry.end_ns;
    for (std::size_t device = 0; device < problem.devices.size(); ++device)
      made.run_ns.push_back(problem.run(task, device));
    for (const auto& before : problem.graph.predecessors(task)) made.after.push_back(before.task);
    made.why = reason_of(problem, timetable, task);
    report.tasks.push_back(std::move(made));
  }
  return report;
}

void compare_policies(const Problem& problem, GraphReport& report) {
  for (const Policy policy : {Policy::one_device, Policy::heft, Policy::peft, Policy::lookahead,
                              Policy::cluster, Policy::eager, Policy::automatic}) {
    if (policy != Policy::one_device) {
      report.policies.emplace_back(name_of(policy),
                                   timetable_by(problem, policy, no_device, {}).makespan_ns);
      continue;
    }
    for (std::uint32_t device = 0; device < problem.devices.size(); ++device)
      report.policies.emplace_back(fmt::format("{}, device {}", name_of(policy), device),
                                   timetable_by(problem, policy, device, {}).makespan_ns);
  }
  const double gap = report.makespan_ns - report.bound_ns;
  if (report.bound_ns > 0 && gap < 0.05 * report.bound_ns) {
    report.advice.push_back(
        "the plan is within 5 % of what these devices can do: faster kernels or "
        "more devices would help, another order would not");
  } else if (report.path_bound_ns > report.work_bound_ns && report.cut_tasks == 0) {
    report.advice.push_back(fmt::format(
        "the longest way of tasks that wait for one another takes {} of {}: cutting its tasks into "
        "smaller ones, or making them faster, would help; more devices would not",
        microseconds(report.path_bound_ns), microseconds(report.makespan_ns)));
  }
  // What of the time goes to moving data.
  Problem without = problem;
  for (auto& link : without.links) link = {};
  value_or_throw(without.complete());
  const double free = timetable_by(without, Policy::heft, no_device, {}).makespan_ns;
  const double with = timetable_by(problem, Policy::heft, no_device, {}).makespan_ns;
  if (with > 1.1 * free)
    report.advice.push_back(
        fmt::format("without transfers it would take {} of {}: fewer or smaller "
                    "arrays between devices would help",
                    microseconds(free), microseconds(with)));
}

}  // namespace graph

GraphRunSummary GraphPlan::run(const GraphRunOptions& options) {
  KeptSpans kept;
  graph::RunOrder order;
  order.timeout = options.timeout;
  order.stop = options.stop;
  if (options.timeline) order.trace = &kept;
  // Only then an error can name the task that is to blame.
  order.takes_times = options.timeout.count() > 0;
  state_->take_copies();
  state_->planned->run(order);
  for (const auto& [value, storage] : state_->own_results) {
    const ByteView result = state_->planned->executable().result(value);
    std::memcpy(storage->on_host(ArrayStorage::HostUse::overwrite), result.data(), result.size());
  }
  for (const auto& storage : state_->host_results) storage->on_host(ArrayStorage::HostUse::read);
  GraphRunSummary summary;
  summary.wall_ns = state_->planned->executable().wall_ns();
  summary.timeline = kept.take();
  return summary;
}

GraphReport GraphPlan::report(bool compare) const {
  const auto& planned = *state_->planned;
  std::vector<std::string> names;
  for (const auto& entry : planned.work().tasks()) names.push_back(entry.label);
  GraphReport report = graph::report_of(planned.problem(), planned.report().timetable, names);
  report.policy = name_of(planned.report().policy);
  // Where runs took less than the times on record say, what they took is no less than any bound.
  for (double* bound : {&report.path_bound_ns, &report.work_bound_ns, &report.bound_ns})
    *bound = std::min(*bound, report.makespan_ns);
  report.times_are_known = planned.report().times_are_known;
  report.is_kept = planned.report().is_kept;
  report.cut_tasks = planned.work().cut_tasks();
  for (graph::Task task = 0; task < names.size(); ++task)
    report.tasks[task].on_host = planned.work().tasks()[task].work->runs_on_host();
  const auto& steps = planned.executable().steps();
  report.bytes_to_devices = steps.bytes_up;
  report.bytes_to_host = steps.bytes_down;
  report.peak_bytes = steps.peak_bytes;
  report.commands = steps.all.size();
  report.waits = steps.waits.size();
  if (compare) graph::compare_policies(planned.problem(), report);
  return report;
}

std::span<const std::byte> GraphPlan::result(std::int64_t task, std::uint32_t position) const {
  const auto found = state_->results.find({task, position});
  if (found == state_->results.end())
    throw Error(
        Errc::bad_input,
        fmt::format("task {}, argument {}: found no result, expected one that was asked for "
                    "or that no task reads",
                    task, position));
  return state_->planned->executable().result(found->second);
}

}  // namespace kiln
