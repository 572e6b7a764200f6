#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedule/graph/policy.hpp"
#include "schedule/graph_findings/part_trials.hpp"
#include "schedule/graph_findings/task_times.hpp"
#include "schedule/graph_plan/kept_timetables.hpp"
#include "schedule/graph_plan/simulate.hpp"
#include "schedule/graph_run/executable.hpp"
#include "schedule/graph_steps/step_builder.hpp"
#include "schedule/graph_work/whole_writes.hpp"

namespace kiln::graph {

struct PlanOptions {
  Policy policy = Policy::automatic;
  std::uint32_t device = none;   ///< of one_device; none: the best one
  std::uint32_t queues = 0;      ///< of each device with memory of its own; 0: two
  std::size_t memory_limit = 0;  ///< bytes of each such device; 0: all
  bool may_cut = true;           ///< the automatic policy may cut tasks into parts
  /// Of runs that find something out: see RunOrder.
  std::chrono::nanoseconds timeout{0};
  std::function<bool()> stop = {};
  /// See GraphDevices::Options.
  bool as_if_apart = false, is_first_apart = false, as_if_foreign = false;
  std::size_t lane_transfer_bytes = StepOptions().lane_transfer_bytes;
};

/// What was planned, and why.
struct PlanReport {
  Policy policy = Policy::automatic;  ///< whose timetable it is
  Timetable timetable;           ///< with times as simulated, or, where it was tried, as that took
  double simulated_ns = 0;       ///< the makespan without what trials have shown
  bool times_are_known = false;  ///< else the timetable is one for finding them
  bool is_kept = false;          ///< the timetable is one of an earlier plan, from the store
};

/// A graph with all that its runs need: times, a timetable, commands. Until the time of every kind
/// of task is known on every device, runs are made so that it becomes known; they are right, too.
/// One thread at a time.
class PlannedGraph {
 public:
  /// Throws kiln::Error: bad_input for a cycle, what programs and devices fail with.
  PlannedGraph(const Runtime& runtime, WorkGraph work, const PlanOptions& options);

  /// Plans with what is known. With `Explore::yes`, and where runs change nothing but the graph's
  /// own data, runs it as often as is needed to know all times first.
  enum class Explore : std::uint8_t { yes, no };
  const PlanReport& plan(Explore explore);
  void run(const RunOrder& order);

  /// The graph with tasks in parts, one a device, during which other devices have nothing to do;
  /// nothing where that promises little, or where runs are not to be tried. Of the automatic
  /// policy.
  std::optional<WorkGraph> in_parts();
  /// Whether this graph takes less time than another one that does the same: by runs of both in
  /// turns, or what such runs have shown before, or else what is planned.
  bool is_faster_than(PlannedGraph& other);

  const WorkGraph& work() const { return work_; }
  const TaskGraph& graph() const { return problem_.graph; }
  const Problem& problem() const { return problem_; }
  const PlanReport& report() const { return report_; }
  const GraphDevices& devices() const { return *devices_; }
  const Executable& executable() const { return *executable_; }
  int exploring_runs() const { return exploring_runs_; }

 private:
  /// More devices or more tasks have to gain so much: what they gain less is gone when the machine
  /// is busy.
  static constexpr double worth_it = 0.97;
  RunOrder trial() const;
  void find_devices();
  void find_by_second_runs();
  double slow_down_of(std::size_t device);
  bool fill_problem();
  void fill_moves();
  bool can_be_repeated() const;
  KeptTimetables::Kept planned_timetable(bool may_try);
  Bytes plan_identity(bool may_try);
  const Bytes& kinds();
  std::vector<std::vector<double>> weights_in_parts();
  bool try_parts(PartTrials& trials);
  KeptTimetables::Kept fastest_of(std::vector<Timetable> tables);
  Timetable best_simulated(std::vector<Timetable> tables);
  Problem with_one_lane() const;
  double median_run_ns(std::vector<double>& enqueued);
  std::vector<std::uint32_t> exploring_devices();
  StepOptions step_options(Queue::Times times);
  void make(Timetable timetable, Queue::Times times);
  void learn();
  void calibrate();
  TaskTimes::CommandTimes command_times(std::size_t device);
  void simulate(double tried_ns);

  Runtime runtime_;
  WorkGraph work_;
  PlanOptions options_;
  std::unique_ptr<GraphDevices> devices_;
  TaskTimes times_;
  WholeWrites whole_writes_;
  KeptTimetables kept_timetables_;
  Problem problem_;
  std::vector<CommandCosts> costs_;     ///< by device
  std::vector<std::uint32_t> kind_of_;  ///< by task
  std::vector<std::vector<Task>> of_kind_;
  Bytes kinds_;                ///< a digest of all tasks' kinds
  std::vector<char> can_run_;  ///< kind * devices + device
  PlanReport report_;
  std::unique_ptr<Executable> executable_;
  Queue::Times queues_take_ = Queue::Times::none;  ///< of executable_
  Bytes kept_as_;          ///< what the timetable is kept by; empty: it is not
  bool explores_ = false;  ///< the next runs are for finding times
  int exploring_runs_ = 0, learnt_runs_ = 0;
};

/// A graph, planned. Where the policy is automatic, large tasks are cut into parts where that makes
/// it faster. Throws what PlannedGraph and its runs do.
std::unique_ptr<PlannedGraph> plan_graph(const Runtime& runtime, WorkGraph work,
                                         const PlanOptions& options);

}  // namespace kiln::graph
