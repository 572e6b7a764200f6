#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/clock.hpp"
#include "mesh/code/layout.hpp"
#include "mesh/code/loop_generator.hpp"
#include "mesh/loop/made_loop.hpp"
#include "mesh/loop/plan_input_of.hpp"
#include "mesh/plan/check.hpp"

namespace kiln::mesh {
namespace {

using Kind = KernelParameter::Kind;

Scheme scheme_of(Form form) {
  return form == Form::staged     ? Scheme::staged
         : form == Form::coloured ? Scheme::permuted
                                  : Scheme::blocks;
}

}  // namespace

/// One loop's making: from shape to launches.
class LoopMaker {
 public:
  LoopMaker(Session& session, const LoopShape& shape, const LoopOver& over,
            std::span<const Arg> arguments, LoopReport& report, Resolver& resolver,
            PlanSource& plans)
      : session_(session),
        shape_(shape),
        over_(over),
        arguments_(arguments),
        report_(report),
        resolver_(resolver),
        plans_(plans) {}

  std::unique_ptr<MadeLoop> make() {
    collect_residences();
    request_ = make_request(shape_, session_.loop_device(), static_cast<std::int64_t>(sizes()[1]));
    // Programs belong to the context, whoever made them: what was compiled for a trial must not
    // stand in for one that is to be kept.
    if (&resolver_ != &session_.resolver()) request_.facts.push_back({"trial", std::int64_t{1}});
    parameters_ = resolver_.parameters(request_, *session_.device());
    form_ = form_of(parameters_);
    if (parameters_.get("BLOCK", 0) == 0)
      parameters_.set("BLOCK", default_block(shape_, form_, request_.problem_size,
                                             session_.device()->compute_units));
    needs_plan_ = form_ == Form::staged ||
                  (has_conflicts(shape_) && (form_ == Form::blocks || form_ == Form::coloured));
    plan_parts();
    compile();
    const bool folds = !fold_parameters(shape_).empty();
    if (folds) make_partials();
    std::size_t slot = 0;
    for (const Part& part : parts_) {
      if (!part.counts) counted_ = std::min(counted_, slot);
      for (const Piece& piece : part.pieces) {
        add_launch(part, piece, slot);
        slot += piece.groups;
      }
      if (part.is_core) made_->core_launches_ = made_->launches_.size();
    }
    made_->loop_launches_ = made_->launches_.size();
    if (folds && slot > 0) add_fold(std::min(counted_, slot));
    made_->bytes_ = bytes_moved();
    describe_form();
    return std::move(made_);
  }

 private:
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
    std::map<Kind, cl_mem> arrays;
  };

  const std::array<std::size_t, 4>& sizes() const {
    return over_.subset != nullptr ? over_.subset->sizes : over_.set->sizes;
  }
  std::size_t number(const char* name, std::int64_t least = 1) const {
    return static_cast<std::size_t>(std::max(least, parameters_.get(name, least)));
  }

  /// Elements that others own are computed here, too, where the loop changes what they reach.
  bool needs_exec_halo() const {
    return std::any_of(shape_.arguments.begin(), shape_.arguments.end(), [](const ArgShape& arg) {
      return arg.kind == ArgShape::Kind::mat || (arg.map >= 0 && arg.access != Access::read);
    });
  }

  void plan_parts() {
    const auto& at = sizes();
    const std::size_t last = needs_exec_halo() ? 3 : 2;
    for (std::size_t i = 0; i < last; ++i) {
      Part part;
      part.begin = i == 0 ? 0 : at[i - 1];
      part.end = at[i];
      part.is_core = i == 0;
      part.counts = i < 2;
      if (part.begin == part.end) continue;
      if (needs_plan_) fetch_plan(part);
      cut(part);
      parts_.push_back(std::move(part));
    }
  }

  void fetch_plan(Part& part) {
    const Stopwatch watch;
    const auto made = plan_input_of(shape_, over_, arguments_, part.begin, part.end,
                                    scheme_of(form_), static_cast<std::uint32_t>(number("BLOCK")));
    const PlanInput& input = made.input;
    EnvironmentExplanation environment;
    Explanation explanation;
    part.plan = MeshPlan(plans_.resolve(input, &explanation));
    if (session_.options.check)
      if (const auto wrong = check_plan(input, part.plan); !wrong.empty())
        throw Error(Errc::internal, fmt::format("loop {}: its plan: {}", shape_.kernel, wrong));
    if (explains_by_environment()) *environment.get() = explanation;
    const bool was_made = std::any_of(explanation.steps.begin(), explanation.steps.end(),
                                      [](const auto& step) { return step.layer == "make"; });
    if (!was_made) ++report_.plan_hits;
    report_.plan_seconds += watch.seconds();
    if (form_ == Form::staged && part.plan.nshared() > session_.device()->local_memory)
      throw Error(Errc::unsupported,
                  fmt::format("loop {}: a block of {} elements stages {} bytes, {} has {} of local "
                              "memory",
                              shape_.kernel, number("BLOCK"), part.plan.nshared(),
                              session_.device()->name, session_.device()->local_memory));
    report_.colours = std::max(report_.colours, part.plan.ncolors());
    for (const auto identity : made.identities) session_.plans().forget(identity);
    upload(part);
    made_->plans_.push_back(part.plan);
  }

  template <class T>
  cl_mem upload(std::span<const T> values) {
    // No buffer is of no bytes; nobody reads one that is empty.
    const std::size_t bytes = std::max<std::size_t>(values.size_bytes(), sizeof(T));
    cl_int status = CL_SUCCESS;
    const T none{};
    cl::Buffer buffer(session_.context()->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                      const_cast<T*>(values.empty() ? &none : values.data()), &status);
    check_cl(status, "clCreateBuffer");
    made_->buffers_.push_back(buffer);
    return buffer();
  }

  void upload(Part& part) {
    const MeshPlan& plan = part.plan;
    if (form_ == Form::coloured) {
      part.arrays[Kind::order] = upload(plan.order());
      return;
    }
    part.arrays[Kind::blkmap] = upload(plan.blkmap());
    if (form_ != Form::staged) return;
    part.arrays[Kind::ind_map] = upload(plan.ind_map());
    part.arrays[Kind::ind_sizes] = upload(plan.ind_sizes());
    part.arrays[Kind::ind_offsets] = upload(plan.ind_offs());
    part.arrays[Kind::loc_map] =
        plan.loc_bytes() == 2 ? upload(plan.loc_map16()) : upload(plan.loc_map32());
    part.arrays[Kind::element_colours] = upload(plan.thrcol());
    part.arrays[Kind::colour_counts] = upload(plan.nthrcol());
  }

  /// Work-groups for so many elements where groups stride over them.
  std::size_t groups_for(std::size_t elements) const {
    const std::size_t group = number("GROUP");
    const std::size_t most = std::size_t{session_.device()->compute_units} * number("WAVES", 64);
    return std::clamp<std::size_t>((elements + group - 1) / group, 1, most);
  }

  void cut(Part& part) {
    const bool in_blocks = form_ == Form::blocks || form_ == Form::staged;
    if (!needs_plan_) {
      const std::size_t count = part.end - part.begin, block = number("BLOCK");
      part.pieces = {
          {part.begin, part.end, 0, in_blocks ? (count + block - 1) / block : groups_for(count)}};
      return;
    }
    const auto starts = part.plan.color_offs();
    for (std::size_t colour = 0; colour < part.plan.ncolors(); ++colour) {
      const auto first = static_cast<std::size_t>(starts[colour]);
      const auto end = static_cast<std::size_t>(starts[colour + 1]);
      if (in_blocks)
        part.pieces.push_back({part.begin, part.end, first, end - first});
      else
        part.pieces.push_back({first, end, 0, groups_for(end - first)});
    }
  }

  NDRange range_of(const Piece& piece) const {
    NDRange range;
    range.local[0] = form_ == Form::blocks ? 1 : number("GROUP");
    range.global[0] = piece.groups * range.local[0];
    return range;
  }

  void compile() {
    const Stopwatch watch;
    std::vector<KernelVariant> wanted;
    const auto want = [&](const KernelVariant& variant) {
      const bool known = std::any_of(wanted.begin(), wanted.end(), [&](const auto& other) {
        return other.kernel == variant.kernel && other.variant == variant.variant;
      });
      if (!known) wanted.push_back(variant);
    };
    for (const Part& part : parts_)
      for (const Piece& piece : part.pieces) want(variant_of(loop_kernel(shape_), range_of(piece)));
    if (!fold_parameters(shape_).empty()) want(variant_of(fold_kernel(shape_), fold_range()));
    EnvironmentExplanation environment;
    Explanation explanation;
    program_ =
        &resolver_.resolve(request_, session_.context(), session_.device(), wanted, &explanation);
    if (explains_by_environment()) *environment.get() = explanation;
    const bool was_made =
        std::any_of(explanation.steps.begin(), explanation.steps.end(), [](const auto& step) {
          return step.answered && (step.layer == "compile" || step.layer == "variant");
        });
    if (!was_made) ++report_.program_hits;
    report_.compile_seconds += watch.seconds();
  }

  NDRange fold_range() const {
    NDRange range;
    range.local[0] = range.global[0] = fold_group(parameters_);
    return range;
  }

  void collect_residences() {
    const auto add = [](std::vector<Residence*>& list, Residence& one) {
      if (std::find(list.begin(), list.end(), &one) == list.end()) list.push_back(&one);
    };
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const Arg& arg = arguments_[i];
      Residence* data = nullptr;
      switch (arg.kind) {
        case Arg::Kind::dat: {
          auto& dat = mutable_state<DatState>(arg);
          data = &dat.data;
          note_halo(dat, arg);
          break;
        }
        case Arg::Kind::global: {
          auto& global = mutable_state<GlobalState>(arg);
          data = &global.data;
          if (arg.access == Access::min || arg.access == Access::max)
            made_->extrema_.push_back(&global);
          break;
        }
        case Arg::Kind::mat: {
          auto& mat = mutable_state<MatState>(arg);
          data = &mat.values;
          add(made_->inputs_, Handles::state(mat.sparsity)->rowptr());
          add(made_->inputs_, Handles::state(mat.sparsity)->colidx());
          break;
        }
      }
      add(made_->inputs_, *data);
      if (arg.access != Access::read) add(made_->outputs_, *data);
      for (const MapState* map : {arg.map, arg.column_map}) {
        if (map == nullptr) continue;
        auto& state = const_cast<MapState&>(*map);
        add(made_->inputs_, state.values);
        if (shape_.extruded) add(made_->inputs_, *state.device_offsets);
      }
    }
    if (over_.subset != nullptr) add(made_->inputs_, over_.subset->device);
  }

  /// Halo elements are read through Maps; directly where they are computed redundantly.
  void note_halo(DatState& dat, const Arg& arg) {
    if (!dat.has_halo()) return;
    const auto add = [&](std::vector<DatState*>& list) {
      if (std::find(list.begin(), list.end(), &dat) == list.end()) list.push_back(&dat);
    };
    const bool reads = arg.access == Access::read || arg.access == Access::rw;
    const bool reaches = arg.map != nullptr || needs_exec_halo();
    if (reads && reaches && Handles::state(dat.on.set())->exchange) add(made_->halo_reads_);
    if (arg.access != Access::read) add(made_->halo_writes_);
  }

  template <class State>
  static State& mutable_state(const Arg& arg) {
    return *const_cast<State*>(static_cast<const State*>(arg.data));
  }

  /// The first argument of a kind with this number among its data.
  const Arg& argument(ArgShape::Kind kind, int number) const {
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (shape_.arguments[i].kind == kind && shape_.arguments[i].data == number)
        return arguments_[i];
    throw Error(Errc::internal, fmt::format("loop {}: no data {}", shape_.kernel, number));
  }
  MapState& map(int number) const {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (shape_.arguments[i].map == number) return const_cast<MapState&>(*arguments_[i].map);
      if (shape_.arguments[i].column_map == number)
        return const_cast<MapState&>(*arguments_[i].column_map);
    }
    throw Error(Errc::internal, fmt::format("loop {}: no map {}", shape_.kernel, number));
  }
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
    Launch& launch =
        made_->launches_.emplace_back(session_.context(), *program_, loop_kernel(shape_));
    unsigned position = 0;
    for (const auto& parameter : loop_parameters(shape_, parameters_))
      set(launch, position++, parameter, part, piece, slot);
    launch.set_range(range_of(piece));
  }

  void set(Launch& launch, unsigned position, const KernelParameter& parameter, const Part& part,
           const Piece& piece, std::size_t slot) {
    const auto integer = [&](std::size_t value) {
      launch.set_scalar(position, static_cast<cl_int>(value));
    };
    const int n = parameter.number;
    switch (parameter.kind) {
      case Kind::dat:
        return launch.set_memory(position, memory(dat(n)));
      case Kind::dat_stride:
        return launch.set_scalar(position, static_cast<cl_long>(dat(n).form().elements));
      case Kind::global:
        return launch.set_memory(position, memory(global(n).data));
      case Kind::partials:
        return launch.set_memory(position, partials_.at(n));
      case Kind::constant:
        return set_constant(launch, position, n);
      case Kind::mat_values:
        return launch.set_memory(position, memory(mat(n).values));
      case Kind::mat_rowptr:
        return launch.set_memory(position, memory(Handles::state(mat(n).sparsity)->rowptr()));
      case Kind::mat_colidx:
        return launch.set_memory(position, memory(Handles::state(mat(n).sparsity)->colidx()));
      case Kind::map:
        return launch.set_memory(position, memory(map(n).values));
      case Kind::map_offset:
        return launch.set_memory(position, memory(*map(n).device_offsets));
      case Kind::begin:
        return integer(piece.begin);
      case Kind::end:
        return integer(piece.end);
      case Kind::subset:
        return launch.set_memory(position, memory(over_.subset->device));
      case Kind::layers:
        return integer(over_.layers - 1);
      case Kind::block_size:
        return integer(number("BLOCK"));
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
        return launch.set_memory(position, part.arrays.at(parameter.kind));
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
    const auto& all = session_.constants;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& known) { return known->name == name; });
    const auto& state = *found;
    const bool is_known =
        std::any_of(made_->constants_.begin(), made_->constants_.end(),
                    [&](const auto& constant) { return constant.position == position; });
    if (state->dim == 1) {
      if (!is_known) made_->constants_.push_back({state, position, 0});
    } else {
      launch.set_memory(position, memory(state->data));
      if (!is_known) made_->inputs_.push_back(&state->data);
      if (!is_known) made_->constants_.push_back({state, position, state->version});
    }
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

  /// Each datum once; what is read and written twice; of a set that Maps reach no more than they
  /// name.
  std::size_t bytes_moved() const {
    const std::size_t elements = sizes()[1];
    std::map<int, std::size_t> dats;                  // bytes by Dat
    std::map<std::pair<int, int>, bool> map_columns;  // those that are read
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const ArgShape& arg = shape_.arguments[i];
      const std::size_t ways = arg.access == Access::read || arg.access == Access::write ? 1 : 2;
      if (arg.kind == ArgShape::Kind::dat) {
        const auto& form = mutable_state<DatState>(arguments_[i]).data.form();
        std::size_t touched = elements;
        if (arg.map >= 0)
          touched = std::min(form.elements, elements * static_cast<std::size_t>(arg.arity));
        auto& bytes = dats[arg.data];
        bytes = std::max(bytes, ways * touched * form.dim * size_of(form.type));
      }
      if (arg.map >= 0 && arg.via == ArgShape::Via::component)
        map_columns[{arg.map, arg.component}] = true;
      else if (arg.map >= 0)
        for (int component = 0; component < arg.arity; ++component)
          map_columns[{arg.map, component}] = true;
    }
    std::size_t bytes = map_columns.size() * elements * sizeof(std::int32_t);
    for (const auto& [number, dat_bytes] : dats) bytes += dat_bytes;
    return bytes;
  }

  void describe_form() const {
    static constexpr const char* names[] = {"blocks", "atomic", "coloured", "staged"};
    const bool in_blocks = form_ == Form::blocks || form_ == Form::staged;
    report_.form = names[static_cast<int>(form_)];
    if (in_blocks) report_.form += fmt::format(" of {}", number("BLOCK"));
    if (report_.colours > 0) report_.form += fmt::format(" in {} colours", report_.colours);
  }

  Session& session_;
  const LoopShape& shape_;
  const LoopOver& over_;
  std::span<const Arg> arguments_;
  LoopReport& report_;
  Resolver& resolver_;
  PlanSource& plans_;
  std::unique_ptr<MadeLoop> made_ = std::make_unique<MadeLoop>();
  Request request_;
  Parameters parameters_;
  Form form_ = Form::blocks;
  bool needs_plan_ = false;
  std::vector<Part> parts_;
  Program* program_ = nullptr;
  std::map<int, cl_mem> partials_;
  std::size_t counted_ = std::numeric_limits<std::size_t>::max();
};

std::unique_ptr<MadeLoop> make_loop(Session& session, const LoopShape& shape, const LoopOver& over,
                                    std::span<const Arg> arguments, LoopReport& report) {
  return LoopMaker(session, shape, over, arguments, report, session.resolver(), session.plans())
      .make();
}

std::unique_ptr<MadeLoop> make_loop(Session& session, const LoopShape& shape, const LoopOver& over,
                                    std::span<const Arg> arguments, Resolver& resolver,
                                    PlanSource& plans) {
  LoopReport unread;
  return LoopMaker(session, shape, over, arguments, unread, resolver, plans).make();
}

}  // namespace kiln::mesh
