// A loop ready to run, its runs, and its making: parts, plans, pieces, launches. What its arguments
// are set to is in loop_arguments.cpp.
#include "mesh/loop/made_loop.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "mesh/loop/loop_maker.hpp"

namespace kiln::mesh {

void MadeLoop::set_constants() {
  for (auto& constant : constants_) {
    if (constant.seen == constant.state->version) continue;
    const auto& data = constant.state->data;
    if (constant.state->dim == 1) {
      const ByteView value{const_cast<Residence&>(data).initial().data(), data.bytes()};
      for (std::size_t i = 0; i < loop_launches_; ++i)
        launches_[i].set_scalar(constant.position, value);
    }
    constant.seen = constant.state->version;
  }
}

bool MadeLoop::begin_exchanges(const Queue& queue) {
  bool any = false;
  for (DatState* dat : halo_reads_) {
    if (!dat->is_halo_stale) continue;
    dat->begin_exchange(queue);
    any = true;
  }
  return any;
}

void MadeLoop::end_exchanges(const Queue& queue) {
  for (DatState* dat : halo_reads_)
    if (dat->is_halo_stale) dat->end_exchange(queue);
}

void MadeLoop::refresh_halos(const Queue& queue) {
  if (begin_exchanges(queue)) end_exchanges(queue);
}

void MadeLoop::bring_inputs(const Queue& queue) {
  for (Residence* input : inputs_) input->on_device(queue);
  set_constants();
}

void MadeLoop::launch(const Queue& queue, bool is_timed, std::size_t begin, std::size_t end) {
  if (!is_timed) return enqueue(queue, begin, end);
  for (std::size_t i = begin; i < end; ++i)
    times_.enqueue(launches_[i], queue, LaunchTimes::part(i, launches_.size()));
}

void MadeLoop::note_changes() {
  for (Residence* output : outputs_) output->device_writes();
  for (DatState* dat : halo_writes_) dat->is_halo_stale = true;
  for (GlobalState* global : extrema_) global->is_extremum = true;
}

void MadeLoop::run(const Queue& queue, bool is_timed) {
  const bool exchanges = !halo_reads_.empty() && begin_exchanges(queue);
  bring_inputs(queue);
  std::size_t done = 0;
  try {
    if (exchanges) {
      launch(queue, is_timed, 0, done = core_launches_);
      if (done > 0) check_cl(::clFlush(queue.cl()()), "clFlush");
      end_exchanges(queue);
    }
    launch(queue, is_timed, done, launches_.size());
  } catch (...) {
    // Some may be on their way. Where none is, the device's copies are as good as the host's.
    note_changes();
    throw;
  }
  note_changes();
}

void MadeLoop::try_out(const Queue& queue, bool is_timed) {
  bring_inputs(queue);
  for (Residence* output : outputs_) output->device_writes();
  launch(queue, is_timed, 0, launches_.size());
}

// A loop's making, from shape to launches.

std::unique_ptr<MadeLoop> LoopMaker::make(const ChosenParameters& chosen) {
  collect_residences();
  chosen_ = chosen;
  parameters_ = with_block(chosen_.parameters, shape_, request_.problem_size,
                           session_.device()->compute_units);
  form_ = form_of(parameters_);
  needs_plan_ = needs_plan(shape_, form_);
  plan_parts();
  note_lanes();
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
  if (!is_trial()) made_->times_.record(session_.recording.get(), shape_.kernel);
  describe_form();
  return std::move(made_);
}

NDRange LoopMaker::range_of(const Piece& piece) const {
  NDRange range;
  range.local[0] = form_ == Form::blocks ? 1 : number("GROUP");
  range.global[0] = piece.groups * range.local[0];
  return range;
}

void LoopMaker::compile() {
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
  program_ = &session_.program(request_, chosen_, wanted, report_);
}

NDRange LoopMaker::fold_range() const {
  NDRange range;
  range.local[0] = range.global[0] = fold_group(parameters_);
  return range;
}

void LoopMaker::make_partials() {
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

void LoopMaker::add_launch(const Part& part, const Piece& piece, std::size_t slot) {
  Launch& launch =
      made_->launches_.emplace_back(session_.context(), *program_, loop_kernel(shape_));
  unsigned position = 0;
  for (const auto& parameter : loop_parameters(shape_, parameters_))
    set(launch, position++, parameter, part, piece, slot);
  launch.set_range(range_of(piece));
}

void LoopMaker::add_fold(std::size_t count) {
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

std::unique_ptr<MadeLoop> make_loop(LoopSession& session, const LoopShape& shape,
                                    const LoopOver& over, std::span<const Arg> arguments,
                                    LoopReport& report) {
  return LoopMaker(session, shape, over, arguments, report, session.plans()).make();
}

std::unique_ptr<MadeLoop> make_loop(LoopSession& session, const LoopShape& shape,
                                    const LoopOver& over, std::span<const Arg> arguments,
                                    const ChosenParameters& trial, PlanSource& plans) {
  LoopReport unread;
  return LoopMaker(session, shape, over, arguments, unread, plans).make(trial);
}

// Into which launches a loop's elements are cut, and the plans for that.

namespace {

Scheme scheme_of(Form form) {
  return form == Form::staged     ? Scheme::staged
         : form == Form::coloured ? Scheme::permuted
                                  : Scheme::blocks;
}

}  // namespace

bool LoopMaker::needs_exec_halo() const {
  return std::any_of(shape_.arguments.begin(), shape_.arguments.end(), [](const ArgShape& arg) {
    return arg.kind == ArgShape::Kind::mat || (arg.map >= 0 && arg.access != Access::read);
  });
}

void LoopMaker::plan_parts() {
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

void LoopMaker::fetch_plan(Part& part) {
  const Stopwatch watch;
  const auto made = plan_input_of(shape_, over_, arguments_, part.begin, part.end, scheme_of(form_),
                                  static_cast<std::uint32_t>(number("BLOCK")));
  const PlanInput& input = made.input;
  EnvironmentExplanation environment;
  Explanation explanation;
  part.plan = MeshPlan(plans_.resolve(input, &explanation, shape_.kernel));
  for (const auto identity : made.identities) plans_.forget(identity);
  if (session_.options.check)
    if (const auto wrong = check_plan(input, part.plan); !wrong.empty())
      throw Error(Errc::internal, fmt::format("loop {}: its plan: {}", shape_.kernel, wrong));
  if (session_.recording != nullptr && !is_trial()) session_.recording->add(explanation);
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
  part.on_device = session_.device_plans.get(*session_.context(), part.plan);
  made_->plans_.push_back(part.on_device);
}

std::size_t LoopMaker::groups_for(std::size_t elements) const {
  const std::size_t group = number("GROUP");
  const std::size_t most = most_groups(session_.device()->compute_units);
  return std::clamp<std::size_t>((elements + group - 1) / group, 1, most);
}

void LoopMaker::cut(Part& part) {
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

}  // namespace kiln::mesh
