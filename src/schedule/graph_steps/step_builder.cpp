#include "schedule/graph_steps/step_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "schedule/graph_steps/step_order.hpp"
#include "schedule/graph_steps/step_values.hpp"

namespace kiln::graph {
namespace {

using Users = Arena::Users;

class Builder {
 public:
  Builder(const WorkGraph& work, const Timetable& timetable, const GraphDevices& devices,
          const StepOptions& options, const std::vector<std::size_t>& roomy)
      : work_(work),
        timetable_(timetable),
        devices_(devices),
        whole_writes_(options.whole_writes),
        lane_transfer_bytes_(options.lane_transfer_bytes),
        values_(work, devices, options.memory_limit, roomy, position_, steps_, order_) {
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
      if (!transfers.empty())
        values_.use_transfers(entry.memory, static_cast<std::uint32_t>(steps_.queues.size()));
      const char* const directions[] = {", to the device", ", to the host"};
      for (std::size_t i = 0; i < transfers.size(); ++i)
        steps_.queues.push_back({transfers[i], device, name(directions[i])});
    }
    host_ = static_cast<std::uint32_t>(steps_.queues.size());
    order_.begin();
    remaining_.resize(work.values().size());
    remaining_in_.resize(work.values().size() * devices.memories());
    for (ValueId value = 0; value < remaining_.size(); ++value) {
      const auto& readers = work.values()[value].readers;
      remaining_[value] = static_cast<std::uint32_t>(readers.size());
      for (const Task reader : readers) ++remaining_in(value, memory_of(reader));
    }
    uses_lanes_.resize(devices.all().size());
    for (const auto& entry : timetable.tasks) uses_lanes_[entry.device] |= entry.lane > 0;
    position_.resize(work.tasks().size());
    step_of_.resize(work.tasks().size());
    steps_.written_on.assign(work.arrays().size(), none);
    steps_.result_of.resize(work.values().size());
    for (ValueId value = 0; value < work.values().size(); ++value)
      steps_.result_of[value] = work.values()[value].is_result ? residency_.result_of(value) : none;
  }

  void add_tasks(const TaskGraph& graph) {
    const auto order = timetable_.order(graph);
    for (std::uint32_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    for (const Task task : order) add_task(graph, task);
  }
  /// By memory, the most bytes of it that values need at a time, one task after the other or at the
  /// planned times.
  std::vector<std::size_t> needed() const {
    std::vector<std::size_t> needed = most_live_bytes(work_, timetable_, devices_);
    for (std::size_t memory = 0; memory < needed.size(); ++memory) {
      std::size_t in_order = 0;
      for (const Arena& arena : residency_.arenas()[memory]) in_order += arena.peak();
      needed[memory] = std::max(needed[memory], in_order);
    }
    return needed;
  }
  /// What takes memory, and kernels.
  Steps take() {
    table_.make(steps_, residency_);
    for (const auto& [work, queue] : wanted_runners_)
      steps_.runners.push_back(work->prepare(devices_.resolver(), steps_.queues[queue].queue));
    for (const Step& step : steps_.all)
      if (step.queue != host_) steps_.queues[step.queue].is_used = true;
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
  std::uint32_t queue_of(Task task) const {
    if (work_.tasks()[task].work->runs_on_host()) return host_;
    const auto& where = timetable_.tasks[task];
    return first_lane_[where.device] + where.lane;
  }
  /// Where another lane computes meanwhile, a task's lane fetches what it needs: no other queue is
  /// waited for then, not even for bytes that this lane's tasks had before.
  bool is_fetched_in_lane(Task task, ValueId value) const {
    if (memory_of(task) == 0) return false;
    return uses_lanes_[timetable_.tasks[task].device] ||
           work_.values()[value].bytes <= lane_transfer_bytes_;
  }
  bool is_sent_in_lane(Task task, ValueId value) const {
    return memory_of(task) != 0 && work_.values()[value].bytes <= lane_transfer_bytes_;
  }
  std::uint32_t& remaining_in(ValueId value, std::uint32_t memory) {
    return remaining_in_[value * devices_.memories() + memory];
  }
  std::uint32_t runner_of(const WorkPtr& work, std::uint32_t queue) {
    auto& runners = runner_of_[queue];
    const auto [found, is_new] = runners.try_emplace(work->kind(), 0);
    if (is_new) {
      found->second = static_cast<std::uint32_t>(wanted_runners_.size());
      wanted_runners_.emplace_back(work, queue);
    }
    return found->second;
  }

  void add_task(const TaskGraph& graph, Task task) {
    const auto& entry = work_.tasks()[task];
    const bool on_host = entry.work->runs_on_host();
    const std::uint32_t device = timetable_.tasks[task].device;
    const std::uint32_t queue = queue_of(task), memory = memory_of(task);
    Users after(host_ + 1);
    for (const auto& before : graph.predecessors(task))
      if (before.bytes == 0) order_.join(after, step_of_[before.task]);
    for (const ValueId value : entry.reads) {
      if (value == none || is_taken_over(task, value)) continue;
      values_.bring(task, value, memory, is_fetched_in_lane(task, value) ? queue : none);
      values_.join_ready(after, value, memory);
    }
    for (std::size_t use = 0; use < entry.writes.size(); ++use) {
      if (entry.writes[use] == none) continue;
      if (work_.values()[entry.writes[use]].pieces.empty())
        prepare_output(task, use, after);
      else
        prepare_piece(task, use, after);
    }
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
    const std::uint32_t number = order_.add(step, std::move(after));
    step_of_[task] = number;
    for (std::size_t use = 0; use < entry.reads.size(); ++use) {
      if (entry.reads[use] != none && entry.writes[use] == none)
        residency_.note_use(entry.reads[use], memory, queue, number);
      if (entry.writes[use] == none) continue;
      residency_.note_use(entry.writes[use], memory, queue, number);
      if (!work_.values()[entry.writes[use]].pieces.empty()) {
        finish_piece(task, use, number);
        continue;
      }
      residency_.set_current(entry.writes[use], memory, number);
      if (const auto array = work_.values()[entry.writes[use]].array; array != none)
        steps_.written_on[array] = on_host ? written_by_host : device;
    }
    finish_task(task);
  }

  bool is_written_whole(const Work& work, std::size_t use) const {
    return whole_writes_ != nullptr && whole_writes_->hold(work, use);
  }

  /// Whether a task is the last one that needs the copy of a value in its memory, and there is
  /// another one for those who do in other memories: as of an input.
  bool may_use_up(Task task, ValueId value) const {
    const std::uint32_t memory = memory_of(task);
    return memory != 0 && work_.values()[value].array == none &&
           residency_.is_current(value, memory) && residency_.is_current(value, 0) &&
           remaining_in_[value * devices_.memories() + memory] == 1;
  }

  /// Memory for what a task writes, with what has to be in it.
  void prepare_output(Task task, std::size_t use, Users& after) {
    const auto& entry = work_.tasks()[task];
    const std::uint32_t queue = queue_of(task), memory = memory_of(task);
    const std::uint32_t device = timetable_.tasks[task].device;
    const ValueId value = entry.writes[use], base = entry.reads[use];
    if (work_.values()[value].is_in_place || (base != none && may_use_up(task, base))) {
      Arena::join(after, residency_.take_over(value, memory));
      return;
    }
    Users users = values_.place(task, value, memory, queue);
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
    if (base != none) values_.join_ready(users, base, memory);
    step.kind = base != none ? Step::Kind::copy : Step::Kind::fill;
    if (on_host) {
      step.host_memory = table_.host(steps_, residency_.place(base, 0));
      table_.host(steps_, residency_.place(value, 0));
    } else {
      step.first_memory = static_cast<std::uint32_t>(steps_.memory.size());
      if (base != none) table_.buffer(steps_, residency_.place(base, memory), device);
      table_.buffer(steps_, residency_.place(value, memory), device);
    }
    const std::uint32_t number = order_.add(step, std::move(users));
    if (base != none) residency_.note_use(base, memory, step.queue, number);
    residency_.note_use(value, memory, step.queue, number);
    order_.join(after, number);
  }

  // Values that several tasks make. In one memory all write to the same place. Where the tasks are
  // in several memories, each works on a copy of its own, and its piece goes to the host's memory.
  // A task needs of what it changes no more than its piece: that others may have changed theirs in
  // the copy that it starts from does not matter.

  /// Whether a task's part of changing `value` in place has begun already in its memory.
  bool is_taken_over(Task task, ValueId value) const {
    return std::ranges::any_of(work_.tasks()[task].writes, [&](ValueId written) {
      if (written == none || work_.values()[written].base != value) return false;
      const auto joint = joints_.find(written);
      return joint != joints_.end() && work_.values()[written].is_in_place &&
             joint->second.prepared.contains(memory_of(task));
    });
  }

  void prepare_piece(Task task, std::size_t use, Users& after) {
    const ValueId value = work_.tasks()[task].writes[use];
    if (!joints_.contains(value)) begin_joint(task, use);
    Joint& joint = joints_.at(value);
    const std::uint32_t memory = memory_of(task);
    const auto [prepared, is_new] = joint.prepared.try_emplace(memory);
    if (is_new) {
      prepare_output(task, use, prepared->second);
      if (!joint.is_spread) residency_.set_current(value, memory, 0);
    } else if (!joint.is_spread && !residency_.is_current(value, memory)) {
      // It was put aside with what was made so far.
      values_.bring(task, value, memory);
      residency_.drop_copy(value, 0);
      order_.join(prepared->second, residency_.ready(value, memory));
    }
    Arena::join(after, prepared->second);
  }

  void begin_joint(Task task, std::size_t use) {
    const auto& entry = work_.tasks()[task];
    const ValueId value = entry.writes[use], base = entry.reads[use];
    Joint& joint = joints_[value];
    Task in_host_memory = none;
    for (const Piece& piece : work_.values()[value].pieces) {
      ++joint.missing;
      joint.is_spread |= memory_of(piece.producer) != memory_of(task);
      if (memory_of(piece.producer) == 0 && in_host_memory == none) in_host_memory = piece.producer;
    }
    if (!joint.is_spread) return;
    // The host's memory comes first, where pieces arrive one by one.
    if (base != none) values_.bring(task, base, 0);
    Users& prepared = joint.prepared[0];
    if (work_.values()[value].is_in_place) {
      // The others start from the base that is there.
      prepared = residency_.share(value, 0);
    } else if (in_host_memory != none) {
      prepare_output(in_host_memory, use, prepared);
    } else {
      prepared = values_.place(task, value, 0,
                               values_.queue_of_transfer(memory_of(task), Direction::to_host));
    }
    if (base != none) values_.join_ready(prepared, base, 0);
  }

  void finish_piece(Task task, std::size_t use, std::uint32_t step) {
    const ValueId value = work_.tasks()[task].writes[use];
    Joint& joint = joints_.at(value);
    const std::uint32_t memory = memory_of(task), whole = joint.is_spread ? 0 : memory;
    if (memory != whole) {
      Users after = joint.prepared.at(0);
      order_.join(after, step);
      const auto& pieces = work_.values()[value].pieces;
      const auto piece = std::ranges::find(pieces, task, &Piece::producer);
      step =
          values_.transfer(value, memory, Direction::to_host, piece->bytes,
                           values_.queue_of_transfer(memory, Direction::to_host), std::move(after));
      steps_.all[step - 1].task = task;
      residency_.drop_copy(value, memory);
      joint.prepared.erase(memory);
    }
    values_.add_ready(value, whole, step);
    if (--joint.missing > 0) return;
    if (joint.is_spread && work_.values()[value].is_in_place) residency_.take_over_shared(value, 0);
    residency_.set_current(value, whole, residency_.ready(value, whole));
    joints_.erase(value);
  }

  void finish_task(Task task) {
    const auto& entry = work_.tasks()[task];
    const std::uint32_t memory = memory_of(task);
    for (std::size_t use = 0; use < entry.reads.size(); ++use) {
      const ValueId written = entry.writes[use];
      if (written != none && !joints_.contains(written)) {
        if (work_.values()[written].is_result && work_.values()[written].array == none)
          values_.bring(task, written, 0, is_sent_in_lane(task, written) ? queue_of(task) : none);
        if (remaining_[written] == 0)
          values_.drop(written);
        else if (remaining_in(written, memory) == 0)
          values_.move_out(task, written, memory);
      }
      const ValueId read = entry.reads[use];
      if (read == none) continue;
      --remaining_in(read, memory);
      if (--remaining_[read] == 0)
        values_.drop(read);
      else if (remaining_in(read, memory) == 0)
        values_.move_out(task, read, memory);
    }
  }
  const WorkGraph& work_;
  const Timetable& timetable_;
  const GraphDevices& devices_;
  WholeWrites* whole_writes_;
  std::size_t lane_transfer_bytes_;
  Steps steps_;
  StepOrder order_{steps_};
  std::vector<std::uint32_t> remaining_, position_;
  StepValues values_;
  Residency& residency_ = values_.residency();
  MemoryTable& table_ = values_.table();
  std::uint32_t host_ = 0;  ///< the number of what the host does itself, as if it were a queue
  std::vector<std::uint32_t> first_lane_;
  std::vector<char> uses_lanes_;             ///< by device, whether more than one
  std::vector<std::uint32_t> remaining_in_;  ///< readers to come, by value and memory
  std::vector<std::uint32_t> step_of_;       ///< by task
  std::map<std::uint32_t, std::map<Bytes, std::uint32_t>> runner_of_;
  std::vector<std::pair<WorkPtr, std::uint32_t>> wanted_runners_;  ///< with their queues
  /// A value that some, but not all of its tasks have made.
  struct Joint {
    bool is_spread = false;  ///< over several memories
    std::size_t missing = 0;
    std::map<std::uint32_t, Users> prepared;  ///< by memory: what comes before a piece is made
  };
  std::map<ValueId, Joint> joints_;
};

}  // namespace

Steps build_steps(const WorkGraph& work, const TaskGraph& graph, const Timetable& timetable,
                  const GraphDevices& devices, const StepOptions& options) {
  auto least =
      std::make_unique<Builder>(work, timetable, devices, options, std::vector<std::size_t>());
  least->add_tasks(graph);
  if (devices.memories() == 1) return least->take();
  // With the least memory, transfers wait for work that others could do meanwhile. A little more
  // lets them go ahead.
  std::vector<std::size_t> roomy = least->needed();
  for (std::size_t& bytes : roomy) bytes += bytes / 10;
  try {
    Builder more(work, timetable, devices, options, roomy);
    more.add_tasks(graph);
    return more.take();
  } catch (const Error& error) {
    // Where memory is short, bytes that were taken ahead may be missing in one piece later.
    if (error.code() != Errc::device) throw;
  }
  return least->take();
}

}  // namespace kiln::graph
