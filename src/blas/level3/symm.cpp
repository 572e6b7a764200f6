#include <utility>

#include "blas/level3/level3.hpp"
#include "blas/level3/normal_form.hpp"
#include "blas/level3/shares.hpp"

namespace kiln::blas {

void add_symm(SequenceBuilder& to) {
  const Call& call = to.call();
  const bool hermitian = call.routine == Routine::hemm;
  Product product;
  product.rows = call.order == Order::column_major ? call.m : call.n;
  product.columns = call.order == Order::column_major ? call.n : call.m;
  product.first.region = region_of(call, Slot::a);
  product.first.stored = stored_of(normal_uplo(call), Transpose::none);
  product.first.outside =
      hermitian ? Factor::Outside::mirrored_conjugate : Factor::Outside::mirrored;
  product.first.diagonal = hermitian ? Factor::Diagonal::real : Factor::Diagonal::as_is;
  product.second.region = region_of(call, Slot::b);
  product.result = region_of(call, Slot::c);
  product.alpha = call_alpha;
  product.beta = call_beta;
  product.depth = product.rows;
  if (normal_side(call) == Side::right) {
    std::swap(product.first, product.second);
    product.depth = product.columns;
  }
  add_shared(to, product);
}

}  // namespace kiln::blas
