#pragma once

#include <algorithm>

#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// What a product does with a matrix.
struct MatrixOp {
  bool transposed = false, conjugated = false;
};

/// The matrix of a level-2 call as columns that lie one behind another, whatever its storage: a
/// row-major matrix is the transpose of the column-major one. The kernels know this form only
/// (templates/matrix.cl).
struct NormalMatrix {
  std::int64_t m = 0, n = 0;      ///< rows and columns
  std::int64_t up = 0, down = 0;  ///< how far a column reaches above and below the diagonal
  std::int64_t start = 0, step = 0, growth = 0;  ///< where a column begins
  bool flipped = false;                          ///< it is the transpose of what the caller means

  /// How many rows column j has, and how many columns row i.
  std::int64_t rows_of(std::int64_t j) const {
    return std::max<std::int64_t>(0, std::min(m, j + down + 1) - std::max<std::int64_t>(0, j - up));
  }
  std::int64_t columns_of(std::int64_t i) const {
    return std::max<std::int64_t>(0, std::min(n, i + up + 1) - std::max<std::int64_t>(0, i - down));
  }
  /// Elements, roughly: for the geometry.
  double area() const;

  /// A triangle: its elements above (or below) the diagonal alone.
  NormalMatrix without_diagonal() const;
  /// Sets the kernel's arguments MATRIX.
  void put(SequenceBuilder::Arguments& to) const;
};

/// The matrix of a call; for routines of symmetric and triangular ones the stored triangle.
NormalMatrix normal_matrix(const Call& call);

/// op(A) of the caller's A in terms of the normal matrix.
MatrixOp normal_op(const NormalMatrix& matrix, Transpose trans);

}  // namespace kiln::blas
