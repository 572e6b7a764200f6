#pragma once

#include "blas/gemm/product.hpp"

namespace kiln::blas {

/// What is left of a product where alpha or the depth is zero: C = beta C, or B = 0. Reads nothing
/// of the factors; with beta = 1 it touches nothing at all.
void add_scaling(SequenceBuilder& builder, unsigned queue, const Product& product);

}  // namespace kiln::blas
