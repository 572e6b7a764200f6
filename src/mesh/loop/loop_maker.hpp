#pragma once

#include <algorithm>
#include <map>
#include <memory>

#include "mesh/codegen/layout.hpp"
#include "mesh/loop/made_loop.hpp"
#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {

/// One loop's making: from shape to launches.
class LoopMaker {
 public:
  LoopMaker(LoopSession& session, const LoopShape& shape, const LoopOver& over,
            std::span<const Arg> arguments, LoopReport& report, PlanSource& plans)
      : session_(session),
        shape_(shape),
        over_(over),
        arguments_(arguments),
        report_(report),
        plans_(plans),
        request_(
            make_request(shape, session.loop_device(), static_cast<std::int64_t>(sizes()[1]))) {}

  std::unique_ptr<MadeLoop> make() {
    return make(session_.resolver().choose(request_, *session_.device()));
  }
  std::unique_ptr<MadeLoop> make(const ChosenParameters& chosen);

 private:
  using Kind = KernelParameter::Kind;
  /// Work-groups that run in one launch.
  struct Piece {
    std::size_t begin = 0, end = 0;  ///< elements, or positions in the plan's order
    std::size_t first_block = 0, groups = 0;
  };
  struct Part {
    std::size_t begin = 0, end = 0;
    bool is_core = false;
    bool counts = true;  ///< for reductions: redundantly computed elements do not
    MeshPlan plan;
    std::vector<Piece> pieces;
    DevicePlanPtr on_device;  ///< the plan's arrays; null: no plan
  };

  /// Of trials nothing is kept, and nothing told.
  bool is_trial() const { return chosen_.is_trial; }

  const std::array<std::size_t, 4>& sizes() const {
    return over_.subset != nullptr ? over_.subset->sizes : over_.set->sizes;
  }
  std::size_t number(const char* name, std::int64_t least = 1) const {
    return static_cast<std::size_t>(std::max(least, parameters_.get(name, least)));
  }

  /// Elements that others own are computed here, too, where the loop changes what they reach.
  bool needs_exec_halo() const;

  void plan_parts();

  void fetch_plan(Part& part);

  /// Work-groups for so many elements where groups stride over them.
  std::size_t groups_for(std::size_t elements) const;

  void cut(Part& part);

  NDRange range_of(const Piece& piece) const;

  void compile();

  NDRange fold_range() const;

  void collect_residences();

  /// Halo elements are read through Maps; directly where they are computed redundantly.
  void note_halo(DatState& dat, const Arg& arg);

  template <class State>
  static State& mutable_state(const Arg& arg) {
    return *const_cast<State*>(static_cast<const State*>(arg.data));
  }

  /// The first argument of a kind with this number among its data.
  const Arg& argument(ArgShape::Kind kind, int number) const;
  MapState& map(int number) const;
  Residence& dat(int number) const {
    return mutable_state<DatState>(argument(ArgShape::Kind::dat, number)).data;
  }
  GlobalState& global(int number) const {
    return mutable_state<GlobalState>(argument(ArgShape::Kind::global, number));
  }
  MatState& mat(int number) const {
    return mutable_state<MatState>(argument(ArgShape::Kind::mat, number));
  }

  cl_mem memory(Residence& data) const { return data.on_device(session_.queue); }

  /// Memory for a slot of every group of every launch.
  void make_partials();

  void add_launch(const Part& part, const Piece& piece, std::size_t slot);

  void set(Launch& launch, unsigned position, const KernelParameter& parameter, const Part& part,
           const Piece& piece, std::size_t slot);

  void set_constant(Launch& launch, unsigned position, int number);

  void add_fold(std::size_t count);

  /// Each datum once; what is read and written twice; of a set that Maps reach no more than they
  /// name.
  std::size_t bytes_moved() const;
  std::size_t dat_bytes(std::size_t argument) const;
  std::size_t matrix_bytes(std::size_t argument, std::size_t ways) const;

  void describe_form() const;

  /// Where times or explanations are asked for: how many elements go at once, and why not more.
  void note_lanes() const;

  LoopSession& session_;
  const LoopShape& shape_;
  const LoopOver& over_;
  std::span<const Arg> arguments_;
  LoopReport& report_;
  PlanSource& plans_;
  Request request_;
  std::unique_ptr<MadeLoop> made_ = std::make_unique<MadeLoop>();
  ChosenParameters chosen_;
  Parameters parameters_;  ///< those chosen, with a BLOCK
  Form form_ = Form::blocks;
  bool needs_plan_ = false;
  std::vector<Part> parts_;
  Program* program_ = nullptr;
  std::map<int, cl_mem> partials_;
  std::size_t counted_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace kiln::mesh
