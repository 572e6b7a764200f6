#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/data/bytes.hpp"
#include "blas/call/call.hpp"
#include "device/opencl.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "kernel/program/launch.hpp"
#include "kernel/resolver/explain.hpp"

// What of a call its kernels depend on (Shape), and those kernels, prepared (SolutionSequence):
// what a call whose shape is known comes down to.
namespace kiln::blas {

/// More queues than this are accepted and get no work.
constexpr std::size_t most_queues = 8;

/// What the solution sequence of a call depends on: everything but the memory objects, the offsets
/// and the values of the scalars other than an alpha of 0 or 1. Plain bytes without padding, so
/// that equal shapes are equal memory.
struct Shape {
  std::uint8_t routine, precision, order, side, uplo, trans_a, trans_b, diag;
  std::uint8_t real_alpha, alpha_is_zero, alpha_is_one, queues;
  std::uint8_t bias, scale, activation, residual;
  std::array<std::uint8_t, slot_count> stored;
  std::uint8_t first_index, invariant, emulated, by_items, unused[7];
  std::uint64_t m, n, k, kl, ku, batch, group_a, group_b;
  std::array<std::uint64_t, 12> window;  ///< zeros where the routine has none
  std::array<std::int64_t, slot_count> strides, batch_strides;
  cl_context context;
  std::array<cl_device_id, most_queues> devices;

  /// Strides of arguments that the routine does not have count as 0.
  Shape(const Call& call, cl_context context, const cl_device_id* devices, std::size_t queues);
  bool operator==(const Shape& other) const;
  std::uint64_t hash() const;
};

/// A scalar as a kernel of some precision takes it.
class ScalarBytes {
 public:
  ScalarBytes(const Scalar& value, Precision precision) : size_(size_of(precision)) {
    if (is_double(precision)) {
      put(0, value.real());
      put(8, value.imag());
    } else {
      put(0, static_cast<float>(value.real()));
      put(4, static_cast<float>(value.imag()));
    }
  }
  ByteView view() const { return {bytes_.data(), size_}; }

 private:
  template <class T>
  void put(std::size_t at, T part) {
    std::memcpy(bytes_.data() + at, &part, sizeof part);
  }
  alignas(16) std::array<std::byte, 16> bytes_{};
  std::size_t size_;
};

/// The time of some runs of a sequence on the device, where that costs nothing but two events: on a
/// queue that its owner profiles, which keeps the order of its commands. Read when the next run
/// begins: nothing waits for it. One thread at a time.
class RunSample {
 public:
  /// A run begins, on this queue alone; null: on several.
  void begin(cl_command_queue queue);
  /// Whether the run's first and last command want an event.
  bool is_wanted() const { return wanted_; }
  /// The two events of the run, which may be one; they are retained.
  void take(cl_event first, cl_event last);
  /// Notes what has been sampled, if that has ended.
  void read(CallCounter& counter);

 private:
  std::uint64_t runs_ = 0;
  bool wanted_ = false;
  cl::Event first_, last_;
};

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
  /// The items of the call's batch for which it runs, one after another, each time together with
  /// the other steps of its queue. One that does the whole batch has item 0 alone.
  std::size_t first_item = 0, end_item = 1;
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
  /// it ended in an error; the workspace's contents are undefined, and a run that waits for it
  /// would fail, too, or on PoCL 3.1 wait for ever: not to be run again. `ready` otherwise, and
  /// where one queue keeps the order of the runs by itself.
  enum class LastRun { ready, pending, failed };
  LastRun last_run(std::span<const cl_command_queue> queues) const;

  /// Enqueues every kernel once more with the arguments that it has, and nothing besides: what a
  /// run costs the host at least. For measuring, where nothing else uses the queues.
  void enqueue_only(std::span<const cl_command_queue> queues);

 private:
  struct Run;
  static void set_varying(const Run& run, Step& step, std::size_t item);
  void enqueue(Run& run, std::size_t index, std::size_t item);
  void enqueue_items(Run& run);
  void collect_waits(const Run& run, const Step& step);
  void finish(Run& run);
  void hold(const Execution& execution);
  void enqueue_all(const Call& call, const Execution& execution);

  Shape shape_;
  Parts parts_;
  std::size_t workspace_bytes_ = 0;
  std::size_t most_items_ = 1;    ///< of one queue's steps
  std::vector<cl_event> events_;  ///< of the steps of a run, owned while it is enqueued
  std::vector<cl_event> waits_;
  /// The ends of the last run, where it used the workspace: the next run's steps come after them.
  /// An event keeps its queue alive, so that a queue's handle says which queue it was.
  std::vector<cl::Event> busy_;
  /// Of runs that wait for events of the caller's. Where one of those fails, PoCL 3.1 aborts the
  /// process unless the events of the commands behind it are retained.
  std::vector<cl::Event> waiting_;
  CallCounter* counter_ = nullptr;  ///< where calls are recorded; it lives for ever
  RunSample sample_;
  cl_command_queue busy_queue_ = nullptr;  ///< of the last run, where there was but one, in order
};

}  // namespace kiln::blas
