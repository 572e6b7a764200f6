#include "blas/call/call.hpp"

#include <array>
#include <cstdlib>
#include <utility>

// Nothing here needs OpenCL at run time: a test of clBLAS's interface links this file alone.
namespace kiln::blas {

std::string_view name_of(Routine routine) {
  static constexpr std::array<std::string_view, routine_count> names{
      "swap", "scal",  "copy", "axpy", "dot",  "dotc", "rotg", "rotmg", "rot",  "rotm",
      "nrm2", "iamax", "asum", "gemv", "symv", "hemv", "trmv", "trsv",  "ger",  "gerc",
      "syr",  "her",   "syr2", "her2", "tpmv", "tpsv", "spmv", "hpmv",  "spr",  "hpr",
      "spr2", "hpr2",  "gbmv", "tbmv", "sbmv", "hbmv", "tbsv", "gemm",  "trmm", "trsm",
      "syrk", "syr2k", "symm", "hemm", "herk", "her2k"};
  return names[static_cast<std::size_t>(routine)];
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
class UseList {
 public:
  UseList(Uses& to, const Call& call) : to_(to), call_(call), element_(size_of(call.precision)) {}

  void matrix(Slot slot, std::size_t rows, std::size_t columns, Access access) {
    const bool by_columns = call_.order == Order::column_major;
    lines(slot, by_columns ? rows : columns, by_columns ? columns : rows, access);
  }
  /// op(matrix) has the given sizes.
  void matrix(Slot slot, Transpose trans, std::size_t rows, std::size_t columns, Access access) {
    if (trans != Transpose::none) std::swap(rows, columns);
    matrix(slot, rows, columns, access);
  }
  void lines(Slot slot, std::size_t length, std::size_t lines, Access access) {
    add({slot, Form::matrix, access, length, lines, element_});
  }
  void packed(Slot slot, Access access) {
    // One of n and n + 1 is even, so that the product cannot overflow before it is halved.
    const std::size_t n = call_.n, even = n % 2 == 0 ? n / 2 : n,
                      odd = n % 2 == 0 ? n + 1 : (n + 1) / 2;
    std::size_t count = 0;
    if (__builtin_mul_overflow(even, odd, &count)) count = static_cast<std::size_t>(-1);
    add({slot, Form::packed, access, count, 1, element_});
  }
  void vector(Slot slot, std::size_t count, Access access) {
    add({slot, Form::vector, access, count, 1, element_});
  }
  /// One element, or a few, of a given size: results and parameters.
  void scalars(Slot slot, std::size_t count, std::size_t element, Access access) {
    add({slot, Form::packed, access, count, 1, element});
  }

 private:
  void add(const Use& use) { to_.uses_[to_.count_++] = use; }
  Uses& to_;
  const Call& call_;
  std::size_t element_;
};

namespace {

void level_1(UseList& list, const Call& call) {
  const std::size_t element = size_of(call.precision);
  const std::size_t real = size_of(real_of(call.precision));
  switch (call.routine) {
    case Routine::swap:
    case Routine::rot:
      list.vector(Slot::x, call.n, Access::both);
      list.vector(Slot::y, call.n, Access::both);
      break;
    case Routine::rotm:
      list.vector(Slot::x, call.n, Access::both);
      list.vector(Slot::y, call.n, Access::both);
      list.scalars(Slot::z, 5, element, Access::read);
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
  const std::size_t m = call.m, n = call.n;
  const bool by_columns = call.order == Order::column_major;
  switch (call.routine) {
    case Routine::gemv:
    case Routine::gbmv: {
      if (call.routine == Routine::gemv)
        list.matrix(Slot::a, m, n, Access::read);
      else
        list.lines(Slot::a, band_rows(call.kl, call.ku), by_columns ? n : m, Access::read);
      const bool as_is = call.trans_a == Transpose::none;
      list.vector(Slot::x, as_is ? n : m, Access::read);
      list.vector(Slot::y, as_is ? m : n, Access::both);
      break;
    }
    case Routine::symv:
    case Routine::hemv:
      list.matrix(Slot::a, n, n, Access::read);
      list.vector(Slot::x, n, Access::read);
      list.vector(Slot::y, n, Access::both);
      break;
    case Routine::spmv:
    case Routine::hpmv:
      list.packed(Slot::a, Access::read);
      list.vector(Slot::x, n, Access::read);
      list.vector(Slot::y, n, Access::both);
      break;
    case Routine::sbmv:
    case Routine::hbmv:
      list.lines(Slot::a, band_rows(call.k, 0), n, Access::read);
      list.vector(Slot::x, n, Access::read);
      list.vector(Slot::y, n, Access::both);
      break;
    case Routine::trmv:
    case Routine::trsv:
      list.matrix(Slot::a, n, n, Access::read);
      list.vector(Slot::x, n, Access::both);
      break;
    case Routine::tpmv:
    case Routine::tpsv:
      list.packed(Slot::a, Access::read);
      list.vector(Slot::x, n, Access::both);
      break;
    case Routine::tbmv:
    case Routine::tbsv:
      list.lines(Slot::a, band_rows(call.k, 0), n, Access::read);
      list.vector(Slot::x, n, Access::both);
      break;
    case Routine::ger:
    case Routine::gerc:
      list.matrix(Slot::a, m, n, Access::both);
      list.vector(Slot::x, m, Access::read);
      list.vector(Slot::y, n, Access::read);
      break;
    case Routine::syr:
    case Routine::her:
    case Routine::syr2:
    case Routine::her2:
      list.matrix(Slot::a, n, n, Access::both);
      list.vector(Slot::x, n, Access::read);
      if (call.routine == Routine::syr2 || call.routine == Routine::her2)
        list.vector(Slot::y, n, Access::read);
      break;
    default:  // spr, hpr, spr2, hpr2
      list.packed(Slot::a, Access::both);
      list.vector(Slot::x, n, Access::read);
      if (call.routine == Routine::spr2 || call.routine == Routine::hpr2)
        list.vector(Slot::y, n, Access::read);
  }
}

void level_3(UseList& list, const Call& call) {
  const std::size_t m = call.m, n = call.n, k = call.k;
  const std::size_t square = call.side == Side::left ? m : n;
  switch (call.routine) {
    case Routine::gemm:
      list.matrix(Slot::a, call.trans_a, m, k, Access::read);
      list.matrix(Slot::b, call.trans_b, k, n, Access::read);
      list.matrix(Slot::c, m, n, Access::both);
      break;
    case Routine::trmm:
    case Routine::trsm:
      list.matrix(Slot::a, square, square, Access::read);
      list.matrix(Slot::b, m, n, Access::both);
      break;
    case Routine::symm:
    case Routine::hemm:
      list.matrix(Slot::a, square, square, Access::read);
      list.matrix(Slot::b, m, n, Access::read);
      list.matrix(Slot::c, m, n, Access::both);
      break;
    default:  // syrk, herk, syr2k, her2k
      list.matrix(Slot::a, call.trans_a, n, k, Access::read);
      if (call.routine == Routine::syr2k || call.routine == Routine::her2k)
        list.matrix(Slot::b, call.trans_a, n, k, Access::read);
      list.matrix(Slot::c, n, n, Access::both);
  }
}

}  // namespace

Uses::Uses(const Call& call) {
  UseList list(*this, call);
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
  const auto m = static_cast<double>(call.m), n = static_cast<double>(call.n),
             k = static_cast<double>(call.k);
  const double square = call.side == Side::left ? m : n;
  const double products = is_complex(call.precision) ? 4 : 1;
  switch (call.routine) {
    case Routine::gemm:
      return 2 * m * n * k * products;
    case Routine::symm:
    case Routine::hemm:
      return 2 * m * n * square * products;
    case Routine::trmm:
    case Routine::trsm:
      return m * n * square * products;
    case Routine::syr2k:
    case Routine::her2k:
      return 2 * n * n * k * products;
    default:
      return n * n * k * products;
  }
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
                      use.length == use.lines && call.routine != Routine::gemv &&
                      call.routine != Routine::gbmv && call.routine != Routine::ger &&
                      call.routine != Routine::gerc;
    bytes += (half ? all / 2 : all) * (use.access == Use::Access::both ? 2 : 1);
  }
  return bytes;
}

}  // namespace kiln::blas
