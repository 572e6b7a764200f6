#pragma once

#include <map>
#include <utility>
#include <vector>

#include "schedule/graph_steps/memory_table.hpp"
#include "schedule/graph_steps/residency.hpp"
#include "schedule/graph_steps/step_order.hpp"

namespace kiln::graph {

enum class Direction : std::uint8_t { to_device, to_host };

/// Brings values where the steps of a graph need them, while those are made: transfers, memory, and
/// what has to go where that is short.
class StepValues {
 public:
  using Users = Arena::Users;

  /// `position`: by task, its place in the order in which tasks are added; filled in later. All
  /// outlive this.
  /// `roomy`: see Residency.
  StepValues(const WorkGraph& work, const GraphDevices& devices, std::size_t memory_limit,
             std::vector<std::size_t> roomy, const std::vector<std::uint32_t>& position,
             Steps& steps, StepOrder& order)
      : work_(work),
        devices_(devices),
        position_(position),
        steps_(steps),
        order_(order),
        residency_(work, devices, memory_limit, std::move(roomy)),
        table_(work, devices) {}

  /// The queues of a memory's transfers: to the device, and, next to it, to the host.
  void use_transfers(std::uint32_t memory, std::uint32_t first_queue) {
    transfers_[memory] = first_queue;
  }
  std::uint32_t queue_of_transfer(std::uint32_t memory, Direction direction) const {
    return transfers_.at(memory) + (direction == Direction::to_device ? 0 : 1);
  }

  Residency& residency() { return residency_; }
  MemoryTable& table() { return table_; }

  /// Makes a value's copy in a memory current, for a task. The last transfer happens in `queue`;
  /// none: in the memory's queue for that.
  void bring(Task task, ValueId value, std::uint32_t memory, std::uint32_t queue = none);
  /// Moves bytes of a value between a device's memory and the host's, in both of which it has a
  /// place, in a queue of that device. Result: the step.
  std::uint32_t transfer(ValueId value, std::uint32_t device_memory, Direction direction,
                         const ByteRange& bytes, std::uint32_t queue, Users after);
  /// Memory for a value, for which others may have to go. Result: who used it. Throws Error
  /// (device) where there is not enough.
  Users place(Task task, ValueId value, std::uint32_t memory, std::uint32_t queue);
  /// What made a copy current.
  void join_ready(Users& to, ValueId value, std::uint32_t memory) const;
  /// Another step that has made some of a copy.
  void add_ready(ValueId value, std::uint32_t memory, std::uint32_t step) {
    order_.join(also_ready_[{value, memory}], step);
  }
  /// What only other memories' tasks still need does not stay in a device's.
  void move_out(Task task, ValueId value, std::uint32_t memory);
  /// No step needs it any more.
  void drop(ValueId value);

 private:
  bool put_aside(Task task, std::uint32_t memory);
  std::string device_name(std::uint32_t memory) const;

  const WorkGraph& work_;
  const GraphDevices& devices_;
  const std::vector<std::uint32_t>& position_;
  Steps& steps_;
  StepOrder& order_;
  Residency residency_;
  MemoryTable table_;
  std::map<std::uint32_t, std::uint32_t> transfers_;               ///< by memory
  std::map<std::pair<ValueId, std::uint32_t>, Users> also_ready_;  ///< by value and memory
};

}  // namespace kiln::graph
