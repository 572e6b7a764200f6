// A loop's making, from its shape to launches: parts, plans, the pieces that are launched, and what
// the parameters of its kernel are set to.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/clock.hpp"
#include "kernel/resolver/explain.hpp"
#include "mesh/codegen/loop_text.hpp"
#include "mesh/loop/arguments.hpp"
#include "mesh/loop/lane_trial.hpp"
#include "mesh/loop/made_loop.hpp"

namespace kiln::mesh {

class LoopMaker {
 public:
  LoopMaker(LoopSession& session, const LoopShape& shape, const LoopOver& over,
            std::span<const Arg> arguments, LoopParts& parts, LoopReport& report, PlanSource& plans)
      : session_(session),
        shape_(shape),
        over_(over),
        arguments_(arguments),
        of_parts_(parts),
        report_(report),
        plans_(plans),
        request_(
            make_request(shape, session.loop_device(), static_cast<std::int64_t>(sizes()[1]))) {}

  std::unique_ptr<MadeLoop> make() {
    return make(session_.resolver().choose(request_, *session_.device()));
  }

  std::unique_ptr<MadeLoop> make(const ChosenParameters& chosen) {
    made_->parts_ = &of_parts_;
    made_->note_data(shape_, over_, arguments_);
    chosen_ = chosen;
    const unsigned units = session_.device()->compute_units;
    parameters_ = with_block(chosen_.parameters, shape_, request_.problem_size, units);
    cut_ = {parameters_, units};
    plan_parts();
    ask_lanes();
    note_lanes();
    compile();
    const bool folds = !fold_parameters(shape_).empty();
    if (folds)
      make_partials();
    else
      add_joined();
    std::size_t slot = 0;
    for (const Part& part : parts_) {
      if (!part.range.counts) counted_ = std::min(counted_, slot);
      for (const Piece& piece : part.pieces) {
        add_launch(part, piece, slot);
        slot += piece.groups;
      }
      made_->core_launches_ += part.core_pieces;
    }
    made_->loop_launches_ = made_->launches_.size();
    if (folds && slot > 0) add_fold(std::min(counted_, slot));
    made_->bytes_ = bytes_moved(shape_, arguments_, sizes()[1]);
    if (!is_trial()) made_->times_.record(session_.recording.get(), shape_.kernel);
    report_.form = cut_.text(report_.colours);
    return std::move(made_);
  }

 private:
  using Kind = KernelParameter::Kind;
  /// Work-groups that run in one launch.
  struct Piece {
    std::size_t begin = 0, end = 0;  ///< elements, or positions in the plan's order
    std::size_t first_block = 0, groups = 0;
  };
  struct Part {
    LoopRange range;
    MeshPlan plan;
    std::vector<Piece> pieces;
    std::size_t core_pieces = 0;  ///< of these: they need nothing from others
    DevicePlanPtr on_device;      ///< the plan's arrays; null: no plan
  };

  /// Of trials nothing is kept, and nothing told.
  bool is_trial() const { return chosen_.is_trial; }

  const std::array<std::size_t, 4>& sizes() const { return over_.sizes(); }

  // Into which launches a loop's elements are cut, and the plans for that.

  void plan_parts() {
    const bool is_joined = cut_.form == Form::coloured && needs_plan(shape_, cut_.form) &&
                           of_parts_.exchange && fold_parameters(shape_).empty();
    for (const LoopRange& range :
         is_joined ? with_core_joined(of_parts_.ranges) : of_parts_.ranges) {
      Part part;
      part.range = range;
      if (needs_plan(shape_, cut_.form))
        cut_by_plan(part);
      else
        part.pieces = {{range.begin, range.end, 0, cut_.groups_for(range.end - range.begin)}};
      part.core_pieces = range.is_core ? part.pieces.size() : part.plan.first_late_colour();
      parts_.push_back(std::move(part));
    }
  }

  void cut_by_plan(Part& part) {
    fetch_plan(part);
    const auto starts = part.plan.color_offs;
    for (std::size_t colour = 0; colour < part.plan.ncolors(); ++colour) {
      const auto first = static_cast<std::size_t>(starts[colour]);
      const auto end = static_cast<std::size_t>(starts[colour + 1]);
      if (cut_.in_blocks())
        part.pieces.push_back({part.range.begin, part.range.end, first, end - first});
      else
        part.pieces.push_back({first, end, 0, cut_.groups_for(end - first)});
    }
  }

  void fetch_plan(Part& part) {
    const Stopwatch watch;
    const Scheme scheme = cut_.form == Form::staged     ? Scheme::staged
                          : cut_.form == Form::coloured ? Scheme::permuted
                                                        : Scheme::blocks;
    auto made = plan_input_of(shape_, over_, arguments_, part.range.begin, part.range.end, scheme,
                              static_cast<std::uint32_t>(cut_.block));
    made.input.first_late = part.range.first_late;
    EnvironmentExplanation environment;
    Explanation explanation;
    part.plan = MeshPlan(plans_.resolve(made.input, &explanation, shape_.kernel));
    for (const auto identity : made.identities) plans_.forget(identity);
    if (session_.options.check)
      if (const auto wrong = check_plan(made.input, part.plan); !wrong.empty())
        throw Error(Errc::internal, fmt::format("loop {}: its plan: {}", shape_.kernel, wrong));
    if (session_.recording != nullptr && !is_trial()) session_.recording->add(explanation);
    if (explains_by_environment()) *environment.get() = explanation;
    const bool was_made = std::any_of(explanation.steps.begin(), explanation.steps.end(),
                                      [](const auto& step) { return step.layer == "make"; });
    if (!was_made) ++report_.plan_hits;
    report_.plan_seconds += watch.seconds();
    const Device& device = *session_.device();
    if (cut_.form == Form::staged && part.plan.nshared() > device.local_memory)
      throw Error(Errc::unsupported,
                  fmt::format("loop {}: a block of {} elements stages {} bytes, {} has {} of local "
                              "memory",
                              shape_.kernel, cut_.block, part.plan.nshared(), device.name,
                              device.local_memory));
    report_.colours = std::max(report_.colours, part.plan.ncolors());
    part.on_device = session_.device_plans.get(*session_.context(), part.plan);
    made_->plans_.push_back(part.on_device);
  }

  // Its program.

  /// Which built-in functions its kernel calls on vectors, where it has lanes.
  void ask_lanes() {
    LanesFound found = find_lanes(request_, parameters_, session_.resolver(), session_.context(),
                                  session_.device());
    lane_notes_ = std::move(found.notes);
    if (of_parts_.is_distributed) agree_on_lanes(found.has_asked);
    if (!found.trial) return;
    if (session_.recording != nullptr && !is_trial()) session_.recording->add(*found.trial);
    if (explains_by_environment()) *EnvironmentExplanation().get() = *found.trial;
  }

  /// All parts call a built-in function on vectors, or none does. At the loop's first call; later
  /// ones, and trials, which parts make alone, keep to that.
  void agree_on_lanes(bool has_asked) {
    if (built_ins_of(shape_).empty()) return;
    if (!of_parts_.lanes) {
      // A part that works on one element at a time has nothing against it.
      const std::uint64_t mine = has_asked ? lane_bits(request_) : ~std::uint64_t{0};
      of_parts_.lanes = common_lanes(*session_.transport, shape_.kernel, mine);
    }
    if (has_asked) keep_lanes(request_, *of_parts_.lanes);
  }

  void compile() {
    std::vector<KernelVariant> wanted;
    const auto want = [&](const KernelVariant& variant) {
      const bool known = std::any_of(wanted.begin(), wanted.end(), [&](const auto& other) {
        return other.kernel == variant.kernel && other.variant == variant.variant;
      });
      if (!known) wanted.push_back(variant);
    };
    for (const Part& part : parts_)
      for (const Piece& piece : part.pieces)
        want(variant_of(loop_kernel(shape_), cut_.range_of(piece.groups)));
    if (const auto piece = joined_piece())
      want(variant_of(loop_kernel(shape_), cut_.range_of(piece->groups)));
    if (!fold_parameters(shape_).empty()) want(variant_of(fold_kernel(shape_), fold_range()));
    program_ = &session_.program(request_, chosen_, wanted, report_, lane_notes_);
  }

  NDRange fold_range() const { return LoopCut::range_of(1, fold_group(parameters_)); }

  // Its launches.

  /// Memory for a slot of every group of every launch.
  void make_partials() {
    std::size_t slots = 0;
    for (const Part& part : parts_)
      for (const Piece& piece : part.pieces) slots += piece.groups;
    for (const auto& parameter : fold_parameters(shape_)) {
      if (parameter.kind != Kind::partials) continue;
      const std::size_t bytes =
          std::max<std::size_t>(slots, 1) * global(parameter.number).data.bytes();
      cl_int status = CL_SUCCESS;
      cl::Buffer buffer(session_.context()->cl(), CL_MEM_READ_WRITE, bytes, nullptr, &status);
      check_cl(status, "clCreateBuffer");
      made_->buffers_.push_back(buffer);
      partials_[parameter.number] = buffer();
    }
  }

  void add_launch(const Part& part, const Piece& piece, std::size_t slot) {
    set_all(made_->launches_.emplace_back(session_.context(), *program_, loop_kernel(shape_)), part,
            piece, slot);
  }
  void set_all(Launch& launch, const Part& part, const Piece& piece, std::size_t slot) {
    unsigned position = 0;
    for (const auto& parameter : loop_parameters(shape_, parameters_))
      set(launch, position++, parameter, part, piece, slot);
    launch.set_range(cut_.range_of(piece.groups));
  }

  /// One launch in place of those of the core and of what follows it without a gap.
  void add_joined() {
    const auto piece = joined_piece();
    if (!piece) return;
    made_->joined_.emplace(session_.context(), *program_, loop_kernel(shape_));
    set_all(*made_->joined_, parts_.front(), *piece, 0);
  }
  std::optional<Piece> joined_piece() const {
    if (parts_.size() != 2 || needs_plan(shape_, cut_.form) || !fold_parameters(shape_).empty() ||
        parts_[0].range.end != parts_[1].range.begin)
      return std::nullopt;
    const std::size_t begin = parts_[0].range.begin, end = parts_[1].range.end;
    return Piece{begin, end, 0, cut_.groups_for(end - begin)};
  }

  void add_fold(std::size_t count) {
    Launch& launch =
        made_->launches_.emplace_back(session_.context(), *program_, fold_kernel(shape_));
    unsigned position = 0;
    for (const auto& parameter : fold_parameters(shape_)) {
      if (parameter.kind == Kind::partials)
        launch.set_memory(position, partials_.at(parameter.number));
      else if (parameter.kind == Kind::global_result)
        launch.set_memory(position, memory(global(parameter.number).data));
      else
        launch.set_scalar(position, static_cast<cl_int>(count));
      ++position;
    }
    launch.set_range(fold_range());
  }

  // The parameters of its kernel.

  /// The first argument of a kind with this number among its data.
  const Arg& argument(Arg::Kind kind, int number) const {
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (shape_.arguments[i].kind == kind && shape_.arguments[i].data == number)
        return arguments_[i];
    throw Error(Errc::internal, fmt::format("loop {}: no data {}", shape_.kernel, number));
  }
  Residence& dat(int number) const { return dat_of(argument(Arg::Kind::dat, number)).data; }
  GlobalState& global(int number) const { return global_of(argument(Arg::Kind::global, number)); }
  cl_mem memory(Residence& data) const { return data.on_device(session_.queue); }

  void set(Launch& launch, unsigned position, const KernelParameter& parameter, const Part& part,
           const Piece& piece, std::size_t slot) {
    const auto integer = [&](std::size_t value) {
      launch.set_scalar(position, static_cast<cl_int>(value));
    };
    const auto array = [&](Residence& data) { launch.set_memory(position, memory(data)); };
    const int n = parameter.number;
    switch (parameter.kind) {
      case Kind::dat:
        return array(dat(n));
      case Kind::dat_stride:
        return launch.set_scalar(position, static_cast<cl_long>(dat(n).form().elements));
      case Kind::global:
        return array(global(n).data);
      case Kind::partials:
        return launch.set_memory(position, partials_.at(n));
      case Kind::constant:
        return set_constant(launch, position, n);
      case Kind::mat_values:
        return array(data_of(argument(Arg::Kind::mat, n)));
      case Kind::mat_rowptr:
        return array(sparsity_of(argument(Arg::Kind::mat, n)).rowptr());
      case Kind::mat_colidx:
        return array(sparsity_of(argument(Arg::Kind::mat, n)).colidx());
      case Kind::map:
        return array(map_of(shape_, arguments_, n).values);
      case Kind::map_offset:
        return array(*map_of(shape_, arguments_, n).device_offsets);
      case Kind::begin:
        return integer(piece.begin);
      case Kind::end:
        return integer(piece.end);
      case Kind::subset:
        return array(over_.subset->device);
      case Kind::layers:
        return integer(over_.layers - 1);
      case Kind::block_size:
        return integer(cut_.block);
      case Kind::first_block:
        return integer(piece.first_block);
      case Kind::blkmap:
      case Kind::order:
      case Kind::ind_map:
      case Kind::ind_sizes:
      case Kind::ind_offsets:
      case Kind::loc_map:
      case Kind::element_colours:
      case Kind::colour_counts:
        return launch.set_memory(position, part.on_device->arrays.at(parameter.kind)());
      case Kind::local_bytes:
        return launch.set_local(position, std::max<std::size_t>(part.plan.nshared(), 16));
      case Kind::first_partial:
        return integer(slot);
      case Kind::partial_count:
      case Kind::global_result:
        break;  // of the fold alone
    }
    throw Error(Errc::internal, "a loop's kernel has a parameter of its fold");
  }

  void set_constant(Launch& launch, unsigned position, int number) {
    const std::string& name = shape_.constants[static_cast<std::size_t>(number)].name;
    const auto state =
        *std::ranges::find(session_.constants, name,
                           [](const auto& known) -> const std::string& { return known->name; });
    const bool is_scalar = state->dim == 1;
    if (!is_scalar) launch.set_memory(position, memory(state->data));
    for (const auto& known : made_->constants_)
      if (known.position == position) return;
    if (!is_scalar) made_->inputs_.push_back(&state->data);
    made_->constants_.push_back({state, position, is_scalar ? 0 : state->version});
  }

  // What its report says of its form.

  /// How many elements go at once, and why not more. The kernel is read for it even where its
  /// program is in the store: not for trials, nor where no report asks for it.
  void note_lanes() const {
    if (cut_.form != Form::blocks || is_trial()) return;
    if (!session_.options.timing && !explains_by_environment()) return;
    try {
      report_.lanes_obstacle =
          lanes_obstacle(shape_, parameters_, request_.payload.as<LoopPayload>().on_vectors);
    } catch (const Error& error) {
      report_.lanes_obstacle = error.what();
    }
    report_.lanes =
        report_.lanes_obstacle.empty()
            ? static_cast<std::size_t>(std::max<std::int64_t>(parameters_.get("LANES", 1), 1))
            : 1;
  }

  LoopSession& session_;
  const LoopShape& shape_;
  const LoopOver& over_;
  std::span<const Arg> arguments_;
  LoopParts& of_parts_;
  LoopReport& report_;
  PlanSource& plans_;
  Request request_;
  std::unique_ptr<MadeLoop> made_ = std::make_unique<MadeLoop>();
  ChosenParameters chosen_;
  Parameters parameters_;  ///< those chosen, with a BLOCK
  LoopCut cut_;
  std::vector<std::string> lane_notes_;  ///< of built-in functions that are called for each lane
  std::vector<Part> parts_;
  Program* program_ = nullptr;
  std::map<int, cl_mem> partials_;
  std::size_t counted_ = std::numeric_limits<std::size_t>::max();
};

std::unique_ptr<MadeLoop> make_loop(LoopSession& session, const LoopShape& shape,
                                    const LoopOver& over, std::span<const Arg> arguments,
                                    LoopParts& parts, LoopReport& report) {
  return LoopMaker(session, shape, over, arguments, parts, report, session.plans()).make();
}

std::unique_ptr<MadeLoop> make_loop(LoopSession& session, const LoopShape& shape,
                                    const LoopOver& over, std::span<const Arg> arguments,
                                    LoopParts& parts, const ChosenParameters& trial,
                                    PlanSource& plans) {
  LoopReport unread;
  return LoopMaker(session, shape, over, arguments, parts, unread, plans).make(trial);
}

}  // namespace kiln::mesh
