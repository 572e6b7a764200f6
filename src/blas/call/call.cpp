#include "blas/call/call.hpp"

#include <cstdlib>
#include <utility>

#include "blas/call/routine_traits.hpp"

// Nothing here needs OpenCL at run time: a test of clBLAS's interface links this file alone.
namespace kiln::blas {

std::string_view name_of(Routine routine) {
  return routines[static_cast<std::size_t>(routine)].name;
}

namespace {

using Access = Use::Access;
using Form = Use::Form;

/// Rows of a band's array: the diagonal, and those below and above. What has no number is more
/// than any array has, and must not come out small.
std::size_t band_rows(std::size_t below, std::size_t above) {
  std::size_t rows = 0;
  return __builtin_add_overflow(below, above, &rows) ||
                 __builtin_add_overflow(rows, std::size_t{1}, &rows)
             ? static_cast<std::size_t>(-1)
             : rows;
}

}  // namespace

/// Fills a Uses from the sizes of a call.
struct UseList {
  Uses& to;
  const Call& call;
  std::size_t element = size_of(call.precision);

  void matrix(Slot slot, std::size_t rows, std::size_t columns, Access access) {
    const bool by_columns = call.order == Order::column_major;
    lines(slot, by_columns ? rows : columns, by_columns ? columns : rows, access);
  }
  /// op(matrix) has the given sizes.
  void matrix(Slot slot, Transpose trans, std::size_t rows, std::size_t columns, Access access) {
    if (trans != Transpose::none) std::swap(rows, columns);
    matrix(slot, rows, columns, access);
  }
  void lines(Slot slot, std::size_t length, std::size_t lines, Access access) {
    add({slot, Form::matrix, access, length, lines, element});
  }
  void packed(Slot slot, Access access) {
    // One of n and n + 1 is even, so that the product cannot overflow before it is halved.
    const std::size_t n = call.n, even = n % 2 == 0 ? n / 2 : n,
                      odd = n % 2 == 0 ? n + 1 : (n + 1) / 2;
    std::size_t count = 0;
    if (__builtin_mul_overflow(even, odd, &count)) count = static_cast<std::size_t>(-1);
    add({slot, Form::packed, access, count, 1, element});
  }
  void vector(Slot slot, std::size_t count, Access access) {
    add({slot, Form::vector, access, count, 1, element});
  }
  /// One element, or a few, of a given size: results and parameters.
  void scalars(Slot slot, std::size_t count, std::size_t bytes, Access access) {
    add({slot, Form::packed, access, count, 1, bytes});
  }
  void add(const Use& use) { to.uses_[to.count_++] = use; }
};

namespace {

void level_1(UseList& list, const Call& call) {
  const std::size_t element = size_of(call.precision);
  const std::size_t real = size_of(real_of(call.precision));
  switch (call.routine) {
    case Routine::swap:
    case Routine::rot:
    case Routine::rotm:
      list.vector(Slot::x, call.n, Access::both);
      list.vector(Slot::y, call.n, Access::both);
      if (call.routine == Routine::rotm) list.scalars(Slot::z, 5, element, Access::read);
      break;
    case Routine::scal:
      list.vector(Slot::x, call.n, Access::both);
      break;
    case Routine::copy:
    case Routine::axpy:
      list.vector(Slot::x, call.n, Access::read);
      list.vector(Slot::y, call.n, call.routine == Routine::copy ? Access::write : Access::both);
      break;
    case Routine::dot:
    case Routine::dotc:
      list.vector(Slot::x, call.n, Access::read);
      list.vector(Slot::y, call.n, Access::read);
      list.scalars(Slot::z, 1, element, Access::write);
      break;
    case Routine::nrm2:
    case Routine::asum:
    case Routine::iamax:
      list.vector(Slot::x, call.n, Access::read);
      list.scalars(Slot::z, 1, call.routine == Routine::iamax ? sizeof(cl_uint) : real,
                   Access::write);
      break;
    case Routine::rotg:
      list.scalars(Slot::x, 1, element, Access::both);
      list.scalars(Slot::y, 1, element, Access::both);
      list.scalars(Slot::z, 1, real, Access::write);
      list.scalars(Slot::w, 1, element, Access::write);
      break;
    default:  // rotmg
      list.scalars(Slot::a, 1, element, Access::both);
      list.scalars(Slot::b, 1, element, Access::both);
      list.scalars(Slot::x, 1, element, Access::both);
      list.scalars(Slot::y, 1, element, Access::read);
      list.scalars(Slot::z, 5, element, Access::write);
  }
}

void level_2(UseList& list, const Call& call) {
  const auto is = [&](unsigned trait) { return has(call.routine, trait); };
  const std::size_t n = call.n, rows = is(trait::rectangular) ? call.m : n;
  const Access of_a = is(trait::update) ? Access::both : Access::read;
  if (is(trait::packed))
    list.packed(Slot::a, of_a);
  else if (is(trait::band))
    list.lines(Slot::a, is(trait::rectangular) ? band_rows(call.kl, call.ku) : band_rows(call.k, 0),
               call.order == Order::column_major ? n : rows, of_a);
  else
    list.matrix(Slot::a, rows, n, of_a);

  if (is(trait::triangular)) {
    list.vector(Slot::x, n, Access::both);
  } else if (is(trait::update)) {
    list.vector(Slot::x, rows, Access::read);
    if (is(trait::second)) list.vector(Slot::y, n, Access::read);
  } else {
    const bool as_is = call.trans_a == Transpose::none;
    list.vector(Slot::x, as_is ? n : rows, Access::read);
    list.vector(Slot::y, as_is ? rows : n, Access::both);
  }
}

void level_3(UseList& list, const Call& call) {
  const auto is = [&](unsigned trait) { return has(call.routine, trait); };
  const std::size_t m = call.m, n = call.n, k = call.k;
  if (is(trait::sided)) {
    list.matrix(Slot::a, square_of(call), square_of(call), Access::read);
    list.matrix(Slot::b, m, n, is(trait::triangular) ? Access::both : Access::read);
    if (!is(trait::triangular)) list.matrix(Slot::c, m, n, Access::both);
  } else if (is(trait::update)) {
    list.matrix(Slot::a, call.trans_a, n, k, Access::read);
    if (is(trait::second)) list.matrix(Slot::b, call.trans_a, n, k, Access::read);
    list.matrix(Slot::c, n, n, Access::both);
  } else {
    list.matrix(Slot::a, call.trans_a, m, k, Access::read);
    list.matrix(Slot::b, call.trans_b, k, n, Access::read);
    list.matrix(Slot::c, m, n, Access::both);
  }
}

}  // namespace

Uses::Uses(const Call& call) {
  UseList list{*this, call};
  if (call.routine < Routine::gemv)
    level_1(list, call);
  else if (call.routine < Routine::gemm)
    level_2(list, call);
  else
    level_3(list, call);
}

bool extent_of(const Use& use, const Operand& operand, std::size_t& extent) {
  if (use.length == 0 || use.lines == 0) {
    extent = 0;
    return true;
  }
  std::size_t last = use.length - 1;
  if (use.form == Use::Form::vector) {
    const auto step = static_cast<std::size_t>(std::llabs(operand.stride));
    if (__builtin_mul_overflow(last, step, &last)) return false;
  } else if (use.form == Use::Form::matrix) {
    std::size_t lines = use.lines - 1;
    if (__builtin_mul_overflow(lines, static_cast<std::size_t>(operand.stride), &lines) ||
        __builtin_add_overflow(last, lines, &last))
      return false;
  }
  return !__builtin_add_overflow(last, operand.offset, &last) &&
         !__builtin_add_overflow(last, std::size_t{1}, &extent);
}

Call contiguous(Call call) {
  for (const Use& use : Uses(call))
    call[use.slot].stride = use.form == Use::Form::matrix   ? static_cast<std::int64_t>(use.length)
                            : use.form == Use::Form::vector ? 1
                                                            : 0;
  return call;
}

bool is_compute_bound(Routine routine) { return routine >= Routine::gemm; }

double operations_of(const Call& call) {
  const auto product = [](std::size_t a, std::size_t b, std::size_t c) {
    return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
  };
  const Routine routine = call.routine;
  const double terms = has(routine, trait::sided)    ? product(call.m, call.n, square_of(call))
                       : has(routine, trait::update) ? product(call.n, call.n, call.k)
                                                     : product(call.m, call.n, call.k);
  // Of a triangle, and of a result of which a triangle is computed, the half.
  const bool is_half = has(routine, trait::triangular) ||
                       (has(routine, trait::update) && !has(routine, trait::second));
  return (is_half ? 1 : 2) * terms * (is_complex(call.precision) ? 4 : 1);
}

double traffic_of(const Call& call) {
  Call whole = contiguous(call);
  for (auto& operand : whole.operands) operand.offset = 0;
  double bytes = 0;
  for (const Use& use : Uses(whole)) {
    std::size_t elements = 0;
    extent_of(use, whole[use.slot], elements);
    const double all = static_cast<double>(elements) * static_cast<double>(use.element);
    // Of a square matrix that has a structure, one triangle.
    const bool half = use.slot == Slot::a && use.form == Use::Form::matrix &&
                      use.length == use.lines &&
                      (is_compute_bound(call.routine) || !has(call.routine, trait::rectangular));
    bytes += (half ? all / 2 : all) * (use.access == Use::Access::both ? 2 : 1);
  }
  return bytes;
}

}  // namespace kiln::blas
