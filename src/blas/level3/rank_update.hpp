#pragma once

#include "blas/gemm/product.hpp"

namespace kiln::blas {

/// A triangle of C = alpha op(X) op(Y)' + beta C for the arguments X and Y of a call, with ' the
/// transpose, or the conjugate transpose where the call is Hermitian.
Product rank_update(const Call& call, Slot first, Slot second);

}  // namespace kiln::blas
