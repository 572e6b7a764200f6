#include "blas/routines.hpp"

#include "blas/level1/level1.hpp"
#include "blas/level3/level3.hpp"

namespace kiln::blas {

void add_steps(SequenceBuilder& builder) {
  switch (builder.call().routine) {
    case Routine::axpy:
      return add_axpy(builder);
    case Routine::gemm:
      return add_gemm(builder);
    case Routine::symm:
    case Routine::hemm:
      return add_symm(builder);
    case Routine::syrk:
    case Routine::herk:
      return add_syrk(builder);
    case Routine::syr2k:
    case Routine::her2k:
      return add_syr2k(builder);
    case Routine::trmm:
      return add_trmm(builder);
    case Routine::trsm:
      return add_trsm(builder);
    default:
      throw Error(Errc::internal, "no such routine yet");
  }
}

}  // namespace kiln::blas
