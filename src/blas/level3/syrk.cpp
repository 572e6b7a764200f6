#include "blas/level3/level3.hpp"
#include "blas/level3/normal_form.hpp"
#include "blas/level3/rank_update.hpp"
#include "blas/level3/shares.hpp"

namespace kiln::blas {

Product rank_update(const Call& call, Slot first, Slot second) {
  const bool hermitian = call.routine == Routine::herk || call.routine == Routine::her2k;
  const Transpose turned = hermitian ? Transpose::conjugate : Transpose::transpose;
  // Seen by columns, a row-major A A' is A' A.
  const bool as_is = (call.trans_a == Transpose::none) == (call.order == Order::column_major);
  Product product;
  product.rows = product.columns = call.n;
  product.depth = call.k;
  product.first = {region_of(call, first), as_is ? Transpose::none : turned};
  product.second = {region_of(call, second), as_is ? turned : Transpose::none};
  product.result = region_of(call, Slot::c);
  product.alpha = call_alpha;
  product.beta = call_beta;
  product.triangle =
      normal_uplo(call) == Uplo::lower ? Product::Triangle::lower : Product::Triangle::upper;
  product.hermitian = hermitian;
  return product;
}

void add_syrk(SequenceBuilder& to) { add_shared(to, rank_update(to.call(), Slot::a, Slot::a)); }

void add_syr2k(SequenceBuilder& to) {
  using From = Product::Coefficient::From;
  const Call& call = to.call();
  Product one = rank_update(call, Slot::a, Slot::b), other = rank_update(call, Slot::b, Slot::a);
  if (call.routine == Routine::her2k)
    (call.order == Order::column_major ? other : one).alpha.from = From::conjugate_alpha;
  add_shared(to, one);
  if (call.alpha == Scalar(0) || call.k == 0) return;  // beta is applied, and nothing to add
  other.beta = {From::constant, 1};
  add_shared(to, other);
}

}  // namespace kiln::blas
