#include "blas/sweep/openblas.hpp"

namespace kiln::blas::testing {

template <class T>
void run_level_2(const CblasCall<T>& c) {
  T *a = c.at(Slot::a), *x = c.at(Slot::x), *y = c.at(Slot::y);
  const int lda = c.step(Slot::a), inc_x = c.step(Slot::x), inc_y = c.step(Slot::y);
  const int trans = number(c.call.trans_a), diag = number(c.call.diag);
  const auto real_alpha = static_cast<Real<T>>(c.call.alpha.real());
  switch (c.call.routine) {
    case Routine::gemv:
      return c(c.name(), c.order, trans, c.m, c.n, c.alpha, a, lda, x, inc_x, c.beta, y, inc_y);
    case Routine::gbmv:
      return c(c.name(), c.order, trans, c.m, c.n, static_cast<int>(c.call.kl),
               static_cast<int>(c.call.ku), c.alpha, a, lda, x, inc_x, c.beta, y, inc_y);
    case Routine::symv:
    case Routine::hemv:
      return c(c.name(), c.order, c.uplo, c.n, c.alpha, a, lda, x, inc_x, c.beta, y, inc_y);
    case Routine::spmv:
    case Routine::hpmv:
      return c(c.name(), c.order, c.uplo, c.n, c.alpha, a, x, inc_x, c.beta, y, inc_y);
    case Routine::sbmv:
    case Routine::hbmv:
      return c(c.name(), c.order, c.uplo, c.n, c.k, c.alpha, a, lda, x, inc_x, c.beta, y, inc_y);
    case Routine::trmv:
    case Routine::trsv:
      return c(c.name(), c.order, c.uplo, trans, diag, c.n, a, lda, x, inc_x);
    case Routine::tpmv:
    case Routine::tpsv:
      return c(c.name(), c.order, c.uplo, trans, diag, c.n, a, x, inc_x);
    case Routine::tbmv:
    case Routine::tbsv:
      return c(c.name(), c.order, c.uplo, trans, diag, c.n, c.k, a, lda, x, inc_x);
    case Routine::ger:
    case Routine::gerc:
      return c(c.name(is_complex(c.call.precision) && c.call.routine == Routine::ger ? "u" : ""),
               c.order, c.m, c.n, c.alpha, x, inc_x, y, inc_y, a, lda);
    case Routine::syr:
    case Routine::her:
      return c(c.name(), c.order, c.uplo, c.n, real_alpha, x, inc_x, a, lda);
    case Routine::spr:
    case Routine::hpr:
      return c(c.name(), c.order, c.uplo, c.n, real_alpha, x, inc_x, a);
    case Routine::syr2:
    case Routine::her2:
      return c(c.name(), c.order, c.uplo, c.n, c.alpha, x, inc_x, y, inc_y, a, lda);
    default:  // spr2, hpr2
      return c(c.name(), c.order, c.uplo, c.n, c.alpha, x, inc_x, y, inc_y, a);
  }
}

template void run_level_2(const CblasCall<float>&);
template void run_level_2(const CblasCall<double>&);
template void run_level_2(const CblasCall<std::complex<float>>&);
template void run_level_2(const CblasCall<std::complex<double>>&);

}  // namespace kiln::blas::testing
