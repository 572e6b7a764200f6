#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blas/call.hpp"
#include "blas/run_sample.hpp"
#include "blas/shape.hpp"
#include "kernel/explain.hpp"
#include "kernel/launch.hpp"

namespace kiln::blas {

/// An argument of a kernel that differs from call to call.
struct Varying {
  enum class What : std::uint8_t { memory, offset, alpha, conjugate_alpha, beta };
  unsigned position = 0;
  What what{};
  Slot slot{};
  std::int64_t add = 0;  ///< to the operand's offset
};

/// One kernel of a sequence.
struct Step {
  Launch launch;
  unsigned queue = 0;
  std::vector<Varying> varying;
  std::vector<std::size_t> after;  ///< steps on other queues that must have finished
  bool awaited = false;            ///< by a step on another queue
  bool ends_queue = false;         ///< no later step of the sequence runs on its queue
  std::string family;              ///< of the kernel's generator
  /// Its queue's part of the work, 0 to 1, where the routine has cut the work for the queues.
  std::optional<double> part;
};

/// The kernels that answer one Shape, with their geometry, arguments and order: clBLAS's
/// solution sequence. Prepared once, run many times with other memory, offsets and scalars. One
/// thread at a time; a run may begin while the one before still computes.
class SolutionSequence {
 public:
  struct Parts {
    ContextPtr context;
    std::vector<Step> steps;
    std::vector<cl::Buffer> workspace;
    std::vector<Explanation> explanations;  ///< how each program was found
  };
  SolutionSequence(const Shape& shape, Parts parts);
  ~SolutionSequence();
  SolutionSequence(const SolutionSequence&) = delete;
  SolutionSequence& operator=(const SolutionSequence&) = delete;

  const Shape& shape() const { return shape_; }
  std::size_t workspace_bytes() const { return workspace_bytes_; }
  const std::vector<Step>& steps() const { return parts_.steps; }
  const std::vector<Explanation>& explanations() const { return parts_.explanations; }

  /// Enqueues every step; the call must have the sequence's shape. Throws kiln::Error (device);
  /// what was enqueued before runs on.
  void run(const Call& call, const Execution& execution);
  /// From now on runs are counted there; null: nowhere.
  void count_in(CallCounter* counter) { counter_ = counter; }
  /// How the last run stands to one on these queues. `pending`: the next has to wait for it, and
  /// with it for all that it waits for, which may be the caller himself (a user event). `failed`:
  /// it ended in an error; nobody knows what is in the workspace, and a run that waits for it would
  /// fail, too, or on PoCL 3.1 wait for ever: not to be run again. `ready` otherwise, and where one
  /// queue keeps the order of the runs by itself.
  enum class LastRun { ready, pending, failed };
  LastRun last_run(std::span<const cl_command_queue> queues) const;

  /// Enqueues every kernel once more with the arguments that it has, and nothing besides: what a
  /// run costs the host at least. For measuring, where nothing else uses the queues.
  void enqueue_only(std::span<const cl_command_queue> queues);

 private:
  struct Run;
  static void set_varying(const Run& run, Step& step);
  void enqueue(Run& run, std::size_t index);
  void collect_waits(const Run& run, const Step& step);
  void finish(Run& run);
  void hold(const Execution& execution);
  void enqueue_all(const Call& call, const Execution& execution);

  Shape shape_;
  Parts parts_;
  std::size_t workspace_bytes_ = 0;
  std::vector<cl_event> events_;  ///< of the steps of a run, owned while it is enqueued
  std::vector<cl_event> waits_;
  /// The ends of the last run, where it used the workspace: the next run's steps come after them.
  /// An event keeps its queue alive, so that a queue's handle says which queue it was.
  std::vector<cl_event> busy_;
  /// Of runs that wait for events of the caller's. Where one of those fails, PoCL 3.1 aborts the
  /// process if nobody holds the events of the commands behind it.
  std::vector<cl_event> waiting_;
  CallCounter* counter_ = nullptr;  ///< where calls are recorded; it lives for ever
  RunSample sample_;
  cl_command_queue busy_queue_ = nullptr;  ///< of the last run, where there was but one, in order
};

}  // namespace kiln::blas
