#include "schedule/graph_run/step_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "schedule/graph_run/memory_table.hpp"
#include "schedule/graph_run/residency.hpp"

namespace kiln::graph {
namespace {

using Users = Arena::Users;

class Builder {
 public:
  Builder(const WorkGraph& work, const Timetable& timetable, const GraphDevices& devices,
          const StepOptions& options)
      : work_(work),
        timetable_(timetable),
        devices_(devices),
        whole_writes_(options.whole_writes),
        residency_(work, devices, options.memory_limit),
        table_(work, devices) {
    for (std::uint32_t device = 0; device < devices.all().size(); ++device) {
      const auto& entry = devices.all()[device];
      const auto& [lanes, transfers] = entry.queues(options.times);
      first_lane_.push_back(static_cast<std::uint32_t>(steps_.queues.size()));
      const auto name = [&](const std::string& what) {
        return fmt::format("device {}: {}{}", device, entry.device->name, what);
      };
      for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        steps_.queues.push_back(
            {lanes[lane], device, name(lanes.size() > 1 ? fmt::format(", queue {}", lane) : "")});
      first_transfer_.push_back(static_cast<std::uint32_t>(steps_.queues.size()));
      const char* const directions[] = {", to the device", ", to the host"};
      for (std::size_t i = 0; i < transfers.size(); ++i)
        steps_.queues.push_back({transfers[i], device, name(directions[i])});
    }
    host_ = static_cast<std::uint32_t>(steps_.queues.size());
    known_.assign(host_ + 1, Users(host_ + 1));
    remaining_.resize(work.values().size());
    remaining_in_.resize(work.values().size() * devices.memories());
    for (ValueId value = 0; value < remaining_.size(); ++value) {
      const auto& readers = work.values()[value].readers;
      remaining_[value] = static_cast<std::uint32_t>(readers.size());
      for (const Task reader : readers) ++remaining_in(value, memory_of(reader));
    }
    position_.resize(work.tasks().size());
    step_of_.resize(work.tasks().size());
    steps_.written_on.assign(work.arrays().size(), none);
    steps_.result_of.resize(work.values().size());
    for (ValueId value = 0; value < work.values().size(); ++value)
      steps_.result_of[value] = work.values()[value].is_result ? residency_.result_of(value) : none;
  }

  Steps build(const TaskGraph& graph) {
    const auto order = timetable_.order(graph);
    for (std::uint32_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    for (const Task task : order) add_task(graph, task);
    table_.make(steps_, residency_);
    for (std::uint32_t memory = 0; memory < devices_.memories(); ++memory) {
      std::size_t peak = 0;
      for (const Arena& arena : residency_.arenas()[memory]) peak += arena.size();
      steps_.peak_bytes.push_back(peak);
    }
    return std::move(steps_);
  }

 private:
  std::uint32_t memory_of(Task task) const {
    if (work_.tasks()[task].work->runs_on_host()) return 0;
    return devices_.all()[timetable_.tasks[task].device].memory;
  }
  std::uint32_t& remaining_in(ValueId value, std::uint32_t memory) {
    return remaining_in_[value * devices_.memories() + memory];
  }
  const ContextPtr& context_of(std::uint32_t queue) const {
    return steps_.queues[queue].queue.context();
  }

  /// Adds a step behind `after` (by queue, steps; 0: none). Result: its number, from 1 on.
  std::uint32_t add(Step step, Users after) {
    const std::uint32_t queue = step.queue;
    after.resize(host_ + 1);
    std::vector<std::uint32_t> slots;
    // The latest first: what it came after is known then.
    for (;;) {
      std::uint32_t latest = 0;
      for (std::uint32_t other = 0; other <= host_; ++other)
        if (other != queue && after[other] > known_[queue][other])
          latest = std::max(latest, after[other]);
      if (latest == 0) break;
      slots.push_back(slot_for(latest, queue));
      learn(queue, latest);
    }
    step.first_wait = static_cast<std::uint32_t>(steps_.waits.size());
    step.waits = static_cast<std::uint32_t>(slots.size());
    steps_.waits.insert(steps_.waits.end(), slots.begin(), slots.end());
    steps_.all.push_back(step);
    const auto number = static_cast<std::uint32_t>(steps_.all.size());
    known_[queue][queue] = number;
    known_at_.push_back(known_[queue]);
    return number;
  }

  void learn(std::uint32_t queue, std::uint32_t step) {
    Arena::join(known_[queue], known_at_[step - 1]);
  }

  /// The event slot by which a queue waits for a step. Where that is of another context, `latest`
  /// becomes the step of the host that hands it on.
  std::uint32_t slot_for(std::uint32_t& latest, std::uint32_t queue) {
    Step* step = &steps_.all[latest - 1];
    const bool is_foreign =
        step->queue == host_ || (queue != host_ && context_of(step->queue) != context_of(queue));
    if (!is_foreign) {
      if (step->signal == none) step->signal = steps_.slots++;
      return step->signal;
    }
    if (step->queue != host_) {
      // The host waits for it, and tells the other context.
      Users after(host_ + 1);
      after[step->queue] = latest;
      Step bridge;
      bridge.kind = Step::Kind::host;
      bridge.queue = host_;
      latest = add(bridge, after);
    }
    const ContextPtr& context = context_of(queue);
    for (const UserEvent& event : steps_.user_events)
      if (event.step == latest - 1 && event.context == context) return event.slot;
    steps_.user_events.push_back({steps_.slots++, latest - 1, context});
    return steps_.user_events.back().slot;
  }

  void join_step(Users& to, std::uint32_t step) const {
    if (step == 0) return;
    const std::uint32_t queue = steps_.all[step - 1].queue;
    if (to.size() <= queue) to.resize(host_ + 1);
    to[queue] = std::max(to[queue], step);
  }

  std::uint32_t queue_of_transfer(std::uint32_t memory, bool up) const {
    for (std::uint32_t device = 0; device < devices_.all().size(); ++device)
      if (devices_.all()[device].memory == memory) return first_transfer_[device] + (up ? 0 : 1);
    throw Error(Errc::internal, "a memory without a device");
  }

  /// Makes a value's copy in a memory current.
  void bring(Task task, ValueId value, std::uint32_t memory) {
    if (residency_.is_current(value, memory)) return;
    if (memory != 0 && !residency_.is_current(value, 0)) bring(task, value, 0);
    const bool up = memory != 0;
    const std::uint32_t device_memory = up ? memory : residency_.source_of(value);
    const std::uint32_t queue = queue_of_transfer(device_memory, up);
    Users after = place(task, value, memory, queue);
    const std::uint32_t from = up ? 0 : device_memory;
    join_step(after, residency_.ready(value, from));
    Step step;
    step.kind = up ? Step::Kind::upload : Step::Kind::download;
    step.queue = queue;
    step.value = value;
    step.bytes = work_.values()[value].bytes;
    const std::uint32_t device = steps_.queues[step.queue].device;
    step.first_memory = table_.buffer(steps_, residency_.place(value, device_memory), device);
    step.host_memory = table_.host(steps_, residency_.place(value, 0));
    const std::uint32_t number = add(step, std::move(after));
    residency_.note_use(value, from, step.queue, number);
    residency_.note_use(value, memory, step.queue, number);
    residency_.set_current(value, memory, number);
    (up ? steps_.bytes_up : steps_.bytes_down) += step.bytes;
  }

  /// Memory for a value, for which others may have to go.
  Users place(Task task, ValueId value, std::uint32_t memory, std::uint32_t queue) {
    for (;;) {
      if (auto users = residency_.give_place(value, memory, queue, known_[queue]))
        return *std::move(users);
      if (!put_aside(task, memory))
        throw Error(Errc::device,
                    fmt::format("task {}: its memory does not fit {}", work_.tasks()[task].label,
                                memory == 0 ? "the host" : device_name(memory)));
    }
  }
  std::string device_name(std::uint32_t memory) const {
    for (const auto& entry : devices_.all())
      if (entry.memory == memory) return entry.device->name;
    return "the device";
  }

  /// Puts the value that is needed last from a memory to the host's. False: there is none.
  bool put_aside(Task task, std::uint32_t memory) {
    if (memory == 0) return false;
    const auto& entry = work_.tasks()[task];
    ValueId chosen = none;
    std::uint32_t latest = 0;
    for (const ValueId value : residency_.residents(memory)) {
      if (std::ranges::count(entry.reads, value) + std::ranges::count(entry.writes, value) > 0)
        continue;
      std::uint32_t next = none;
      for (const Task reader : work_.values()[value].readers)
        if (position_[reader] > position_[task]) next = std::min(next, position_[reader]);
      if (chosen == none || next > latest || (next == latest && value < chosen)) {
        chosen = value;
        latest = next;
      }
    }
    if (chosen == none) return false;
    if (residency_.source_of(chosen) == memory) bring(task, chosen, 0);
    residency_.drop_copy(chosen, memory);
    return true;
  }

  std::uint32_t runner_of(const WorkPtr& work, std::uint32_t queue) {
    auto& runners = runner_of_[queue];
    const auto [found, is_new] = runners.try_emplace(work->kind(), 0);
    if (is_new) {
      steps_.runners.push_back(work->prepare(devices_.resolver(), steps_.queues[queue].queue));
      found->second = static_cast<std::uint32_t>(steps_.runners.size() - 1);
    }
    return found->second;
  }

  void add_task(const TaskGraph& graph, Task task) {
    const auto& entry = work_.tasks()[task];
    const bool on_host = entry.work->runs_on_host();
    const auto& where = timetable_.tasks[task];
    const std::uint32_t device = where.device;
    const std::uint32_t queue = on_host ? host_ : first_lane_[device] + where.lane;
    const std::uint32_t memory = memory_of(task);
    Users after(host_ + 1);
    for (const auto& before : graph.predecessors(task))
      if (before.bytes == 0) join_step(after, step_of_[before.task]);
    for (const ValueId value : entry.reads) {
      if (value == none) continue;
      bring(task, value, memory);
      join_step(after, residency_.ready(value, memory));
    }
    for (std::size_t use = 0; use < entry.writes.size(); ++use)
      if (entry.writes[use] != none) prepare_output(task, use, queue, device, memory, after);
    Step step;
    step.kind = on_host ? Step::Kind::host : Step::Kind::run;
    step.queue = queue;
    step.task = task;
    step.first_memory = static_cast<std::uint32_t>(steps_.memory.size());
    step.host_memory = static_cast<std::uint32_t>(steps_.host_memory.size());
    for (std::size_t use = 0; use < entry.reads.size(); ++use) {
      const ValueId value = entry.writes[use] != none ? entry.writes[use] : entry.reads[use];
      if (on_host)
        table_.host(steps_, residency_.place(value, 0));
      else
        table_.buffer(steps_, residency_.place(value, memory), device);
    }
    if (!on_host) step.runner = runner_of(entry.work, queue);
    const std::uint32_t number = add(step, std::move(after));
    step_of_[task] = number;
    for (std::size_t use = 0; use < entry.reads.size(); ++use) {
      if (entry.reads[use] != none && entry.writes[use] == none)
        residency_.note_use(entry.reads[use], memory, queue, number);
      if (entry.writes[use] == none) continue;
      residency_.note_use(entry.writes[use], memory, queue, number);
      residency_.set_current(entry.writes[use], memory, number);
      if (const auto array = work_.values()[entry.writes[use]].array; array != none)
        steps_.written_on[array] = on_host ? written_by_host : device;
    }
    finish_task(task);
  }

  bool is_written_whole(const Work& work, std::size_t use) const {
    return whole_writes_ != nullptr && whole_writes_->hold(work, use);
  }

  /// Memory for what a task writes, with what has to be in it.
  void prepare_output(Task task, std::size_t use, std::uint32_t queue, std::uint32_t device,
                      std::uint32_t memory, Users& after) {
    const auto& entry = work_.tasks()[task];
    const ValueId value = entry.writes[use], base = entry.reads[use];
    if (work_.values()[value].is_in_place) {
      Arena::join(after, residency_.take_over(value, memory));
      return;
    }
    Users users = place(task, value, memory, queue);
    const bool on_host = entry.work->runs_on_host();
    if (base == none && (on_host || is_written_whole(*entry.work, use))) {
      Arena::join(after, users);
      return;
    }
    Step step;
    step.queue = on_host ? host_ : queue;
    step.task = task;
    step.value = value;
    step.bytes = work_.values()[value].bytes;
    if (base != none) join_step(users, residency_.ready(base, memory));
    step.kind = base != none ? Step::Kind::copy : Step::Kind::fill;
    if (on_host) {
      step.host_memory = table_.host(steps_, residency_.place(base, 0));
      table_.host(steps_, residency_.place(value, 0));
    } else {
      step.first_memory = static_cast<std::uint32_t>(steps_.memory.size());
      if (base != none) table_.buffer(steps_, residency_.place(base, memory), device);
      table_.buffer(steps_, residency_.place(value, memory), device);
    }
    const std::uint32_t number = add(step, std::move(users));
    if (base != none) residency_.note_use(base, memory, step.queue, number);
    residency_.note_use(value, memory, step.queue, number);
    join_step(after, number);
  }

  void finish_task(Task task) {
    const auto& entry = work_.tasks()[task];
    const std::uint32_t memory = memory_of(task);
    for (std::size_t use = 0; use < entry.reads.size(); ++use) {
      const ValueId written = entry.writes[use];
      if (written != none) {
        if (work_.values()[written].is_result && work_.values()[written].array == none)
          bring(task, written, 0);
        if (remaining_[written] == 0)
          drop(written);
        else if (remaining_in(written, memory) == 0)
          move_out(task, written, memory);
      }
      const ValueId read = entry.reads[use];
      if (read == none) continue;
      --remaining_in(read, memory);
      if (--remaining_[read] == 0)
        drop(read);
      else if (remaining_in(read, memory) == 0)
        move_out(task, read, memory);
    }
  }
  /// What only other memories' tasks still need does not stay in a device's.
  void move_out(Task task, ValueId value, std::uint32_t memory) {
    if (memory == 0 || work_.values()[value].array != none) return;
    bring(task, value, 0);
    residency_.drop_copy(value, memory);
  }
  void drop(ValueId value) {
    const Value& entry = work_.values()[value];
    if (entry.array == none && entry.input == nullptr) residency_.drop(value);
    // Copies of an input on devices.
    if (entry.input != nullptr)
      for (std::uint32_t memory = 1; memory < devices_.memories(); ++memory)
        residency_.drop_copy(value, memory);
  }

  const WorkGraph& work_;
  const Timetable& timetable_;
  const GraphDevices& devices_;
  WholeWrites* whole_writes_;
  Steps steps_;
  Residency residency_;
  MemoryTable table_;
  std::uint32_t host_ = 0;  ///< the number of what the host does itself, as if it were a queue
  std::vector<std::uint32_t> first_lane_, first_transfer_;
  std::vector<Users> known_;  ///< by queue: of each other queue the last step that it comes after
  std::vector<Users> known_at_;  ///< the same, by step
  std::vector<std::uint32_t> remaining_, position_;
  std::vector<std::uint32_t> remaining_in_;  ///< readers to come, by value and memory
  std::vector<std::uint32_t> step_of_;       ///< by task
  std::map<std::uint32_t, std::map<Bytes, std::uint32_t>> runner_of_;
};

}  // namespace

Steps build_steps(const WorkGraph& work, const TaskGraph& graph, const Timetable& timetable,
                  const GraphDevices& devices, const StepOptions& options) {
  return Builder(work, timetable, devices, options).build(graph);
}

}  // namespace kiln::graph
