#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mesh/codegen/loop_generator.hpp"
#include "mesh/halo/parts.hpp"
#include "mesh/loop/loop_plan.hpp"
#include "mesh/loop/loop_queue.hpp"
#include "mesh/loop/timing.hpp"
#include "mesh/model/session.hpp"
#include "mesh/plan/plan_source.hpp"

namespace kiln::mesh {

/// A Session with what loops keep in it: those that were prepared and those that wait, plans, and
/// what is noted of their times. One thread at a time.
struct LoopSession : Session {
  LoopSession(const Mesh::Options& options, const Runtime& runtime);

  /// Every Session is one: a Mesh makes no others.
  static LoopSession& of(Session& session) { return static_cast<LoopSession&>(session); }

  void run_for(const void* state, For what) override;
  void run_all() override;
  std::string users_of(const void* state) const override { return loops.users_of(state); }
  bool forget_loops(const void* state) override {
    return loops.forget_loops(state, is_distributed());
  }

  void bring_together(GlobalState& global) override;
  void forget_share(GlobalState& global) override;
  void exchange_all(DatState& dat) override;
  void record(TimelineSpan span) override { recording->add(std::move(span)); }
  void forget_parts() override;

  /// Of a distributed Mesh.
  Parts& parts();

  PlanSource& plans() { return plans_; }
  /// What of the device decides how loops run on it.
  LoopDevice loop_device() const { return loop_device_of(*device()); }
  /// Bytes a second; measured once in a process.
  double copy_bandwidth();

  /// Resolves a program, and notes in a report what that took and whether it had to be compiled; in
  /// the recording, too, but for trials. `lane_notes` are for its explanation, where it has lanes.
  /// Throws kiln::Error.
  Program& program(const Request& request, const ChosenParameters& chosen,
                   const std::vector<KernelVariant>& wanted, LoopReport& report,
                   const std::vector<std::string>& lane_notes = {});

  const std::unique_ptr<Recording> recording;  ///< null: nothing is kept for a timeline
  DevicePlans device_plans;
  LoopQueue loops;

 protected:
  void forget(const void* state, std::uint64_t id) override;

 private:
  struct Ending;
  PlanSource plans_;
  std::unique_ptr<Parts> parts_;  ///< null: not yet asked for
};

}  // namespace kiln::mesh
