#pragma once

#include <memory>
#include <vector>

#include "kernel/calls/recorded_call.hpp"
#include "mesh/loop/made_loop.hpp"
#include "mesh/model/loop_shape.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// The number by which calls of the same loop find it: of the kernel, the set and the arguments.
std::uint64_t hash_of(const Kernel& kernel, const Iteration& over,
                      std::span<const Arg> arguments) noexcept;

/// A parallel loop over certain data, checked, planned and compiled once. Owned
/// by its Session's LoopQueue; the states that its arguments stand for outlive it, since the queue
/// forgets it with the first of them, or before. One thread.
class PreparedLoop {
 public:
  /// Checks, plans and compiles. Throws kiln::Error: nothing has been run then.
  PreparedLoop(LoopSession& session, const Kernel& kernel, const Iteration& over,
               std::span<const Arg> arguments);
  ~PreparedLoop();

  std::uint64_t hash() const { return hash_; }
  bool is(const Kernel& kernel, const Iteration& over, std::span<const Arg> arguments) const;
  const std::string& name() const { return kernel_.name(); }

  /// When it was called last, on the queue's count of calls.
  void called(std::uint64_t call) { last_call_ = call; }
  std::uint64_t last_call() const { return last_call_; }

  /// Enqueues it. `next` runs right after it; null: another one, or none. Throws kiln::Error.
  void run(PreparedLoop* next = nullptr);

  /// For graphs: brings what it reads to the device by the Mesh's queue and waits for that; then
  /// the launches on a queue of the same context; their time since the last call. Throw
  /// kiln::Error.
  void bring_inputs();
  void launch(const Queue& queue, bool is_timed);
  std::int64_t take_nanoseconds();
  bool has_halos() const { return made_->has_halos(); }

  /// Loops with MIN or MAX: a Global may have got a NaN since the first call.
  bool has_extrema() const { return has_extrema_; }
  void check_again() const;

  /// Its launches alone: what run() is measured against.
  void enqueue_only(const Queue& queue) { made_->enqueue(queue); }

  /// Exchanges the halos that it reads, where they are stale.
  void refresh_halos() { made_->refresh_halos(session_.queue); }

  bool uses(const void* state) const;
  bool writes(const void* state) const;
  /// Whether it must stay behind an earlier loop: one writes what the other uses.
  bool depends_on(const PreparedLoop& earlier) const;

  /// Plans and compiles it anew: after better Parameters went on record.
  void make_again();

  const LoopShape& shape() const { return shape_; }
  const LoopOver& over() const { return over_; }
  std::span<const Arg> arguments() const { return arguments_; }
  LoopParts& parts() { return parts_; }
  /// Of its ranges that need one, on the device.
  std::span<const DevicePlanPtr> plans() const { return made_->plans(); }
  LoopReport report();
  void clear_report();

 private:
  void count_in(CallLog& log, std::int64_t prepare_ns);
  LoopSession& session_;
  Kernel kernel_;
  LoopOver over_;
  std::vector<Arg> arguments_;
  std::uint64_t hash_ = 0, last_call_ = 0;
  LoopShape shape_;
  std::vector<const void*> used_, written_;
  bool has_extrema_ = false;
  LoopParts parts_;
  std::unique_ptr<MadeLoop> made_;
  LoopReport report_;
  CallCounter* counter_ = nullptr;  ///< null: calls are not recorded
};

}  // namespace kiln::mesh
