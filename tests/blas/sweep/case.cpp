#include "blas/sweep/case.hpp"

namespace kiln::blas::testing {
namespace {

Layout general(const Call& call, std::size_t rows, std::size_t columns, Transpose trans) {
  if (trans != Transpose::none) std::swap(rows, columns);
  return {Layout::Storage::general, call.order, rows, columns};
}

Layout triangle(const Call& call, Layout::Storage storage, std::size_t n) {
  const bool lower = call.uplo == Uplo::lower;
  return {storage, call.order, n, n, lower ? call.k : 0, lower ? 0 : call.k, true, call.uplo};
}

Layout level_3(const Call& call, Slot slot) {
  const std::size_t square = call.side == Side::left ? call.m : call.n;
  constexpr auto none = Transpose::none;
  switch (call.routine) {
    case Routine::gemm:
      if (slot == Slot::a) return general(call, call.m, call.k, call.trans_a);
      if (slot == Slot::b) return general(call, call.k, call.n, call.trans_b);
      return general(call, call.m, call.n, none);
    case Routine::symm:
    case Routine::hemm:
    case Routine::trmm:
    case Routine::trsm:
      if (slot == Slot::a) return triangle(call, Layout::Storage::general, square);
      return general(call, call.m, call.n, none);
    default:
      if (slot == Slot::c) return triangle(call, Layout::Storage::general, call.n);
      return general(call, call.n, call.k, call.trans_a);
  }
}

}  // namespace

Layout layout_of(const Call& call, Slot slot) {
  if (call.routine >= Routine::gemm) return level_3(call, slot);
  switch (call.routine) {
    case Routine::gemv:
    case Routine::ger:
    case Routine::gerc:
      return general(call, call.m, call.n, Transpose::none);
    case Routine::gbmv:
      return {Layout::Storage::band, call.order, call.m, call.n, call.kl, call.ku};
    case Routine::sbmv:
    case Routine::hbmv:
    case Routine::tbmv:
    case Routine::tbsv:
      return triangle(call, Layout::Storage::band, call.n);
    case Routine::spmv:
    case Routine::hpmv:
    case Routine::tpmv:
    case Routine::tpsv:
    case Routine::spr:
    case Routine::hpr:
    case Routine::spr2:
    case Routine::hpr2:
      return triangle(call, Layout::Storage::packed, call.n);
    default:
      return triangle(call, Layout::Storage::general, call.n);
  }
}

}  // namespace kiln::blas::testing
