#include "blas/sweep/openblas.hpp"

namespace kiln::blas::testing {

template <class T>
void run_level_3(const CblasCall<T>& c) {
  T *a = c.at(Slot::a), *b = c.at(Slot::b), *into = c.at(Slot::c);
  const int lda = c.step(Slot::a), ldb = c.step(Slot::b), ldc = c.step(Slot::c);
  const int trans = number(c.call.trans_a), side = number(c.call.side);
  const auto real_alpha = static_cast<Real<T>>(c.call.alpha.real());
  const auto real_beta = static_cast<Real<T>>(c.call.beta.real());
  switch (c.call.routine) {
    case Routine::gemm:
      return c(c.name(), c.order, trans, number(c.call.trans_b), c.m, c.n, c.k, c.alpha, a, lda, b,
               ldb, c.beta, into, ldc);
    case Routine::symm:
    case Routine::hemm:
      return c(c.name(), c.order, side, c.uplo, c.m, c.n, c.alpha, a, lda, b, ldb, c.beta, into,
               ldc);
    case Routine::trmm:
    case Routine::trsm:
      return c(c.name(), c.order, side, c.uplo, trans, number(c.call.diag), c.m, c.n, c.alpha, a,
               lda, b, ldb);
    case Routine::syrk:
      return c(c.name(), c.order, c.uplo, trans, c.n, c.k, c.alpha, a, lda, c.beta, into, ldc);
    case Routine::herk:
      return c(c.name(), c.order, c.uplo, trans, c.n, c.k, real_alpha, a, lda, real_beta, into,
               ldc);
    case Routine::syr2k:
      return c(c.name(), c.order, c.uplo, trans, c.n, c.k, c.alpha, a, lda, b, ldb, c.beta, into,
               ldc);
    default:  // her2k
      return c(c.name(), c.order, c.uplo, trans, c.n, c.k, c.alpha, a, lda, b, ldb, real_beta, into,
               ldc);
  }
}

template void run_level_3(const CblasCall<float>&);
template void run_level_3(const CblasCall<double>&);
template void run_level_3(const CblasCall<std::complex<float>>&);
template void run_level_3(const CblasCall<std::complex<double>>&);

}  // namespace kiln::blas::testing
