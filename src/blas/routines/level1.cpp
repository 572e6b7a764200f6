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

/// The geometry of a kernel of level 1: as stream_range, in groups of work_group_of.
NDRange vector_range(const Device& device, std::size_t n) {
  NDRange range = stream_range(device, n);
  const std::size_t groups = range.global[0] / range.local[0];
  range.local[0] = work_group_of(device);
  range.global[0] = groups * range.local[0];
  return range;
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
  to.memory(slot).offset(slot, from_the_end ? -last * stride : 0).number(stride);
}

/// Adds a kernel over all elements, up to its first argument.
SequenceBuilder::Arguments vector_step(SequenceBuilder& to, const std::string& name,
                                       Facts facts = {}) {
  auto arguments = to.step(0, vector_kernel(to, name, std::move(facts)),
                           vector_range(to.device(0), to.call().n));
  arguments.number(to.call().n);
  return arguments;
}

void add_vectors(SequenceBuilder::Arguments& to, const Call& call) {
  add_vector(to, call, Slot::x);
  add_vector(to, call, Slot::y);
}

// Enough for the PART of every template: what one work-group leaves to the second kernel.
constexpr std::size_t part_bytes = 32;

/// One kernel where one work-group does it all; else a second one joins what the groups found.
void add_reduction(SequenceBuilder& to, const std::string& name, std::vector<Slot> vectors,
                   Facts facts = {}) {
  const Device& device = to.device(0);
  const Call& call = to.call();
  facts.push_back({"group", static_cast<std::int64_t>(work_group_of(device))});
  KernelChoice choice = vector_kernel(to, name, std::move(facts));

  // One vector that runs backwards has no elements, as reference BLAS sees it.
  const bool is_empty = vectors.size() == 1 && call[vectors[0]].stride < 0;
  const std::size_t n = is_empty ? 0 : call.n;
  const NDRange range = vector_range(device, n);
  const std::size_t groups = range.global[0] / range.local[0];
  const cl::Buffer parts = groups > 1 ? to.workspace(groups * part_bytes) : cl::Buffer();

  auto first = to.step(0, choice, range);
  first.number(n);
  for (const Slot slot : vectors) add_vector(first, call, slot);
  first.buffer(parts).memory(Slot::z).offset(Slot::z);
  if (groups == 1) return;

  choice.kernel = name + "_end";
  NDRange one_group;
  one_group.local[0] = one_group.global[0] = range.local[0];
  to.step(0, choice, one_group).number(groups).buffer(parts).memory(Slot::z).offset(Slot::z);
}

/// A kernel of one work-item over single scalars in memory.
void add_scalar_step(SequenceBuilder& to, const std::string& name,
                     std::initializer_list<Slot> slots) {
  auto arguments = to.step(0, template_choice(to, 0, name), NDRange{});
  for (const Slot slot : slots) arguments.memory(slot).offset(slot);
}

}  // namespace

void add_swap(SequenceBuilder& to) {
  auto arguments = vector_step(to, "swap");
  add_vectors(arguments, to.call());
}

void add_scal(SequenceBuilder& to) {
  if (to.call()[Slot::x].stride < 0) return;
  auto arguments = vector_step(to, "scal", {{"real_alpha", std::int64_t{to.call().real_alpha}}});
  add_vector(arguments.alpha(), to.call(), Slot::x);
}

void add_copy(SequenceBuilder& to) {
  // What is longer than the last caches of today's CPUs for each core that runs.
  constexpr std::size_t much = std::size_t{32} << 20;
  const std::int64_t beyond_cache = to.call().n >= much / size_of(to.call().precision);
  auto arguments = vector_step(to, "copy", {{"beyond_cache", beyond_cache}});
  add_vectors(arguments, to.call());
}

void add_axpy(SequenceBuilder& to) {
  auto arguments = vector_step(to, "axpy");
  add_vectors(arguments.alpha(), to.call());
}

void add_rot(SequenceBuilder& to) {
  auto arguments = vector_step(to, "rot");
  add_vectors(arguments.alpha().beta(), to.call());
}

void add_rotm(SequenceBuilder& to) {
  auto arguments = vector_step(to, "rotm");
  add_vectors(arguments, to.call());
  arguments.memory(Slot::z).offset(Slot::z);
}

void add_dot(SequenceBuilder& to) {
  const std::int64_t conjugated =
      to.call().routine == Routine::dotc && is_complex(to.call().precision);
  add_reduction(to, "dot_product", {Slot::x, Slot::y}, {{"conjugated", conjugated}});
}

void add_nrm2(SequenceBuilder& to) { add_reduction(to, "nrm2", {Slot::x}); }
void add_asum(SequenceBuilder& to) { add_reduction(to, "asum", {Slot::x}); }
void add_iamax(SequenceBuilder& to) { add_reduction(to, "iamax", {Slot::x}); }

void add_rotg(SequenceBuilder& to) {
  add_scalar_step(to, "rotg", {Slot::x, Slot::y, Slot::z, Slot::w});
}

void add_rotmg(SequenceBuilder& to) {
  add_scalar_step(to, "rotmg", {Slot::a, Slot::b, Slot::x, Slot::y, Slot::z});
}

}  // namespace kiln::blas
