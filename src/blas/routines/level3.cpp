#include <utility>

#include "blas/call/call.hpp"
#include "blas/call/routine_traits.hpp"
#include "blas/routines/product.hpp"
#include "blas/routines/routines.hpp"
#include "blas/routines/shares.hpp"

// The routines of level 3 that are products: which factors they have, and what of the result is
// computed.
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

/// Adds a product whose result is one row or one column as what it is: a matrix times a vector.
/// Returns false, and adds nothing, for other products, for those without depth, which only scale
/// the result, and where the vector would have to be conjugated, which GEMV cannot.
bool add_thin(SequenceBuilder& to) {
  const Call& gemm = to.call();
  const bool is_column = gemm.n == 1;
  if ((gemm.batch != 1 && !to.runs_items()) || gemm.epilogue != Epilogue{} || gemm.invariant ||
      gemm.emulated || has_stored(gemm))
    return false;
  // A few sums of a great depth: products of skinny factors share it out, GEMV its results alone.
  constexpr std::size_t few_results = 16, great_depth = 4096;
  if (!is_complex(gemm.precision) && gemm.m * gemm.n <= few_results && gemm.k >= great_depth)
    return false;
  if ((!is_column && gemm.m != 1) || gemm.k == 0) return false;
  // Of a row its transpose is computed: op(B)^T times the row of op(A).
  const Transpose of_matrix = is_column ? gemm.trans_a : gemm.trans_b;
  const Transpose of_vector = is_column ? gemm.trans_b : gemm.trans_a;
  if (conjugates(gemm, of_vector) || (!is_column && conjugates(gemm, of_matrix))) return false;

  const Slot matrix = is_column ? Slot::a : Slot::b, vector = is_column ? Slot::b : Slot::a;
  Call gemv = gemm;
  gemv.routine = Routine::gemv;
  const bool is_transposed = of_matrix != Transpose::none;
  gemv.trans_a = is_column ? of_matrix : is_transposed ? Transpose::none : Transpose::transpose;
  // The matrix as it is stored.
  const std::size_t rows = is_column ? gemm.m : gemm.k, columns = is_column ? gemm.k : gemm.n;
  gemv.m = is_transposed ? columns : rows;
  gemv.n = is_transposed ? rows : columns;
  gemv[Slot::a] = gemm[matrix];
  const bool vector_is_row = is_column == (of_vector != Transpose::none);
  gemv[Slot::x] = line_of(gemm[vector], vector_is_row, gemm.order);
  gemv[Slot::y] = line_of(gemm[Slot::c], !is_column, gemm.order);
  const auto original = [&](Slot slot) {
    return slot == Slot::a ? matrix : slot == Slot::x ? vector : Slot::c;
  };
  to.add_instead(gemv, original, add_gemv);
  return true;
}

/// A triangle of C = alpha op(X) op(Y)' + beta C for the arguments X and Y of a call, with ' the
/// transpose, or the conjugate transpose where the call is Hermitian.
Product rank_update(const Call& call, Slot first, Slot second) {
  const bool hermitian = has(call.routine, trait::conjugated);
  const Transpose mirrored = hermitian ? Transpose::conjugate : Transpose::transpose;
  // Seen by columns, a row-major A A' is A' A.
  const bool as_is = (call.trans_a == Transpose::none) == (call.order == Order::column_major);
  Product product;
  product.rows = product.columns = call.n;
  product.depth = call.k;
  product.first = {region_of(call, first), as_is ? Transpose::none : mirrored};
  product.second = {region_of(call, second), as_is ? mirrored : Transpose::none};
  product.result = region_of(call, Slot::c);
  product.alpha = call_alpha;
  product.beta = call_beta;
  product.triangle =
      normal_uplo(call) == Uplo::lower ? Product::Triangle::lower : Product::Triangle::upper;
  product.hermitian = hermitian;
  return product;
}

/// The other way along a matrix.
Along across(Along way) {
  return way == Along::rows ? Along::columns : way == Along::columns ? Along::rows : way;
}

/// A vector of n elements whose increment may be negative.
Region vector_of(const Call& call, Slot slot, std::size_t n) {
  Region vector = region_of(call, slot);
  if (vector.leading < 0) vector.add = -(static_cast<std::int64_t>(n) - 1) * vector.leading;
  return vector;
}

AfterProduct after_of(const Call& call) {
  AfterProduct after;
  after.what = call.epilogue;
  const auto size = [&](Along way) { return way == Along::rows ? call.m : call.n; };
  if (after.what.bias != Along::none)
    after.bias = vector_of(call, Slot::bias, size(after.what.bias));
  if (after.what.scale != Along::none)
    after.scale = vector_of(call, Slot::scale, size(after.what.scale));
  if (after.what.residual) after.residual = region_of(call, Slot::residual);
  if (call.order == Order::row_major) {
    after.what.bias = across(after.what.bias);
    after.what.scale = across(after.what.scale);
  }
  return after;
}

void set_scales(Factor& factor, const Call& call, Slot slot, std::size_t group) {
  if (group == 0) return;
  factor.scales = slot;
  factor.group = group;
  factor.groups = panels_of(call.k, group);
  factor.scale_item_step = call[slot].batch_stride;
}

}  // namespace

void add_gemm(SequenceBuilder& to) {
  const Call& call = to.call();
  if (add_thin(to) || add_small_gemm(to)) return;
  Product product;
  product.rows = call.m;
  product.columns = call.n;
  product.depth = call.k;
  product.first = {region_of(call, Slot::a), call.trans_a};
  product.second = {region_of(call, Slot::b), call.trans_b};
  set_scales(product.first, call, Slot::scale_a, call.group_a);
  set_scales(product.second, call, Slot::scale_b, call.group_b);
  product.result = region_of(call, Slot::c);
  product.after = after_of(call);
  product.items = to.runs_items() ? 1 : call.batch;
  product.alpha = call_alpha;
  product.beta = call_beta;
  if (call.order == Order::row_major) {
    std::swap(product.first, product.second);
    std::swap(product.rows, product.columns);
    product.flipped = call.invariant && is_complex(call.precision);
  }
  add_shared(to, product);
}

void add_sided(SequenceBuilder& to) {
  const Call& call = to.call();
  const bool triangular = has(call.routine, trait::triangular);
  const bool hermitian = has(call.routine, trait::conjugated);
  // A symmetric or Hermitian matrix is not transposed, whatever the call says besides.
  const Transpose trans = triangular ? call.trans_a : Transpose::none;
  Factor square{region_of(call, Slot::a), trans};
  square.stored = stored_of(normal_uplo(call), trans);
  if (triangular) {
    square.diagonal = call.diag == Diag::unit ? Factor::Diagonal::ones : Factor::Diagonal::as_is;
  } else {
    square.outside = hermitian ? Factor::Outside::mirrored_conjugate : Factor::Outside::mirrored;
    square.diagonal = hermitian ? Factor::Diagonal::real : Factor::Diagonal::as_is;
  }
  Product product;
  product.rows = call.order == Order::column_major ? call.m : call.n;
  product.columns = call.order == Order::column_major ? call.n : call.m;
  product.first = square;
  product.second = {region_of(call, Slot::b)};
  product.depth = product.rows;
  if (normal_side(call) == Side::right) {
    std::swap(product.first, product.second);
    product.depth = product.columns;
  }
  product.result = region_of(call, triangular ? Slot::b : Slot::c);
  product.alpha = call_alpha;
  product.beta = triangular ? Coefficient(0) : call_beta;
  add_shared(to, product);
}

void add_syrk(SequenceBuilder& to) { add_shared(to, rank_update(to.call(), Slot::a, Slot::a)); }

void add_syr2k(SequenceBuilder& to) {
  const Call& call = to.call();
  Product one = rank_update(call, Slot::a, Slot::b), other = rank_update(call, Slot::b, Slot::a);
  if (call.routine == Routine::her2k)
    (call.order == Order::column_major ? other : one).alpha = Varying::What::conjugate_alpha;
  add_shared(to, one);
  if (call.alpha == Scalar(0) || call.k == 0) return;  // beta is applied, and nothing to add
  other.beta = 1;
  add_shared(to, other);
}

}  // namespace kiln::blas
