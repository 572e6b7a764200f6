#pragma once

#include "blas/sequence_builder.hpp"

namespace kiln::blas {

// C = alpha op(A) op(B) + beta C
void add_gemm(SequenceBuilder& to);
// C = alpha A B + beta C or alpha B A + beta C, with A symmetric or Hermitian
void add_symm(SequenceBuilder& to);
// C = alpha op(A) op(A)' + beta C, a triangle of it: syrk, herk
void add_syrk(SequenceBuilder& to);
// C = alpha op(A) op(B)' + alpha op(B) op(A)' + beta C, a triangle of it: syr2k, her2k
void add_syr2k(SequenceBuilder& to);
// B = alpha op(A) B or alpha B op(A), with A triangular
void add_trmm(SequenceBuilder& to);
// op(A) X = alpha B or X op(A) = alpha B, with A triangular; X takes B's place
void add_trsm(SequenceBuilder& to);

}  // namespace kiln::blas
