#pragma once

#include <vector>

#include "schedule/graph_findings/task_times.hpp"
#include "schedule/graph_run/executable.hpp"
#include "schedule/graph_work/whole_writes.hpp"

namespace kiln::graph {

/// Finds out about works by running them more than once in a run of their graph: what they write
/// whole, and how much longer they take where all lanes of a device do the same. To be kept as long
/// as the Executable of that run. One thread at a time.
class TaskFindings {
 public:
  TaskFindings(WholeWrites& whole_writes, TaskTimes& times, const GraphDevices& devices)
      : whole_writes_(whole_writes), times_(times), devices_(devices) {}

  /// Whether a run on this device would show something that is not known yet.
  bool lack(const Work& work, std::uint32_t device) const;
  /// Of RunOrder::after_task.
  void look(const TaskRun& run);

 private:
  bool lacks_slow_down(const Work& work, std::uint32_t device) const;
  void find_whole_writes(const TaskRun& run);
  void find_slow_down(const TaskRun& run);
  cl_mem memory_like(const TaskRun& run, std::size_t use);
  std::vector<cl_mem> own_memory(const TaskRun& run);

  WholeWrites& whole_writes_;
  TaskTimes& times_;
  const GraphDevices& devices_;
  std::vector<cl::Buffer> memory_;  ///< that the runs' Runners know
};

}  // namespace kiln::graph
