#pragma once

#include <vector>

#include "blas/gemm/product.hpp"

namespace kiln::blas {

/// What a queue does of something: [from, to).
struct Share {
  unsigned queue;
  std::size_t from, to;
};

/// Rows or columns in parts of equal work, weighted by the speed of each queue's device. The
/// builder notes each queue's part.
std::vector<Share> shares_of(SequenceBuilder& builder, std::size_t size);

/// Adds the steps of a product, its result shared out over the queues of the call: columns in equal
/// parts of the work (of a triangle, equal areas), weighted by the speed of each queue's device; or
/// rows, where the columns of the second factor are not alike. Where alpha or the depth is zero,
/// only beta is applied.
void add_shared(SequenceBuilder& builder, const Product& product);

}  // namespace kiln::blas
