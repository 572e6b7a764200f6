// Into which launches a loop's elements are cut, and the plans for that.
#include <fmt/format.h>

#include "base/clock.hpp"
#include "mesh/loop/loop_maker.hpp"
#include "mesh/loop/plan_input_of.hpp"
#include "mesh/plan/check.hpp"

namespace kiln::mesh {

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
