#pragma once

#include <functional>

#include "blas/sequence/sequence_builder.hpp"

// How routines become kernels: each function adds the steps of one routine, or of a few that are
// alike, to the solution sequence of the builder's call.
namespace kiln::blas {

/// Adds the steps of the builder's call by its routine's own function. Throws kiln::Error (build,
/// device).
void add_steps(SequenceBuilder& builder);

/// Adds the steps of a call with a batch, whose routine's own function is `add` (batch.cpp).
void add_batch(SequenceBuilder& builder, const std::function<void(SequenceBuilder&)>& add);

/// Adds a gemm so small that a GPU does it best as a batch of one, in one launch (batch.cpp);
/// returns false, and adds nothing, for others.
bool add_small_gemm(SequenceBuilder& builder);

// ---- Operands that lie in memory otherwise than the call's precision says (Operand::stored), for
// routines whose kernels do not know them: copied into workspace, and results back (widened.cpp).

/// Whether a call has operands that its routine's own kernels do not take as they lie.
bool needs_copies(const Call& call);
/// Adds the steps of a call with such operands; `add` those of the same call without.
void add_widened(SequenceBuilder& builder, void (*add)(SequenceBuilder&));

// ---- Level 1 (level1.cpp). All use the first queue alone: they are bound by the memory's
// bandwidth, and one queue's kernels take all of that.
//
// Increments may be negative. The routines of one vector then do as reference BLAS (and clBLAS)
// does: scal changes nothing, and nrm2, asum, sum, iamax and its likes give 0.

// What goes over vectors element by element: swap, scal, copy, axpy, rot, rotm, had
void add_elementwise(SequenceBuilder& to);
// axpy for each item of a batch, in one launch
void add_axpy_batch(SequenceBuilder& to);
// What comes to one number: dot, dotc, nrm2, asum, sum, iamax, iamin, imax, imin
void add_reduction(SequenceBuilder& to);
// What makes plane rotations from single numbers: rotg, rotmg
void add_rotation(SequenceBuilder& to);

// ---- Level 2 (matrix_vector.cpp, trsv.cpp, rank_update.cpp)
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

// ---- Copies in another form (copies.cpp), on the first queue alone
// B = alpha op(A)
void add_omatcopy(SequenceBuilder& to);
// Patches of an image, and the sums of them: im2col, col2im
void add_patches(SequenceBuilder& to);
// Products of patches and filters
void add_conv(SequenceBuilder& to);

// ---- Level 3 (level3.cpp, trsm.cpp)
// C = alpha op(A) op(B) + beta C
void add_gemm(SequenceBuilder& to);
// C = alpha A B + beta C or alpha B A + beta C, with A symmetric or Hermitian; B = alpha op(A) B or
// alpha B op(A), with A triangular: symm, hemm, trmm
void add_sided(SequenceBuilder& to);
// C = alpha op(A) op(A)' + beta C, a triangle of it: syrk, herk
void add_syrk(SequenceBuilder& to);
// C = alpha op(A) op(B)' + alpha op(B) op(A)' + beta C, a triangle of it: syr2k, her2k
void add_syr2k(SequenceBuilder& to);
// op(A) X = alpha B or X op(A) = alpha B, with A triangular; X takes B's place
void add_trsm(SequenceBuilder& to);

}  // namespace kiln::blas
