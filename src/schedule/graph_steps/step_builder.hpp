#pragma once

#include <limits>

#include "schedule/graph/problem.hpp"
#include "schedule/graph_steps/steps.hpp"
#include "schedule/graph_work/whole_writes.hpp"

namespace kiln::graph {

struct StepOptions {
  /// Bytes that the graph's values may take of each device's memory; 0: all that it has.
  std::size_t memory_limit = 0;
  /// Whether runs may ask for the times of commands.
  Queue::Times times = Queue::Times::taken;
  /// Of a device with memory of its own, what a lane moves itself even where no other one is at
  /// work: in less time than another queue needs to notice that it can. On an H100, 20 us for a
  /// MiB, and 10 for two queues to meet.
  std::size_t lane_transfer_bytes = std::size_t{1} << 20;
  WholeWrites* whole_writes = nullptr;  ///< where no zeros are needed; null: everywhere they are
};

/// Makes a timetable's commands. Transfers are made once for each version and memory, waits only
/// where no order of queues or earlier wait says the same, and memory is shared by values that are
/// not needed at the same time. Where a device's memory is too small, values that are needed last
/// are put aside to the host's. Throws kiln::Error: device where a task's own memory is too large.
Steps build_steps(const WorkGraph& work, const TaskGraph& graph, const Timetable& timetable,
                  const GraphDevices& devices, const StepOptions& options);

}  // namespace kiln::graph
