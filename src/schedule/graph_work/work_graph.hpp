#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/array_storage.hpp"
#include "device/transfer.hpp"
#include "schedule/graph/task_graph.hpp"
#include "schedule/graph_work/work.hpp"

namespace kiln::graph {

using ValueId = std::uint32_t;
inline constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

/// What one of several tasks makes of a value.
struct Piece {
  Task producer = none;
  ByteRange bytes;  ///< empty: some of it, anywhere, so that all pieces are made in one memory
};

/// One version of some data: what one task has made, or what was there before. A task that reads a
/// value sees it as its producer left it, whoever else works on the same data.
struct Value {
  std::size_t bytes = 0;
  Task producer = none;      ///< none: it is there before the graph runs
  ValueId base = none;       ///< of what a task changes: the value that it starts from
  bool is_in_place = false;  ///< takes the memory of its base
  bool is_result = false;    ///< to be on the host when a run has ended
  std::vector<Task> readers;
  /// Where several tasks make it together: each of them, `producer` first. Empty: that one alone.
  std::vector<Piece> pieces;
  /// Of values that are there before: their memory, which no run changes.
  const HostArray* input = nullptr;
  /// The Array whose contents it is at some time: its memory is that Array's.
  std::uint32_t array = none;
};

/// Tasks with the values that they read and make. Front ends add them in an order in which they
/// could run one after the other; close() then derives who has to wait for whom. One thread at a
/// time.
class WorkGraph {
 public:
  /// Data that are there before. The memory stays, unchanged, as long as the graph.
  ValueId add_input(const HostArray& memory);
  /// An Array of the application: its contents now are its first value. The same Array gives the
  /// same number.
  std::uint32_t add_array(std::shared_ptr<ArrayStorage> storage);
  /// What an Array holds after all tasks so far.
  ValueId array_value(std::uint32_t array) const { return arrays_[array].last; }

  struct TaskOptions {
    std::string label = {};        ///< for people; empty: the work's name
    std::uint32_t device = none;   ///< it runs there and nowhere else
    std::uint32_t cluster = none;  ///< tasks of a number belong together
    std::vector<Task> after = {};  ///< orders without data
    /// By use, the Array that it is a value of from now on; none, or no entry: of none.
    std::vector<std::uint32_t> arrays = {};
  };
  /// `reads` has a value for each use of the work; none where it only writes. Throws Error
  /// (bad_input) where sizes or numbers do not fit.
  Task add(WorkPtr work, const std::vector<ValueId>& reads, const TaskOptions& options);
  void add_order(Task before, Task after) { orders_.push_back({before, after, 0}); }
  /// One of the parts that a task is cut into.
  struct Part {
    WorkPtr work;
    std::vector<ByteRange> writes;  ///< by use: see Piece
  };
  /// Puts parts, which together do what the task does, in its place: the task is the first of them
  /// then, the others are new. It writes no Array.
  void split(Task task, const std::vector<Part>& parts);
  std::size_t cut_tasks() const { return cut_tasks_; }
  /// What a task writes by one of its uses; none for what it only reads.
  ValueId written(Task task, std::size_t use) const { return tasks_[task].writes[use]; }
  void keep(ValueId value) { values_[value].is_result = true; }

  struct TaskEntry {
    WorkPtr work;
    std::string label;
    std::vector<ValueId> reads, writes;  ///< by use
    std::uint32_t device = none, cluster = none;
  };
  struct ArrayEntry {
    std::shared_ptr<ArrayStorage> storage;
    ValueId first = none, last = none;
  };
  const std::vector<TaskEntry>& tasks() const { return tasks_; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<ArrayEntry>& arrays() const { return arrays_; }

  /// Decides which task changes a value in its place and which gets a copy, and returns the graph
  /// of all dependences. A task that changes a value in place waits for all who read it; where
  /// several do, or where that would be a cycle, copies are made. Errors: bad_input for a cycle.
  Expected<TaskGraph> close();

  /// Calls `visit` with each task that makes a value, and how many bytes it makes.
  template <class Visit>
  static void for_each_producer(const Value& value, Visit visit) {
    for (const Piece& piece : value.pieces)
      visit(piece.producer, piece.bytes.size() > 0 ? piece.bytes.size() : value.bytes);
    if (value.pieces.empty() && value.producer != none) visit(value.producer, value.bytes);
  }

 private:
  void decide_in_place(const TaskGraph& graph, std::vector<TaskGraph::Edge>& edges);
  std::vector<TaskEntry> tasks_;
  std::vector<Value> values_;
  std::vector<ArrayEntry> arrays_;
  std::vector<TaskGraph::Edge> orders_;
  std::size_t cut_tasks_ = 0;
};

}  // namespace kiln::graph
