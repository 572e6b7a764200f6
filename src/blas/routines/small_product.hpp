#pragma once

#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {

/// A product whose operands are those of the builder's call, by columns: C = alpha op(A) op(B) +
/// beta C with C rows x columns, for each item of the call's batch (Call::batch, or
/// Call::by_items). A vector is a matrix of one row or column.
struct SmallProduct {
  struct Matrix {
    Slot slot{};
    std::int64_t leading = 0;
    bool transposed = false, conjugated = false;
    std::int64_t add = 0;  ///< elements, to the argument's offset
  };
  std::size_t rows = 0, columns = 0, depth = 0;
  Matrix first, second, result;
};

/// Adds the step of such a product for the items [from, to) to a queue: one launch. Its sizes are
/// those of is_small_product().
void add_small_product(SequenceBuilder& builder, unsigned queue, const SmallProduct& product,
                       std::size_t from, std::size_t to);

/// Whether the matrix units of a queue's device have a kernel for the call's product, a gemm of
/// halves or bfloat16 with nothing after it, in batches.
bool takes_small_halves(const SequenceBuilder& builder, unsigned queue);

/// The same as add_small_product() for such a product.
void add_small_halves(SequenceBuilder& builder, unsigned queue, const SmallProduct& product,
                      std::size_t from, std::size_t to);

}  // namespace kiln::blas
