#pragma once

#include "blas/gemm/product.hpp"

namespace kiln::blas {

// Level 3 in column-major order, whatever the caller's: a row-major matrix is the transpose of the
// column-major one, so factors change places and triangles turn over.

/// The call's argument as a column-major matrix.
inline Region region_of(const Call& call, Slot slot) { return {slot, {}, 0, call[slot].stride}; }

/// The triangle that is stored, of the column-major matrix.
inline Uplo normal_uplo(const Call& call) {
  return call.order == Order::column_major ? call.uplo : other(call.uplo);
}
inline Side normal_side(const Call& call) {
  return call.order == Order::column_major ? call.side : other(call.side);
}

constexpr Product::Coefficient call_alpha{Product::Coefficient::From::alpha, {}};
constexpr Product::Coefficient call_beta{Product::Coefficient::From::beta, {}};

/// The stored triangle of op(matrix).
inline Factor::Stored stored_of(Uplo uplo, Transpose trans) {
  return (uplo == Uplo::lower) == (trans == Transpose::none) ? Factor::Stored::lower
                                                             : Factor::Stored::upper;
}

}  // namespace kiln::blas
