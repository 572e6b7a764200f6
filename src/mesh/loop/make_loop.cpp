// A loop's making, from shape to launches.
#include "mesh/code/loop_generator.hpp"
#include "mesh/loop/loop_maker.hpp"
#include "mesh/loop/noted_program.hpp"

namespace kiln::mesh {

std::unique_ptr<MadeLoop> LoopMaker::make() {
  collect_residences();
  request_ = make_request(shape_, session_.loop_device(), static_cast<std::int64_t>(sizes()[1]));
  // Programs belong to the context, whoever made them: what was compiled for a trial must not
  // stand in for one that is to be kept.
  if (is_trial()) request_.facts.push_back({"trial", std::int64_t{1}});
  parameters_ = with_block(resolver_.parameters(request_, *session_.device()), shape_,
                           request_.problem_size, session_.device()->compute_units);
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
  program_ = &noted_program(session_, resolver_, request_, wanted, report_);
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
