#include "blas/routines/routines.hpp"

namespace kiln::blas {

void add_steps(SequenceBuilder& builder) {
  switch (builder.call().routine) {
    case Routine::swap:
      return add_swap(builder);
    case Routine::scal:
      return add_scal(builder);
    case Routine::copy:
      return add_copy(builder);
    case Routine::axpy:
      return add_axpy(builder);
    case Routine::dot:
    case Routine::dotc:
      return add_dot(builder);
    case Routine::rotg:
      return add_rotg(builder);
    case Routine::rotmg:
      return add_rotmg(builder);
    case Routine::rot:
      return add_rot(builder);
    case Routine::rotm:
      return add_rotm(builder);
    case Routine::nrm2:
      return add_nrm2(builder);
    case Routine::iamax:
      return add_iamax(builder);
    case Routine::asum:
      return add_asum(builder);
    case Routine::gemv:
    case Routine::gbmv:
      return add_gemv(builder);
    case Routine::symv:
    case Routine::hemv:
    case Routine::spmv:
    case Routine::hpmv:
    case Routine::sbmv:
    case Routine::hbmv:
      return add_symv(builder);
    case Routine::trmv:
    case Routine::tpmv:
    case Routine::tbmv:
      return add_trmv(builder);
    case Routine::trsv:
    case Routine::tpsv:
    case Routine::tbsv:
      return add_trsv(builder);
    case Routine::ger:
    case Routine::gerc:
    case Routine::syr:
    case Routine::her:
    case Routine::syr2:
    case Routine::her2:
    case Routine::spr:
    case Routine::hpr:
    case Routine::spr2:
    case Routine::hpr2:
      return add_rank_update(builder);
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
      throw Error(Errc::internal, "no routine of BLAS has this number");
  }
}

}  // namespace kiln::blas
