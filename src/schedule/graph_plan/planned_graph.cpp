#include "schedule/graph_plan/planned_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/clock.hpp"
#include "schedule/graph/policies.hpp"
#include "schedule/graph_steps/step_builder.hpp"
#include "store/key/canonical.hpp"

namespace kiln::graph {
namespace {

/// Two queues of a GPU are nearly as good as more.
constexpr std::uint32_t usual_queues = 2;

}  // namespace

PlannedGraph::PlannedGraph(const Runtime& runtime, WorkGraph work, const PlanOptions& options)
    : runtime_(runtime),
      work_(std::move(work)),
      options_(options),
      times_(runtime_.state().resolver()),
      whole_writes_(runtime_.state().resolver()),
      kept_timetables_(runtime_.state().resolver()) {
  problem_.graph = value_or_throw(work_.close());
  std::map<Bytes, std::uint32_t> kinds;
  for (Task task = 0; task < work_.tasks().size(); ++task) {
    const auto [found, is_new] = kinds.try_emplace(work_.tasks()[task].work->kind(),
                                                   static_cast<std::uint32_t>(of_kind_.size()));
    if (is_new) of_kind_.emplace_back();
    of_kind_[found->second].push_back(task);
    kind_of_.push_back(found->second);
  }
  devices_ = std::make_unique<GraphDevices>(
      runtime_, GraphDevices::Options{.lanes = options_.queues > 0 ? options_.queues : usual_queues,
                                      .as_if_apart = options_.as_if_apart,
                                      .is_first_apart = options_.is_first_apart,
                                      .as_if_foreign = options_.as_if_foreign});
  find_devices();
}

/// Which kinds can run where, of those devices that some task of them may have; their programs are
/// made meanwhile.
void PlannedGraph::find_devices() {
  const auto& all = devices_->all();
  for (const auto& entry : work_.tasks())
    if (entry.device != none && entry.device >= all.size())
      throw Error(Errc::bad_input, fmt::format("task {}: found device {}, expected one of {}",
                                               entry.label, entry.device, all.size()));
  can_run_.assign(of_kind_.size() * all.size(), false);
  for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) {
    const auto& entry = work_.tasks()[of_kind_[kind].front()];
    std::optional<Error> first;
    bool runs = false;
    for (std::uint32_t device = 0; device < all.size(); ++device) {
      const bool is_wanted = std::ranges::any_of(of_kind_[kind], [&](Task task) {
        return work_.tasks()[task].device == none || work_.tasks()[task].device == device;
      });
      if (!is_wanted) continue;
      try {
        if (!entry.work->runs_on_host())
          entry.work->prepare(devices_->resolver(),
                              all[device].queues(Queue::Times::none).lanes.front());
        can_run_[kind * all.size() + device] = runs = true;
      } catch (const Error& error) {
        // Another device may have what this one lacks.
        if (!first) first = error;
      }
    }
    if (!runs) throw Error(first->code(), "task " + entry.label + ": " + first->message());
  }
}

bool PlannedGraph::can_be_repeated() const {
  return work_.arrays().empty() && std::ranges::none_of(work_.tasks(), [](const auto& entry) {
           return entry.work->runs_on_host() || entry.work->keeps_data();
         });
}

/// False where times are missing; guesses stand there then.
bool PlannedGraph::fill_problem() {
  const auto& all = devices_->all();
  problem_.devices.clear();
  for (const auto& entry : all)
    problem_.devices.push_back({entry.device->name, entry.memory, entry.lanes, {}});
  const std::size_t memories = devices_->memories();
  problem_.links.assign(memories * memories, {});
  costs_.clear();
  for (const auto& entry : all) {
    if (all.size() == 1) {
      // Nothing is to be chosen, so nothing is measured: what is shown then is a guess.
      costs_.push_back({.launch_ns = 5000, .enqueue_ns = 2000});
      continue;
    }
    const auto links = times_.links(entry);
    const auto command = command_times(costs_.size());
    costs_.push_back({command.launch_ns, command.enqueue_ns, links.up, links.down, links.fill});
    if (entry.memory == 0) continue;
    problem_.links[entry.memory] = links.up;
    problem_.links[entry.memory * memories] = links.down;
  }
  // From one device's memory to another's, by way of the host's.
  for (std::size_t from = 1; from < memories; ++from)
    for (std::size_t to = 1; to < memories; ++to) {
      const Link &down = problem_.links[from * memories], &up = problem_.links[to];
      if (from != to)
        problem_.links[from * memories + to] = {down.latency_ns + up.latency_ns,
                                                down.ns_per_byte + up.ns_per_byte};
    }
  problem_.hand_over_ns = times_.hand_over_ns(*devices_);
  problem_.run_ns.assign(work_.tasks().size() * all.size(), never);
  bool all_known = true;
  for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) {
    const auto& work = *work_.tasks()[of_kind_[kind].front()].work;
    for (std::size_t device = 0; device < all.size(); ++device) {
      if (!can_run_[kind * all.size() + device]) continue;
      double ns = 0;
      if (!work.runs_on_host()) {
        const auto known = times_.of(work.kind(), *all[device].device);
        all_known &= known.has_value();
        ns = known.value_or(100000) + costs_[device].launch_ns;
      }
      for (const Task task : of_kind_[kind]) {
        const auto only = work_.tasks()[task].device;
        if (only == none || only == device) problem_.run_ns[task * all.size() + device] = ns;
      }
    }
  }
  for (std::size_t device = 0; device < all.size(); ++device) {
    const double slow_down = slow_down_of(device);
    // What two lanes have not gained, more of them will not.
    for (std::uint32_t lanes = 1; lanes <= all[device].lanes; ++lanes)
      problem_.devices[device].slow_down.push_back(
          std::max(1.0, slow_down * static_cast<double>(lanes) / 2));
  }
  fill_moves();
  value_or_throw(problem_.complete());
  return all_known;
}

/// How much longer tasks take with two lanes at work, as the mean over the time of all tasks; 2: a
/// second lane gains nothing. Where nothing is known, as if it doubled the device.
double PlannedGraph::slow_down_of(std::size_t device) {
  const auto& entry = devices_->all()[device];
  if (entry.lanes < 2) return 1;
  double sum = 0, all_ns = 0;
  for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) {
    const auto& work = *work_.tasks()[of_kind_[kind].front()].work;
    const auto factor = times_.slow_down(work.kind(), *entry.device);
    const auto known = times_.of(work.kind(), *entry.device);
    if (!factor || !known) continue;
    const double ns = *known * static_cast<double>(of_kind_[kind].size());
    sum += ns * *factor;
    all_ns += ns;
  }
  return all_ns > 0 ? sum / all_ns : 1;
}

void PlannedGraph::fill_moves() {
  problem_.moves.clear();
  if (devices_->memories() == 1) return;
  const auto& all = devices_->all();
  problem_.moves.resize(problem_.run_ns.size());
  const auto& values = work_.values();
  for (Task task = 0; task < work_.tasks().size(); ++task) {
    const auto& entry = work_.tasks()[task];
    double inputs = 0, new_inputs = 0, results = 0;
    for (std::size_t use = 0; use < entry.reads.size(); ++use) {
      const auto bytes = static_cast<double>(entry.work->uses()[use].bytes);
      const ValueId read = entry.reads[use];
      const auto earlier = std::span(entry.reads).first(use);
      const bool is_first_use = std::ranges::find(earlier, read) == earlier.end();
      if (read != none && values[read].input != nullptr && is_first_use) {
        inputs += bytes;
        if (values[read].readers.front() == task) new_inputs += bytes;
      }
      const ValueId written = entry.writes[use];
      if (written == none || !values[written].is_result || values[written].array != none) continue;
      WorkGraph::for_each_producer(values[written], [&](Task producer, std::size_t made) {
        if (producer == task) results += static_cast<double>(made);
      });
    }
    for (std::size_t device = 0; device < all.size(); ++device)
      if (all[device].memory != 0)
        problem_.moves[task * all.size() + device] = {
            costs_[device].up.time_ns(inputs), costs_[device].down.time_ns(results),
            // Many transfers in a row hide one another's latency.
            costs_[device].up.ns_per_byte * new_inputs, costs_[device].down.ns_per_byte * results};
  }
}

/// Devices for a run that shows what is not known yet: two tasks of a kind where its time is
/// missing, all others on the first device that can.
std::vector<std::uint32_t> PlannedGraph::exploring_devices() {
  const std::size_t devices = devices_->all().size();
  std::vector<std::uint32_t> device_of(work_.tasks().size());
  for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) {
    std::vector<std::uint32_t> lacking;
    std::uint32_t first = none;
    const auto& work = *work_.tasks()[of_kind_[kind].front()].work;
    for (std::uint32_t device = 0; device < devices; ++device) {
      if (!can_run_[kind * devices + device]) continue;
      if (first == none) first = device;
      if (!work.runs_on_host() && !times_.of(work.kind(), *devices_->all()[device].device))
        lacking.push_back(device);
    }
    std::size_t next = 0;
    for (const Task task : of_kind_[kind]) {
      device_of[task] = work_.tasks()[task].device;
      if (device_of[task] != none) continue;
      device_of[task] = next / 2 < lacking.size() ? lacking[next / 2] : first;
      ++next;
    }
  }
  return device_of;
}

StepOptions PlannedGraph::step_options(Queue::Times times) {
  return {.memory_limit = options_.memory_limit,
          .times = times,
          .lane_transfer_bytes = options_.lane_transfer_bytes,
          .whole_writes = &whole_writes_};
}

void PlannedGraph::make(Timetable timetable, Queue::Times times) {
  executable_.reset();
  queues_take_ = times;
  report_.timetable = std::move(timetable);
  executable_ = std::make_unique<Executable>(
      work_, build_steps(work_, problem_.graph, report_.timetable, *devices_, step_options(times)));
}

const PlanReport& PlannedGraph::plan(Explore explore) {
  bool known = fill_problem();
  if (explore == Explore::yes && can_be_repeated()) find_by_second_runs();
  // Where there is nothing to choose, times say nothing.
  const bool has_choice = devices_->all().size() > 1;
  while (!known && has_choice && explore == Explore::yes && can_be_repeated() &&
         exploring_runs_ < 8) {
    const Timetable table = on_devices(problem_, exploring_devices());
    make(table, Queue::Times::none);
    // The first run of a process pays for more than its work.
    executable_->run(trial());
    make(table, Queue::Times::taken);
    RunOrder timed = trial();
    timed.takes_times = true;
    for (int run = 0; run < 3; ++run) {
      executable_->run(timed);
      learn();
    }
    ++exploring_runs_;
    known = fill_problem();
  }
  if (known && has_choice && explore == Explore::yes && can_be_repeated()) {
    calibrate();
    fill_problem();
  }
  times_.save();
  report_ = {};
  report_.times_are_known = known;
  explores_ = !known && has_choice;
  report_.policy = options_.policy;
  if (explores_) {
    make(on_devices(problem_, exploring_devices()), Queue::Times::taken);
    return report_;
  }
  auto planned = planned_timetable(has_choice && explore == Explore::yes && can_be_repeated());
  make(std::move(planned.timetable), Queue::Times::none);
  simulate(planned.tried_ns);
  return report_;
}

/// The policy's timetable; `may_try`: it may be run to see whether it is good.
KeptTimetables::Kept PlannedGraph::planned_timetable(bool may_try) {
  std::vector<std::uint32_t> cluster_of;
  for (const auto& entry : work_.tasks()) cluster_of.push_back(entry.cluster);
  if (options_.policy != Policy::automatic)
    return {timetable_by(problem_, options_.policy, options_.device, cluster_of)};
  kept_as_ = KeptTimetables::identity_of(problem_, plan_identity(may_try));
  if (auto kept = kept_timetables_.find(kept_as_, problem_)) {
    report_.is_kept = true;
    return *std::move(kept);
  }
  std::vector<Timetable> tables{
      timetable_by(problem_, options_.policy, options_.device, cluster_of)};
  // Several lanes help little where a task fills its device, and then they cost waits.
  const bool has_lanes = problem_.lanes() > problem_.devices.size();
  // And a device by itself has no other one to wait for, by way of the host.
  if (has_lanes && problem_.devices.size() > 1)
    tables.push_back(timetable_by(problem_, Policy::one_device, no_device, {}));
  if (has_lanes && options_.queues == 0)
    tables.push_back(timetable_by(with_one_lane(), options_.policy, options_.device, cluster_of));
  // Parts that share nothing, each on one device, hand nothing over.
  const auto part_of = problem_.graph.components();
  const std::size_t parts = part_of.empty() ? 0 : std::ranges::max(part_of) + 1;
  if (may_try && parts > 1 && parts < problem_.graph.size())
    tables.push_back(timetable_by(problem_, Policy::cluster, no_device, part_of));
  std::ranges::stable_sort(tables, {}, &Timetable::makespan_ns);
  KeptTimetables::Kept made;
  if (may_try)
    made = fastest_of(std::move(tables));
  else
    made.timetable = std::move(tables.front());
  kept_timetables_.keep(kept_as_, problem_, made);
  return made;
}

/// What decides, besides the times, which timetable is best: trials show more than times say.
Bytes PlannedGraph::plan_identity(bool may_try) {
  CanonicalWriter writer("graph plan", 1);
  writer.integer("tried", may_try ? 1 : 0)
      .integer("memory limit", static_cast<std::int64_t>(options_.memory_limit))
      .bytes("kinds", kinds());
  for (const auto& entry : devices_->all()) writer.text("device", entry.device->speed_identity());
  return writer.view();
}

const Bytes& PlannedGraph::kinds() {
  if (!kinds_.empty()) return kinds_;
  Blake2b all;
  for (const auto& entry : work_.tasks()) {
    all.update(entry.work->kind());
    all.update(std::as_bytes(std::span(&entry.device, 1)));
  }
  CanonicalWriter writer("graph kinds", 1);
  return kinds_ = writer.digest("kinds", all.finish()).view();
}

TaskTimes::CommandTimes PlannedGraph::command_times(std::size_t device) {
  const auto& entry = devices_->all()[device];
  const auto shown = times_.command_times(kinds(), *entry.device);
  return shown ? *shown : times_.command_times(entry);
}

/// The times that the commands of the timetable will take, as far as that is known. Where it was
/// tried, all of them are stretched to what the runs took.
void PlannedGraph::simulate(double tried_ns) {
  Timetable& table = report_.timetable;
  table = simulated(problem_, executable_->steps(), costs_, table);
  report_.simulated_ns = table.makespan_ns;
  if (tried_ns <= 0 || table.makespan_ns <= 0) return;
  const double factor = tried_ns / table.makespan_ns;
  for (auto& entry : table.tasks) {
    entry.start_ns *= factor;
    entry.end_ns *= factor;
  }
  table.makespan_ns = tried_ns;
}

void PlannedGraph::learn() {
  const auto& taken = executable_->task_ns();
  const auto& table = report_.timetable;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> samples;
  for (Task task = 0; task < taken.size(); ++task)
    if (taken[task] > 0 && !work_.tasks()[task].work->runs_on_host())
      samples[{kind_of_[task], table.tasks[task].device}].push_back(
          static_cast<double>(taken[task]));
  for (auto& [where, ns] : samples)
    times_.learn(work_.tasks()[of_kind_[where.first].front()].work->kind(),
                 *devices_->all()[where.second].device, std::move(ns),
                 work_.tasks()[of_kind_[where.first].front()].work->name());
}

void PlannedGraph::run(const RunOrder& order) {
  if (!executable_)
    plan(Explore::yes);
  else if (explores_ && learnt_runs_ > 0)
    plan(Explore::no);  // not before: the results of the run before were still in use
  RunOrder asked = order;
  asked.takes_times |= asked.trace != nullptr || explores_;
  // Queues that take times are slower, so there are others for runs that want none.
  const auto times = asked.takes_times ? Queue::Times::taken : Queue::Times::none;
  if (times != queues_take_) make(std::move(report_.timetable), times);
  executable_->run(asked);
  if (!asked.takes_times) return;
  learn();
  times_.save();
  ++learnt_runs_;
}

}  // namespace kiln::graph
