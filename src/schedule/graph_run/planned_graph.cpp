#include "schedule/graph_run/planned_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "schedule/graph/improve.hpp"
#include "schedule/graph/policies.hpp"
#include "schedule/graph_run/step_builder.hpp"

namespace kiln::graph {
namespace {

constexpr std::array<std::pair<Policy, const char*>, 7> policy_names{
    {{Policy::automatic, "auto"},
     {Policy::heft, "heft"},
     {Policy::peft, "peft"},
     {Policy::lookahead, "lookahead"},
     {Policy::cluster, "cluster"},
     {Policy::eager, "eager"},
     {Policy::one_device, "one-device"}}};

/// Two queues of a GPU are nearly as good as more.
constexpr std::uint32_t usual_queues = 2;

}  // namespace

const char* name_of(Policy policy) {
  for (const auto& [value, name] : policy_names)
    if (value == policy) return name;
  return "";
}

Expected<Policy> parse_policy(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& [value, name] : policy_names) {
    if (text == name) return value;
    names.emplace_back(name);
  }
  return fail(Errc::bad_input,
              fmt::format("found the policy {}, expected one of {}", text, fmt::join(names, ", ")));
}

PlannedGraph::PlannedGraph(const Runtime& runtime, WorkGraph work, const PlanOptions& options)
    : runtime_(runtime),
      work_(std::move(work)),
      options_(options),
      times_(runtime_.state().resolver()) {
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
                                      .as_if_foreign = options_.as_if_foreign});
  find_devices();
}

/// Which kinds can run where; their programs are made meanwhile.
void PlannedGraph::find_devices() {
  const auto& all = devices_->all();
  can_run_.assign(of_kind_.size() * all.size(), true);
  for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) {
    const auto& entry = work_.tasks()[of_kind_[kind].front()];
    if (entry.work->runs_on_host()) continue;
    std::optional<Error> first;
    bool runs = false;
    for (std::size_t device = 0; device < all.size(); ++device) {
      if (entry.device != none && entry.device != device) continue;
      try {
        entry.work->prepare(devices_->resolver(), all[device].lanes.front());
        runs = true;
      } catch (const Error& error) {
        // Another device may have what this one lacks.
        if (!first) first = error;
        can_run_[kind * all.size() + device] = false;
      }
    }
    if (!runs) throw Error(first->code(), "task " + entry.label + ": " + first->message());
  }
}

bool PlannedGraph::can_be_repeated() const {
  return work_.arrays().empty() && std::ranges::none_of(work_.tasks(), [](const auto& entry) {
           return entry.work->runs_on_host();
         });
}

/// False where times are missing; guesses stand there then.
bool PlannedGraph::fill_problem() {
  const auto& all = devices_->all();
  problem_.devices.clear();
  for (const auto& entry : all)
    problem_.devices.push_back(
        {entry.device->name, entry.memory, static_cast<std::uint32_t>(entry.lanes.size()), {}});
  const std::size_t memories = devices_->memories();
  problem_.links.assign(memories * memories, {});
  for (const auto& entry : all) {
    if (entry.memory == 0) continue;
    const auto links = times_.links(entry);
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
        ns = known.value_or(100000) + times_.launch_ns(*all[device].device);
      }
      for (const Task task : of_kind_[kind]) {
        const auto only = work_.tasks()[task].device;
        if (only == none || only == device) problem_.run_ns[task * all.size() + device] = ns;
      }
    }
  }
  for (Task task = 0; task < work_.tasks().size(); ++task)
    if (work_.tasks()[task].device != none && work_.tasks()[task].device >= all.size())
      throw Error(Errc::bad_input,
                  fmt::format("task {}: found device {}, expected one of {}",
                              work_.tasks()[task].label, work_.tasks()[task].device, all.size()));
  value_or_throw(problem_.complete());
  return all_known;
}

/// Devices for a run that shows what is not known yet: two tasks of a kind where its time is
/// missing, all others on the first device that can.
std::vector<std::uint32_t> PlannedGraph::exploring_devices() const {
  const std::size_t devices = devices_->all().size();
  std::vector<std::uint32_t> device_of(work_.tasks().size());
  auto& times = const_cast<TaskTimes&>(times_);
  for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) {
    std::vector<std::uint32_t> lacking;
    std::uint32_t first = none;
    const auto& work = *work_.tasks()[of_kind_[kind].front()].work;
    for (std::uint32_t device = 0; device < devices; ++device) {
      if (!can_run_[kind * devices + device]) continue;
      if (first == none) first = device;
      if (!work.runs_on_host() && !times.of(work.kind(), *devices_->all()[device].device))
        lacking.push_back(device);
    }
    std::size_t next = 0;
    for (const Task task : of_kind_[kind]) {
      const auto only = work_.tasks()[task].device;
      const bool explores = next / 2 < lacking.size();
      device_of[task] = only != none ? only : explores ? lacking[next / 2] : first;
      ++next;
    }
  }
  return device_of;
}

void PlannedGraph::make(Timetable timetable) {
  executable_.reset();
  report_.timetable = std::move(timetable);
  executable_ = std::make_unique<Executable>(
      work_, build_steps(work_, problem_.graph, report_.timetable, *devices_,
                         {.memory_limit = options_.memory_limit}));
}

Timetable PlannedGraph::timetable_for(Policy policy) {
  switch (policy) {
    case Policy::heft:
      return heft(problem_);
    case Policy::peft:
      return peft(problem_);
    case Policy::lookahead:
      return lookahead(problem_);
    case Policy::eager:
      return eager(problem_);
    case Policy::cluster: {
      const bool has_own = std::ranges::any_of(
          work_.tasks(), [](const auto& entry) { return entry.cluster != none; });
      if (!has_own) return clusters(problem_, linear_clusters(problem_));
      std::map<std::uint32_t, std::uint32_t> number;
      std::vector<std::uint32_t> cluster_of;
      std::uint32_t next = 0;
      for (const auto& entry : work_.tasks())
        cluster_of.push_back(entry.cluster == none ? next++
                             : number.try_emplace(entry.cluster, 0).second
                                 ? number[entry.cluster] = next++
                                 : number[entry.cluster]);
      return clusters(problem_, cluster_of);
    }
    case Policy::one_device: {
      if (options_.device != none) return one_device(problem_, options_.device);
      Timetable best;
      best.makespan_ns = never;
      for (std::size_t device = 0; device < problem_.devices.size(); ++device)
        if (Timetable table = one_device(problem_, device); table.makespan_ns < best.makespan_ns)
          best = std::move(table);
      return best;
    }
    case Policy::automatic:
      break;
  }
  return best_timetable(problem_, SearchEffort::usual(problem_.graph.size()));
}

const PlanReport& PlannedGraph::plan(Explore explore) {
  bool known = fill_problem();
  // Where there is nothing to choose, times say nothing.
  const bool has_choice = devices_->all().size() > 1;
  while (!known && has_choice && explore == Explore::yes && can_be_repeated() &&
         exploring_runs_ < 8) {
    make(on_devices(problem_, exploring_devices()));
    // The first run of a process pays for more than its work.
    executable_->run({});
    executable_->run({.takes_times = true});
    learn();
    ++exploring_runs_;
    known = fill_problem();
  }
  times_.save();
  report_ = {};
  report_.times_are_known = known || !has_choice;
  report_.policy = options_.policy;
  if (!report_.times_are_known) {
    make(on_devices(problem_, exploring_devices()));
    return report_;
  }
  make(timetable_for(options_.policy));
  return report_;
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
  else if (!report_.times_are_known && learnt_runs_ > 0)
    plan(Explore::no);  // not before: the results of the run before were still in use
  RunOrder asked = order;
  asked.takes_times |= !report_.times_are_known;
  executable_->run(asked);
  if (!asked.takes_times) return;
  learn();
  times_.save();
  ++learnt_runs_;
}

}  // namespace kiln::graph
