#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mesh/loop/loop_parts.hpp"
#include "mesh/loop/loop_plan.hpp"
#include "mesh/loop/loop_session.hpp"
#include "mesh/loop/timing.hpp"
#include "mesh/model/loop_shape.hpp"

namespace kiln::mesh {

/// How Parameters give a loop's elements to work-groups.
struct LoopCut {
  LoopCut() = default;
  LoopCut(const Parameters& parameters, unsigned compute_units);
  bool in_blocks() const { return form == Form::blocks || form == Form::staged; }
  /// Work-groups for so many elements: one a block, or those that stride over them.
  std::size_t groups_for(std::size_t elements) const;
  NDRange range_of(std::size_t groups) const { return range_of(groups, group); }
  static NDRange range_of(std::size_t groups, std::size_t group);
  /// "blocks of 128 in 4 colours"
  std::string text(std::size_t colours) const;

  Form form = Form::blocks;
  std::size_t block = 1;  ///< elements, where there are blocks
  std::size_t group = 1;  ///< work-items
  unsigned compute_units = 1;
};

/// A loop planned, compiled and with its arguments set: launches in order. One thread.
class MadeLoop {
 public:
  /// Brings what is read to the device, exchanging halos that are stale and bringing together what
  /// all parts have of the Globals that it reads, enqueues the launches, notes what they change,
  /// also where one of them or an exchange fails. Allocates nothing but where times are taken.
  /// `next`: those of the loop that runs right after it, or null; what it brings of others begins
  /// as soon as what it sends is computed. Throws kiln::Error, and what a HaloExchange throws.
  void run(const Queue& queue, bool is_timed, LoopParts* next);

  /// The same for a trial, whose results are put back: halos are taken as they are, nothing is
  /// exchanged and no halo becomes stale. So parts of a distributed mesh may try different things.
  void try_out(const Queue& queue, bool is_timed);
  /// Exchanges the halos that run() would exchange.
  void refresh_halos(const Queue& queue);

  /// run() in two parts, for a loop without halos: what is read comes by the first queue, which is
  /// waited for, the launches go to the second one.
  void bring_inputs(const Queue& queue);
  void launch(const Queue& queue, bool is_timed);
  bool has_halos() const {
    return parts_->is_distributed || !halo_reads_.empty() || !halo_writes_.empty();
  }

  /// The launches alone.
  void enqueue(const Queue& queue) { launch_all(queue, false); }
  void enqueue(const Queue& queue, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) launches_[i].enqueue(queue.cl()());
  }

  /// Of the timed runs, on the device's clock; waits for them.
  double seconds() { return times_.seconds(); }
  void clear_seconds() { times_.clear(); }
  /// That a run moves: each datum once, maps included, what is read and written twice.
  std::size_t bytes() const { return bytes_; }
  std::span<const DevicePlanPtr> plans() const { return plans_; }

 private:
  friend class LoopMaker;
  struct Constant {
    std::shared_ptr<ConstState> state;
    unsigned position = 0;
    std::uint64_t seen = 0;
  };
  /// What must be on the device, what changes, and the Dats whose halos a run reads or changes.
  void note_data(const LoopShape& shape, const LoopOver& over, std::span<const Arg> arguments);
  void note_halo(DatState& dat, const LoopShape& shape, const Arg& arg);
  void set_constants();
  void launch(const Queue& queue, bool is_timed, std::size_t begin, std::size_t end,
              const char* half = "");
  void launch_all(const Queue& queue, bool is_timed);
  void launch_ahead_of(LoopParts& next, const Queue& queue, bool is_timed);
  void note_changes();
  void prepare_parts();
  bool begin_exchanges(const Queue& queue);
  void end_exchanges(const Queue& queue);

  std::deque<Launch> launches_;  ///< of the loop, then, where it reduces, the fold
  /// All of these in one, for runs that wait for no halo; where there are not several, or they
  /// need plans, none.
  std::optional<Launch> joined_;
  std::vector<Residence*> inputs_, outputs_;
  std::vector<GlobalState*> extrema_;
  std::vector<Constant> constants_;
  LoopParts* parts_ = nullptr;                       ///< its PreparedLoop's
  std::vector<DatState*> halo_reads_, halo_writes_;  ///< Dats with a halo: read there, changed
  std::size_t core_launches_ = 0;                    ///< of launches_, those that need no halo
  std::size_t loop_launches_ = 0;                    ///< of launches_, those that get the constants
  std::vector<cl::Buffer> buffers_;                  ///< of partial results
  std::vector<DevicePlanPtr> plans_;                 ///< held, so that other loops find them
  LaunchTimes times_;
  std::size_t bytes_ = 0;
};

/// Plans and compiles a checked loop through the Session's Resolver, and notes in `report` what
/// that took and came to. Throws kiln::Error: build with the user's file and line, device.
std::unique_ptr<MadeLoop> make_loop(LoopSession& session, const LoopShape& shape,
                                    const LoopOver& over, std::span<const Arg> arguments,
                                    LoopParts& parts, LoopReport& report);

/// The same with given Parameters and plans of their own: for trials.
std::unique_ptr<MadeLoop> make_loop(LoopSession& session, const LoopShape& shape,
                                    const LoopOver& over, std::span<const Arg> arguments,
                                    LoopParts& parts, const ChosenParameters& trial,
                                    PlanSource& plans);

}  // namespace kiln::mesh
