// Runs of a PlannedGraph that are made to find something out.
#include <algorithm>

#include "base/clock.hpp"
#include "schedule/graph/policies.hpp"
#include "schedule/graph_findings/task_findings.hpp"
#include "schedule/graph_plan/planned_graph.hpp"
#include "schedule/graph_steps/step_builder.hpp"

namespace kiln::graph {
namespace {

/// How long runs are repeated to find something out.
constexpr std::int64_t trial_ns = 20'000'000;

}  // namespace

/// How runs are made that are not asked for.
RunOrder PlannedGraph::trial() const {
  // Where it may end early, an error is to name the task.
  return {.takes_times = options_.timeout.count() > 0,
          .timeout = options_.timeout,
          .stop = options_.stop};
}

/// Runs with a second look at tasks, where something can be found by it.
void PlannedGraph::find_by_second_runs() {
  TaskFindings findings(whole_writes_, times_, *devices_);
  for (std::uint32_t device = 0; device < devices_->all().size(); ++device) {
    bool lacks_something = false;
    for (Task task = 0; task < work_.tasks().size(); ++task)
      lacks_something |=
          problem_.run(task, device) != never && findings.lack(*work_.tasks()[task].work, device);
    if (!lacks_something) continue;
    make(one_device(problem_, device), Queue::Times::none);
    RunOrder order = trial();
    order.after_task = [&](const TaskRun& run) { findings.look(run); };
    try {
      executable_->run(order);
    } catch (const Error& error) {
      // As where a device has no memory for more outputs; what is wrong otherwise, runs will say.
      if (error.code() != Errc::device || !runtime_.state().lost_device().empty()) throw;
    }
    executable_.reset();
  }
}

/// Finds what a command of this graph costs a device: what its runs there take without the work of
/// the tasks. Of devices on which that would take long nothing is found; there it counts little.
void PlannedGraph::calibrate() {
  for (std::uint32_t device = 0; device < devices_->all().size(); ++device) {
    const auto& entry = devices_->all()[device];
    if (times_.command_times(kinds(), *entry.device)) continue;
    double busy_ns = 0;
    for (Task task = 0; task < work_.tasks().size(); ++task)
      busy_ns += problem_.run(task, device) - costs_[device].launch_ns;
    if (!(busy_ns < 10 * static_cast<double>(trial_ns))) continue;  // or it cannot run all of them
    make(one_device(with_one_lane(), device), Queue::Times::none);
    std::vector<double> enqueued;
    const double taken = median_run_ns(enqueued);
    const auto commands = static_cast<double>(executable_->steps().all.size());
    const TaskTimes::CommandTimes found{(taken - busy_ns) / commands, median(enqueued) / commands};
    times_.learn(kinds(), *entry.device, found);
  }
}

/// The median time of runs of what was made last; adds to `enqueued` what each took the host.
double PlannedGraph::median_run_ns(std::vector<double>& enqueued) {
  executable_->run(trial());
  std::vector<double> taken;
  double all_ns = 0;
  for (int run = 0; run < 200 && (run < 3 || all_ns < static_cast<double>(trial_ns)); ++run) {
    executable_->run(trial());
    taken.push_back(static_cast<double>(executable_->wall_ns()));
    enqueued.push_back(static_cast<double>(executable_->enqueue_ns()));
    all_ns += taken.back();
  }
  return median(taken);
}

/// The same problem for devices that do one task at a time.
Problem PlannedGraph::with_one_lane() const {
  Problem narrow = problem_;
  for (auto& device : narrow.devices) {
    device.lanes = 1;
    device.slow_down.clear();
  }
  value_or_throw(narrow.complete());
  return narrow;
}

/// Times say little of what it costs that queues wait for one another, which counts where tasks are
/// short: there timetables over several queues are held against one queue in runs. The first of
/// them is the best as planned.
KeptTimetables::Kept PlannedGraph::fastest_of(std::vector<Timetable> tables) {
  const auto is_on_one_queue = [](const Timetable& table) {
    return std::ranges::all_of(table.tasks, [&](const auto& entry) {
      return entry.device == table.tasks.front().device && entry.lane == table.tasks.front().lane;
    });
  };
  const bool is_alone = is_on_one_queue(tables.front());
  std::erase_if(tables, is_on_one_queue);
  if (is_alone) tables.clear();
  tables.push_back(timetable_by(with_one_lane(), Policy::one_device, no_device, {}));
  constexpr double longest_ns = 10 * static_cast<double>(trial_ns);
  if (tables.front().makespan_ns > longest_ns) return {best_simulated(std::move(tables))};
  std::vector<std::unique_ptr<Executable>> made;
  std::vector<std::vector<double>> taken(tables.size());
  for (const Timetable& table : tables) {
    make(table, Queue::Times::none);
    made.push_back(std::move(executable_));
    made.back()->run(trial());
  }
  // In turns, so that what disturbs the machine disturbs all.
  double all_ns = 0;
  for (int round = 0; round < 100 && (round < 3 || all_ns < 5 * trial_ns); ++round)
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i]->run(trial());
      taken[i].push_back(static_cast<double>(made[i]->wall_ns()));
      all_ns += taken[i].back();
    }
  // What disturbs a machine makes runs longer only, and those on several devices the most.
  const auto lower = [&](std::size_t i) { return quantile(taken[i], 0.25); };
  std::size_t best = tables.size() - 1;
  for (std::size_t i = 0; i + 1 < tables.size(); ++i) {
    const double limit = best + 1 == tables.size() ? worth_it : 1;
    if (lower(i) < limit * lower(best)) best = i;
  }
  return {std::move(tables[best]), median(taken[best])};
}

/// For graphs that run too long to be tried.
Timetable PlannedGraph::best_simulated(std::vector<Timetable> tables) {
  std::vector<double> simulated_ns;
  for (const Timetable& table : tables) {
    make(table, Queue::Times::none);
    simulated_ns.push_back(simulated(problem_, executable_->steps(), costs_, table).makespan_ns);
  }
  const auto best = std::ranges::min_element(simulated_ns) - simulated_ns.begin();
  return std::move(tables[static_cast<std::size_t>(best)]);
}

}  // namespace kiln::graph
