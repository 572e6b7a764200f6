#pragma once

#include <vector>

#include "blas/routines/product.hpp"

// What the routines of level 3 share: calls in column-major order, whatever the caller's (a
// row-major matrix is the transpose of the column-major one, so factors change places and upper
// triangles become lower ones), and how their results are shared out over the queues.
namespace kiln::blas {

/// The call's argument as a column-major matrix.
inline Region region_of(const Call& call, Slot slot) {
  const Operand& operand = call[slot];
  return {slot, {}, 0, operand.stride, operand.stored, operand.batch_stride};
}

/// The triangle that is stored, of the column-major matrix.
inline Uplo normal_uplo(const Call& call) {
  return call.order == Order::column_major ? call.uplo : other(call.uplo);
}
inline Side normal_side(const Call& call) {
  return call.order == Order::column_major ? call.side : other(call.side);
}

/// The stored triangle of op(matrix).
inline Factor::Stored stored_of(Uplo uplo, Transpose trans) {
  return (uplo == Uplo::lower) == (trans == Transpose::none) ? Factor::Stored::lower
                                                             : Factor::Stored::upper;
}

/// What is left of a product where alpha or the depth is zero: C = beta C, or B = 0. Reads nothing
/// of the factors; with beta = 1 it touches nothing at all.
void add_scaling(SequenceBuilder& builder, unsigned queue, const Product& product);

/// What a queue does of something: [from, to).
struct Share {
  unsigned queue;
  std::size_t from, to;
};

/// Rows or columns in parts of equal work, weighted by the speed of each queue's device. The
/// builder notes each queue's part.
std::vector<Share> shares_of(SequenceBuilder& builder, std::size_t size,
                             Product::Triangle triangle = Product::Triangle::whole);

/// Adds the steps of a product, its result shared out over the queues of the call: columns in equal
/// parts of the work (of a triangle, equal areas), weighted by the speed of each queue's device; or
/// rows, where the columns of the second factor are not alike. Where alpha or the depth is zero,
/// only beta is applied.
void add_shared(SequenceBuilder& builder, const Product& product);

}  // namespace kiln::blas
