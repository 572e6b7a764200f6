#include <utility>

#include "blas/level3/level3.hpp"
#include "blas/level3/normal_form.hpp"
#include "blas/level3/shares.hpp"

namespace kiln::blas {

void add_trmm(SequenceBuilder& to) {
  const Call& call = to.call();
  Product product;
  product.rows = call.order == Order::column_major ? call.m : call.n;
  product.columns = call.order == Order::column_major ? call.n : call.m;
  product.first.region = region_of(call, Slot::a);
  product.first.trans = call.trans_a;
  product.first.stored = stored_of(normal_uplo(call), call.trans_a);
  product.first.diagonal =
      call.diag == Diag::unit ? Factor::Diagonal::ones : Factor::Diagonal::as_is;
  product.second.region = product.result = region_of(call, Slot::b);
  product.alpha = call_alpha;
  product.beta = {Product::Coefficient::From::constant, 0};
  product.depth = product.rows;
  if (normal_side(call) == Side::right) {
    std::swap(product.first, product.second);
    product.depth = product.columns;
  }
  add_shared(to, product);
}

}  // namespace kiln::blas
