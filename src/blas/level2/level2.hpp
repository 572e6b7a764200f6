#pragma once

#include "blas/sequence_builder.hpp"

namespace kiln::blas {

// y = alpha op(A) x + beta y: gemv, gbmv
void add_gemv(SequenceBuilder& to);
// y = alpha A x + beta y, A symmetric or Hermitian: symv, hemv, spmv, hpmv, sbmv, hbmv
void add_symv(SequenceBuilder& to);
// x = op(A) x, A triangular: trmv, tpmv, tbmv
void add_trmv(SequenceBuilder& to);
// x = op(A)^-1 x, A triangular: trsv, tpsv, tbsv
void add_trsv(SequenceBuilder& to);
// A = A + alpha x op(y): ger, gerc; and what keeps A symmetric or Hermitian: syr, her, spr, hpr,
// syr2, her2, spr2, hpr2
void add_rank_update(SequenceBuilder& to);

}  // namespace kiln::blas
