#pragma once

#include <chrono>
#include <functional>

#include "base/log.hpp"
#include "schedule/graph_run/watched_wait.hpp"
#include "schedule/graph_steps/steps.hpp"

namespace kiln::graph {

/// A task that a device is about to run, or has just run, in a run of a graph: nothing runs on its
/// queue now. For the time of a call.
struct TaskRun {
  const Work& work;
  const QueueEntry& where;
  Runner& runner;                  ///< of that queue
  std::span<const cl_mem> memory;  ///< by use
  /// Waits until a queue is empty; the run's timeout counts from the begin of the call. Throws what
  /// the run does.
  const std::function<void(const Queue&)>& wait;
};

/// How a run is made.
struct RunOrder {
  /// Whether every command's time is taken: for times of tasks, timelines, and errors that name
  /// the task. Costs an event a command.
  bool takes_times = false;
  TraceSink* trace = nullptr;           ///< gets each command's span; takes_times, too, then
  std::chrono::nanoseconds timeout{0};  ///< for all of the run; 0: none
  /// Called before and after each task that a device runs, unless the host has to do something
  /// first. Such a run does one task at a time, and the time of the calls is not its own. Memory
  /// that a call gives TaskRun::runner has to stay as long as the Executable.
  std::function<void(const TaskRun&)> before_task = {}, after_task = {};
  /// Asked now and then while a run waits: true ends it (Ctrl-C).
  std::function<bool()> stop = {};
};

/// A graph that is ready to run on its devices, again and again. One thread at a time.
class Executable {
 public:
  Executable(const WorkGraph& work, Steps steps);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  /// Enqueues all and waits until the results are on the host. Repeated runs allocate nothing and
  /// take no lock of Kiln's. Throws kiln::Error: device, with the task's name where it is known;
  /// timeout; refused after a stop; and what a function of the host throws. Whatever happens,
  /// nothing runs any more then, unless a device hangs.
  void run(const RunOrder& order);

  const Steps& steps() const { return steps_; }
  /// The bytes of a result after a run. Throws Error (bad_input) for a value that is none.
  ByteView result(ValueId value) const;
  /// By task, what the device took for it in the last run that took times; 0: nothing is known.
  const std::vector<std::int64_t>& task_ns() const { return task_ns_; }
  std::int64_t wall_ns() const { return wall_ns_; }
  /// How long the host enqueued in the last run, and did what is its own meanwhile.
  std::int64_t enqueue_ns() const { return enqueue_ns_; }

 private:
  void place_arrays();
  cl_mem array_on_device(const ArrayPlace& place);
  void enqueue_all(const RunOrder& order);
  void enqueue(const Step& step, cl_event* done);
  std::span<const cl_event> gather(const Step& step);
  void show_task(const Step& step, const RunOrder& order,
                 const std::function<void(const TaskRun&)>& to);
  void do_host_step(std::size_t index, const RunOrder& order);
  Watch watch(const RunOrder& order) const;
  void flush();
  void finish(const RunOrder& order);
  void tell_arrays();
  const Queue& first_queue(std::uint32_t device) const;
  void release_user_events();
  void release_events();
  /// The step that completes each event slot, and that of each task.
  struct Signals {
    std::vector<std::uint32_t> by_slot, by_task;
  };
  Signals find_signals() const;
  std::vector<std::uint32_t> waited_for(std::size_t index) const;
  void take_times(const RunOrder& order);
  Error with_task(const Error& error) const;
  void abandon(bool hangs);
  bool finish_quietly();

  const WorkGraph& work_;
  Steps steps_;
  std::vector<cl_event> events_;       ///< by slot
  std::vector<cl_event> scratch_;      ///< a wait list
  std::vector<cl_event> array_waits_;  ///< what Arrays' memory has to be waited for
  std::vector<cl_event> all_;          ///< by step, where times are taken
  std::vector<std::int64_t> enqueued_ns_;
  std::vector<std::uint32_t> pending_;  ///< host steps that were passed and not yet done
  std::vector<std::span<std::byte>> spans_;
  std::vector<std::int64_t> task_ns_;
  Signals signals_;  ///< of runs with a trace
  std::int64_t wall_ns_ = 0, enqueue_ns_ = 0;
  std::chrono::steady_clock::time_point begin_;
  std::size_t current_ = 0;  ///< the step that is being enqueued
  bool hangs_ = false;       ///< a device does not answer: nothing waits for it again
};

}  // namespace kiln::graph
