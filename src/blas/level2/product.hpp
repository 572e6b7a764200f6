#pragma once

#include "blas/level2/dense_vector.hpp"
#include "blas/level2/normal_matrix.hpp"

namespace kiln::blas {

/// What a product leaves in y.
enum class Scaling {
  call,     ///< alpha op(A) x + beta y, by the call's scalars
  replace,  ///< op(A) x
  add       ///< op(A) x + y
};

/// Products that are still to be summed up: vectors one behind another in workspace.
struct Parts {
  Parts(SequenceBuilder& to, std::int64_t length, std::int64_t count);
  cl::Buffer buffer;
  std::int64_t length, count;
};

/// How many parts a product's sums are cut into so that every device has enough to do; 1 where its
/// results alone are enough.
std::int64_t parts_of(const SequenceBuilder& to, const Team& team, const NormalMatrix& matrix,
                      MatrixOp op);

/// Adds a round of steps that compute y = scaled op(matrix) x, and further ones where its sums are
/// cut. x must not be in y's memory.
void add_product(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, MatrixOp op,
                 const DenseVector& x, Slot y, Scaling scaling);

/// Adds steps (of this round) for `count` of the parts, from `first` on.
void add_product_parts(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, MatrixOp op,
                       const DenseVector& x, const Parts& parts, std::int64_t first,
                       std::int64_t count);

/// What the sum of parts takes of a matrix' diagonal.
enum class Diagonal { none, as_is, real_part };

/// Adds y = scaled (the parts' sum + D x), after all that was added before. Without parts the sum
/// is 0.
void add_sum(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, Diagonal diagonal,
             const Parts* parts, const DenseVector* x, Slot y, Scaling scaling);

}  // namespace kiln::blas
