#include "blas/level3/thin_product.hpp"

namespace kiln::blas {
namespace {

/// The elements of a matrix's one row, or column, as a vector.
Operand line_of(const Operand& matrix, bool is_row, Order order) {
  Operand line = matrix;
  if (is_row == (order == Order::row_major)) line.stride = 1;
  return line;
}

bool conjugates(const Call& call, Transpose trans) {
  return trans == Transpose::conjugate && is_complex(call.precision);
}

}  // namespace

std::optional<ThinProduct> ThinProduct::of(const Call& gemm) {
  const bool is_column = gemm.n == 1;
  if ((!is_column && gemm.m != 1) || gemm.k == 0) return std::nullopt;
  // Of a row its transpose is computed: op(B)^T times the row of op(A).
  const Transpose of_matrix = is_column ? gemm.trans_a : gemm.trans_b;
  const Transpose of_vector = is_column ? gemm.trans_b : gemm.trans_a;
  if (conjugates(gemm, of_vector) || (!is_column && conjugates(gemm, of_matrix)))
    return std::nullopt;

  ThinProduct thin;
  thin.matrix = is_column ? Slot::a : Slot::b;
  thin.vector = is_column ? Slot::b : Slot::a;
  Call& call = thin.call = gemm;
  call.routine = Routine::gemv;
  const bool is_turned = of_matrix != Transpose::none;
  call.trans_a = is_column ? of_matrix : is_turned ? Transpose::none : Transpose::transpose;
  // The matrix as it is stored.
  const std::size_t rows = is_column ? gemm.m : gemm.k, columns = is_column ? gemm.k : gemm.n;
  call.m = is_turned ? columns : rows;
  call.n = is_turned ? rows : columns;
  call[Slot::a] = gemm[thin.matrix];
  const bool vector_is_row = is_column == (of_vector != Transpose::none);
  call[Slot::x] = line_of(gemm[thin.vector], vector_is_row, gemm.order);
  call[Slot::y] = line_of(gemm[Slot::c], !is_column, gemm.order);
  return thin;
}

Slot ThinProduct::original(Slot slot) const {
  return slot == Slot::a ? matrix : slot == Slot::x ? vector : Slot::c;
}

}  // namespace kiln::blas
