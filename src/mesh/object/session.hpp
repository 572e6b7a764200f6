#pragma once

#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/lifetime.hpp"
#include "kernel/resolver.hpp"
#include "mesh/code/loop_generator.hpp"
#include "mesh/loop/device_plans.hpp"
#include "mesh/loop/loop_queue.hpp"
#include "mesh/matrix/products.hpp"
#include "mesh/object/recording.hpp"
#include "mesh/object/state.hpp"
#include "mesh/plan/plan_source.hpp"

namespace kiln::mesh {

/// What a Mesh and all its handles share: the device, the Resolver, the constants, the loops. One
/// thread at a time.
struct Session {
 private:
  // First, so that it goes last: a Resolver outlives the contexts that it makes programs for.
  std::unique_ptr<Resolver> own_resolver_;  ///< null: the process's own

 public:
  Session(const Mesh::Options& options, DevicePtr device);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Resolver& resolver() { return *resolver_; }
  /// Whether a Resolver is one for trials, of which nothing is kept and nothing told.
  bool is_for_trials(const Resolver& resolver) const { return &resolver != resolver_; }
  PlanSource& plans() { return *plans_; }
  const ContextPtr& context() const { return queue.context(); }
  const DevicePtr& device() const { return queue.device(); }

  /// Makes a state that tells the Session when its last handle goes: loops that are queued and need
  /// it run first, those that were prepared with it are forgotten.
  template <class State>
  std::shared_ptr<State> keep(std::unique_ptr<State> state) {
    LiveStates::add(state.get(), typeid(State));
    return std::shared_ptr<State>(state.release(), [](State* gone) {
      const auto session = gone->session;
      // New values of a Global may be on their way without any loop.
      bool may_be_written = false;
      if constexpr (requires { gone->given_nan; }) may_be_written = gone->data.was_used();
      session->part_with(gone, may_be_written);
      session->plans_->forget(gone->id);
      LiveStates::remove(gone);
      delete gone;
    });
  }
  /// The same for a state whose owner frees its memory.
  void part_with(const void* state, bool may_be_written = false) noexcept;
  /// Throws what went wrong where nobody could be told: a loop that ran because a handle went.
  void throw_pending();

  /// What of the device decides how loops run on it.
  LoopDevice loop_device() const;
  /// Bytes a second; measured once.
  double copy_bandwidth();

  Mesh::Options options;
  const std::unique_ptr<Recording> recording;  ///< null: nothing is kept for a timeline
  Queue queue;
  std::vector<std::shared_ptr<ConstState>> constants;          ///< by name, rising
  std::vector<std::weak_ptr<SparsityState>> sparsities;        ///< those that somebody holds
  std::vector<std::unique_ptr<MatrixKernels>> matrix_kernels;  ///< one for each shape that was used
  std::vector<std::unique_ptr<MatrixWork>> matrix_work;        ///< one for each name that was used
  /// Grows when products were tuned: matrices look for their kernels again.
  std::uint64_t matrix_tunings = 0;
  DevicePlans device_plans;
  Products products;
  LoopQueue loops;

  /// Something beside loops was enqueued: memory that goes may still be in use.
  void launched() { is_launched_ = true; }

 private:
  void add_generator();
  Resolver* resolver_;
  std::unique_ptr<PlanSource> plans_;
  bool is_launched_ = false;
  std::exception_ptr pending_;
  double copy_bandwidth_ = 0;
};

/// A Mesh's Session. Throws bad_input where the Mesh was moved from.
inline const SessionPtr& not_moved(const SessionPtr& session) {
  held(session, "Mesh");
  return session;
}

}  // namespace kiln::mesh
