#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kiln/error.hpp"

/// Graphs of tasks as planners see them: numbers only. Nothing here knows kernels or OpenCL.
namespace kiln::graph {

using Task = std::uint32_t;

/// Who waits for whom, without cycles. Tasks are 0 to size() - 1. Immutable; 24 bytes an edge and
/// 12 a task.
class TaskGraph {
 public:
  /// `to` begins after `from` has ended. `bytes` is what has to be in the memory of to's device
  /// then; 0 is an order alone.
  struct Edge {
    Task from, to;
    double bytes = 0;
  };
  /// Edges between the same two tasks become one with the sum of their bytes. Errors: bad_input
  /// for an edge of a task that is not there, and for a cycle, whose tasks the message names in
  /// order ("1 -> 4 -> 2 -> 1").
  static Expected<TaskGraph> make(std::size_t tasks, std::vector<Edge> edges);

  std::size_t size() const { return order_.size(); }
  std::size_t edges() const { return successors_.size(); }

  struct Neighbour {
    Task task;
    double bytes;
  };
  std::span<const Neighbour> predecessors(Task task) const {
    return {predecessors_.data() + first_predecessor_[task],
            predecessors_.data() + first_predecessor_[task + 1]};
  }
  std::span<const Neighbour> successors(Task task) const {
    return {successors_.data() + first_successor_[task],
            successors_.data() + first_successor_[task + 1]};
  }
  /// Every task after all that it waits for; of several that could come next, the smallest.
  std::span<const Task> topological_order() const { return order_; }
  /// The most edges on a way from a task without predecessors to each task.
  std::vector<std::uint32_t> levels() const;
  /// By task, the number of the connected part that it belongs to; parts count from 0 in the order
  /// of their first tasks.
  std::vector<std::uint32_t> components() const;

 private:
  std::vector<std::uint32_t> first_predecessor_, first_successor_;
  std::vector<Neighbour> predecessors_, successors_;
  std::vector<Task> order_;
};

}  // namespace kiln::graph
