#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "blas/call/call.hpp"
#include "blas/routines/routines.hpp"
#include "blas/sequence/sequence_builder.hpp"

// The routines of vectors: most are one kernel; reductions on several work-groups are two.
namespace kiln::blas {
namespace {

/// Whether the vectors of a call lie contiguously, all in the same direction, so that a
/// kernel may go over them from the lowest address on. Where the order of the elements matters
/// (one vector, a negative increment) that is for the caller to say.
bool have_unit_strides(const Call& call) {
  std::int64_t first = 0;
  for (const Use& use : Uses(call)) {
    if (use.form != Use::Form::vector) continue;
    const std::int64_t stride = call[use.slot].stride;
    if (std::llabs(stride) != 1 || (first != 0 && stride != first)) return false;
    first = stride;
  }
  return true;
}

/// The kernel NAME of level 1 on the first queue.
KernelChoice vector_kernel(const SequenceBuilder& builder, const std::string& name, Facts facts) {
  facts.push_back({"unit_strides", std::int64_t{have_unit_strides(builder.call())}});
  return template_choice(builder, 0, name, std::move(facts));
}

/// Adds a vector's three arguments: memory, the place of element 0, the increment.
void add_vector(SequenceBuilder::Arguments& to, const Call& call, Slot slot) {
  const std::int64_t stride = call[slot].stride;
  // Unit strides of -1 are gone over backwards, which is the same pairs of elements.
  const bool from_the_end = stride < 0 && !have_unit_strides(call);
  const auto last = static_cast<std::int64_t>(call.n) - 1;
  to.operand(slot, from_the_end ? -last * stride : 0).numbers(stride);
}

// Enough for the PART of every template: what one work-group leaves to the second kernel.
constexpr std::size_t part_bytes = 32;

/// What the text of a routine's kernel depends on besides precision and device.
Facts facts_of(const Call& call) {
  // What is longer than the last caches of today's CPUs for each core that runs.
  constexpr std::size_t much = std::size_t{32} << 20;
  switch (call.routine) {
    case Routine::scal:
      return {{"real_alpha", std::int64_t{call.real_alpha}}};
    case Routine::copy:
      return {{"beyond_cache", std::int64_t{call.n >= much / size_of(call.precision)}}};
    case Routine::dot:
    case Routine::dotc:
      return {{"conjugated",
               std::int64_t{call.routine == Routine::dotc && is_complex(call.precision)}}};
    case Routine::iamax:
    case Routine::iamin:
    case Routine::imax:
    case Routine::imin: {
      const bool of_values = call.routine == Routine::imax || call.routine == Routine::imin;
      const bool smallest = call.routine == Routine::iamin || call.routine == Routine::imin;
      return {{"of_values", std::int64_t{of_values}},
              {"smallest", std::int64_t{smallest}},
              {"first_index", std::int64_t{call.first_index}}};
    }
    default:
      return {};
  }
}

/// Adds the arguments of a call's vectors; of the rest, memory and offset.
void add_operands(SequenceBuilder::Arguments& to, const Call& call) {
  for (const Use& use : Uses(call))
    use.form == Use::Form::vector ? add_vector(to, call, use.slot) : void(to.operand(use.slot));
}

}  // namespace

void add_elementwise(SequenceBuilder& to) {
  const Call& call = to.call();
  if (call.routine == Routine::scal && call[Slot::x].stride < 0) return;
  auto arguments = to.step(0, vector_kernel(to, std::string(name_of(call.routine)), facts_of(call)),
                           stream_range(to.device(0), call.n));
  arguments.numbers(call.n);
  if (call.routine == Routine::scal || call.routine == Routine::axpy) arguments.scalars(call_alpha);
  if (call.routine == Routine::rot || call.routine == Routine::had)
    arguments.scalars(call_alpha, call_beta);
  add_operands(arguments, call);
}

void add_axpy_batch(SequenceBuilder& to) {
  const Call& call = to.call();
  auto arguments = to.step(0,
                           vector_kernel(to, "axpy_batch",
                                         {{"n", static_cast<std::int64_t>(call.n)},
                                          {"by_items", std::int64_t{call.by_items}}}),
                           stream_range(to.device(0), call.n * call.batch));
  arguments.numbers(call.batch).scalars(call_alpha);
  for (const Slot slot : {Slot::x, Slot::y}) {
    add_vector(arguments, call, slot);
    arguments.numbers(call[slot].batch_stride);
  }
  if (call.by_items) arguments.operand(Slot::items);
}

// One kernel where one work-group does it all; else a second one joins what the groups found.
void add_reduction(SequenceBuilder& to) {
  const Device& device = to.device(0);
  const Call& call = to.call();
  const bool has_y = call.routine == Routine::dot || call.routine == Routine::dotc;
  const std::string name(has_y                       ? "dot_product"
                         : finds_place(call.routine) ? "iamax"
                                                     : name_of(call.routine));
  std::vector<Fact> facts = facts_of(call);
  facts.push_back({"group", static_cast<std::int64_t>(work_group_of(device))});
  KernelChoice choice = vector_kernel(to, name, std::move(facts));

  // One vector that runs backwards has no elements, as reference BLAS sees it.
  const std::size_t n = !has_y && call[Slot::x].stride < 0 ? 0 : call.n;
  const NDRange range = stream_range(device, n);
  const std::size_t groups = range.global[0] / range.local[0];
  const cl::Buffer parts = groups > 1 ? to.workspace(groups * part_bytes) : cl::Buffer();

  auto first = to.step(0, choice, range);
  first.numbers(n);
  add_vector(first, call, Slot::x);
  if (has_y) add_vector(first, call, Slot::y);
  first.buffer(parts).operand(Slot::z);
  if (groups == 1) return;

  choice.kernel = name + "_end";
  to.step(0, choice, work_groups(device, 1)).numbers(groups).buffer(parts).operand(Slot::z);
}

void add_rotation(SequenceBuilder& to) {
  auto arguments =
      to.step(0, template_choice(to, 0, std::string(name_of(to.call().routine))), NDRange{});
  add_operands(arguments, to.call());
}

}  // namespace kiln::blas
