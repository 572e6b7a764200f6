#pragma once

#include "blas/gemm/product.hpp"

namespace kiln::blas {

/// Adds the steps of a product, its result shared out over the queues of the call: columns in equal
/// parts of the work (of a triangle, equal areas), weighted by the speed of each queue's device.
/// Where alpha or the depth is zero, only beta is applied.
void add_shared(SequenceBuilder& builder, const Product& product);

}  // namespace kiln::blas
