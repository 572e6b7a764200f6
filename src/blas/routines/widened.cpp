#include <algorithm>
#include <cstdlib>

#include "blas/call/routine_traits.hpp"
#include "blas/routines/routines.hpp"

namespace kiln::blas {
namespace {

/// Which part of a written matrix's lines belongs to it, in the words of the template narrow.
int triangle_of(const Call& call, const Use& use) {
  const bool is_triangle = has(call.routine, trait::update) &&
                           !has(call.routine, trait::rectangular) && use.form == Use::Form::matrix;
  if (!is_triangle) return 0;
  return (call.uplo == Uplo::lower) == (call.order == Order::column_major) ? 1 : 2;
}

/// An operand and its copy in workspace, which lies side by side.
struct Copy {
  Use use;
  Operand original;
  cl::Buffer wide;

  /// As it lies: the memory of a vector is gone through upwards, whatever its direction.
  std::int64_t step() const {
    return use.form == Use::Form::vector ? std::llabs(original.stride) : 1;
  }
  KernelChoice choice(const SequenceBuilder& to, const char* name) const {
    return template_choice(to, 0, name, {{"kind", static_cast<std::int64_t>(original.stored)}});
  }
  NDRange range(const SequenceBuilder& to) const {
    return stream_range(to.device(0), use.length * use.lines);
  }
  void widen(SequenceBuilder& to) const {
    to.step(0, choice(to, "widen"), range(to))
        .operand(use.slot)
        .numbers(step(), original.stride, use.length, use.lines)
        .buffer(wide);
  }
  void narrow(SequenceBuilder& to) const {
    to.step(0, choice(to, "narrow"), range(to))
        .buffer(wide)
        .numbers(use.length, use.lines)
        .flags(triangle_of(to.call(), use))
        .operand(use.slot)
        .numbers(step(), original.stride);
  }
};

bool is_whole_number(Storage stored) { return stored == Storage::int8 || stored == Storage::int4; }

/// Whether the result of a call is written by two products, the second of which adds to what the
/// first has left: a narrow result would be rounded, or saturate, in between. Sums of integers in
/// an int32 stay exact.
bool is_written_twice(const Call& call) {
  const bool is_sum = call.routine == Routine::syr2k || call.routine == Routine::her2k;
  const bool is_exact = call[Slot::c].stored == Storage::int32 &&
                        is_whole_number(call[Slot::a].stored) &&
                        is_whole_number(call[Slot::b].stored);
  return is_sum && !is_exact && call.alpha != Scalar(0) && call.k != 0;
}

/// Whether the kernels of a call's routine take an operand as it lies.
bool takes_stored(const Call& call, const Use& use) {
  if (call[use.slot].stored == Storage::native) return true;
  const Routine routine = call.routine;
  if (routine < Routine::gemm || routine == Routine::trsm || routine == Routine::conv) return false;
  return use.access == Use::Access::read || !is_written_twice(call);
}

}  // namespace

bool needs_copies(const Call& call) {
  return std::ranges::any_of(Uses(call), [&](const Use& use) { return !takes_stored(call, use); });
}

void add_widened(SequenceBuilder& to, void (*add)(SequenceBuilder&)) {
  const Call& call = to.call();
  Call wide = call;
  std::vector<Copy> copies;
  SequenceBuilder::Replacements replacements;
  for (const Use& use : Uses(call)) {
    const Operand& operand = call[use.slot];
    if (takes_stored(call, use)) continue;
    copies.push_back(
        {use, operand, to.workspace(use.length * use.lines * size_of(call.precision))});
    replacements[use.slot] = copies.back().wide;
    Operand& copy = wide[use.slot];
    copy.stored = Storage::native;
    copy.offset = 0;
    if (use.form == Use::Form::matrix) copy.stride = static_cast<std::int64_t>(use.length);
    if (use.form == Use::Form::vector) copy.stride = operand.stride < 0 ? -1 : 1;
  }
  for (const Copy& copy : copies)
    if (copy.use.access != Use::Access::write) copy.widen(to);
  to.add_replaced(wide, replacements, add);
  for (const Copy& copy : copies)
    if (copy.use.access != Use::Access::read) copy.narrow(to);
}

}  // namespace kiln::blas
