#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kiln/blas/call.hpp"
#include "kiln/formats/task_graph.hpp"
#include "kiln/kernel.hpp"
#include "kiln/spec/run.hpp"
#include "kiln/timeline.hpp"

/// Graphs of calls: described once, planned over all devices of a Runtime, run again and again.
/// docs/graphs.md explains them.
namespace kiln {

namespace graph {
class Work;
}

struct GraphPlanOptions {
  /// "heft", "peft", "lookahead", "cluster", "eager", "one-device", or "auto": the best of all,
  /// improved.
  std::string policy = "auto";
  /// Of one-device: which of the Runtime's devices; -1: the best one.
  int device = -1;
  /// Command queues of each device with memory of its own; 0: two. Processors have one.
  unsigned queues = 0;
  /// Bytes of each such device's memory that the graph may use; 0: all. What does not fit is put
  /// aside to the host's memory.
  std::size_t memory_limit = 0;
  /// Whether "auto" may cut tasks that are kernels into parts, one a device, where runs show that
  /// it is faster. Results stay the same.
  bool may_cut = true;
  /// Of each run that is made to find times; as GraphRunOptions has them.
  std::chrono::nanoseconds timeout{0};
  std::function<bool()> stop = {};
};

struct GraphRunOptions {
  bool timeline = false;                ///< keep when what happened
  std::chrono::nanoseconds timeout{0};  ///< 0: none
  std::function<bool()> stop = {};      ///< asked while a run waits: true ends it
};

struct GraphRunSummary {
  std::int64_t wall_ns = 0;  ///< from the first command to the last result
  std::vector<TimelineSpan> timeline;
};

/// What was planned. Times are nanoseconds from the begin of a run.
struct GraphReport {
  std::string policy;
  bool times_are_known = false;  ///< else the next runs are for finding them; they are right, too
  bool is_kept = false;          ///< planned before, and kept in the store
  double makespan_ns = 0;        ///< as planned, or as trials took where it was tried
  /// What no plan can go below: the longest way with each task on its fastest device; all work over
  /// all devices; both at once.
  double path_bound_ns = 0, work_bound_ns = 0, bound_ns = 0;
  std::vector<std::string> devices;
  struct Task {
    std::string name;
    std::uint32_t device = 0, queue = 0;  ///< none of them for functions of the host
    bool on_host = false;
    double start_ns = 0, end_ns = 0;
    std::vector<double> run_ns;        ///< by device; infinite where it cannot run
    std::vector<std::uint32_t> after;  ///< tasks that it waits for
    std::string why;
  };
  std::vector<Task> tasks;    ///< of those in parts each part
  std::size_t cut_tasks = 0;  ///< how many of the graph's tasks are in parts
  /// What other policies promise, and what would help: only where it was asked for.
  std::vector<std::pair<std::string, double>> policies;
  std::vector<std::string> advice;
  std::uint64_t bytes_to_devices = 0, bytes_to_host = 0;  ///< of each run
  std::vector<std::size_t> peak_bytes;  ///< of the graph's own data: the host's, then by device
  std::size_t commands = 0, waits = 0;  ///< of each run
};

/// A graph that is ready to run. One thread at a time; different plans may run at once.
class KILN_API GraphPlan {
 public:
  /// Runs all tasks and waits: Arrays and host memory that the graph was given are current then.
  /// Throws Error: device, with the name of the task where it is known; timeout; refused where it
  /// was stopped; and what a function of the host throws. Nothing is left running but on a device
  /// that hangs.
  GraphRunSummary run(const GraphRunOptions& options = {});
  /// With `compare`, policies are compared and advice is given, which takes as long as planning.
  GraphReport report(bool compare = false) const;

  /// The bytes of a result of a graph of files after a run: of a task's argument. Throws Error
  /// (bad_input) where it was not asked for and is read by other tasks.
  std::span<const std::byte> result(std::int64_t task, std::uint32_t position) const;

  /// For Kiln's own modules.
  struct State;
  explicit GraphPlan(std::shared_ptr<State> state) : state_(std::move(state)) {}
  State& state() const { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

/// A task of a Graph.
struct GraphTask {
  std::uint32_t index = 0;
};

struct GraphTaskOptions {
  std::string label = {};             ///< for people; empty: the kernel's name
  std::vector<GraphTask> after = {};  ///< orders that no data show
  int device = -1;                    ///< of the Runtime's; -1: any
  int cluster = -1;                   ///< tasks of a number belong together; -1: of none
};

/// Calls in the order in which they could run one after the other. What each waits for follows
/// from what it reads and writes; a plan gives what running them one by one would give. One thread
/// at a time.
class KILN_API Graph {
 public:
  explicit Graph(const Runtime& runtime);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  /// Zeros, for what tasks hand to one another: its memory is the plan's, and shared with others
  /// that are not needed at the same time. What the last task leaves in it can be read() after a
  /// run if no task reads that, or after keep().
  template <class T>
  Array<T> array(std::size_t count) {
    Array<T> made = runtime().array<T>(count);
    add_array(made);
    return made;
  }
  void keep(const ArrayBase& array);

  /// A kernel. Arrays, of the graph or not, are what they are at this place of the order; host
  /// memory that is only read is taken at each run.
  GraphTask add(const KernelCall& call, const Range& range, const GraphTaskOptions& options = {});
  /// A BLAS call whose operands are placeholders that memory() gives.
  GraphTask add(const blas::Call& call, const GraphTaskOptions& options = {});
  /// In place of an Array's memory in a call that is added to this graph, and for nothing else: it
  /// is no handle of OpenCL.
  cl_mem memory(const ArrayBase& array);

  /// A kernel of a specification file with an Array for each buffer argument, in their order.
  /// Throws Error as spec::run().
  GraphTask add(const std::filesystem::path& spec, const spec::Symbols& symbols,
                const std::vector<ArrayBase>& buffers, const GraphTaskOptions& options = {});

  /// What a function of the host does with an Array.
  struct HostUse {
    ArrayBase array;
    Access access = Access::in;
  };
  static HostUse reads(const ArrayBase& array) { return {array, Access::in}; }
  static HostUse writes(const ArrayBase& array) { return {array, Access::out}; }
  static HostUse changes(const ArrayBase& array) { return {array, Access::inout}; }
  using HostFunction = std::function<void(std::span<const std::span<std::byte>> memory)>;
  /// A function that runs in the thread of run(), on the host's memory of each of `uses`; what it
  /// writes starts as zeros. What it throws ends the run and comes out of it.
  GraphTask add_host(HostFunction function, const std::vector<HostUse>& uses,
                     const GraphTaskOptions& options = {});

  /// For Kiln's own modules: work whose data are not the graph's. Tasks that name the same data are
  /// ordered, unless all of them only read it.
  struct OwnData {
    std::vector<const void*> reads, changes;
  };
  GraphTask add(std::shared_ptr<const graph::Work> work, const OwnData& data,
                const GraphTaskOptions& options);
  const Runtime& runtime() const;

  /// Makes all programs, chooses a device for each task and prepares the commands. Where times of
  /// tasks are not on record, they are found by running the graph: at once if that changes nothing
  /// but the graph's own data, else by the first runs. Throws Error: build, device, bad_input.
  GraphPlan plan(const GraphPlanOptions& options = {}) const;

 private:
  void add_array(const ArrayBase& array);
  struct State;
  std::unique_ptr<State> state_;
};

namespace graph {

/// What a graph of a file is run with.
struct FileOptions {
  /// Where its specifications are, in this order; then the graph's folder, `specs` and `info` in
  /// it, and `specs` and `info` next to it.
  std::vector<std::filesystem::path> spec_folders = {};
  std::vector<std::filesystem::path> source_folders = {};  ///< for kernels and their includes
  std::map<std::string, expr::Value> set = {};             ///< symbols, in place of the file's
  /// Data by task and argument. Inputs that no edge feeds and that are not given are random
  /// numbers of `seed`, the task and the argument.
  std::map<std::pair<std::int64_t, std::uint32_t>, spec::InputData> in = {};
  /// Results to keep, in addition to those that no task reads.
  std::vector<task_graph::End> results = {};
  std::uint64_t seed = 0;
  /// Whether `partition` says where a task runs (10: on the first device, 0: on the second), or is
  /// left to the policy.
  bool pins = false;
};

/// A file with its specifications, sizes and values worked out. Nothing here needs a device.
class KILN_API LoadedFile {
 public:
  /// Reads a graph and all that it names. Errors, each with file and line: those of
  /// task_graph::parse(); not_found for a specification or a kernel's source; what is wrong with
  /// them; bad_input for positions that are none, for sizes that differ along an edge.
  static Expected<LoadedFile> load(const std::filesystem::path& file, const FileOptions& options);

  const task_graph::File& file() const;
  /// "3 blend", by task.
  const std::vector<std::string>& names() const;
  /// Edges with data, orders, bytes of all values.
  std::size_t data_edges() const;
  std::uint64_t bytes() const;
  /// The same graph with symbols replaced and specifications inline, which the original's JSON
  /// needs.
  task_graph::File inlined() const;

  GraphPlan plan(const Runtime& runtime, const GraphPlanOptions& options = {}) const;
  /// A plan with times that a file has, in the original's format of statistics, for a GPU and a
  /// processor: nothing runs. Errors: bad_input.
  Expected<GraphReport> plan_with(const std::filesystem::path& costs,
                                  const GraphPlanOptions& options) const;

  /// For Kiln's own modules.
  struct State;
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace graph
}  // namespace kiln
