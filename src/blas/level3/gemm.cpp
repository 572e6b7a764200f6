#include <utility>

#include "blas/level2/level2.hpp"
#include "blas/level3/level3.hpp"
#include "blas/level3/normal_form.hpp"
#include "blas/level3/shares.hpp"
#include "blas/level3/thin_product.hpp"

namespace kiln::blas {

void add_gemm(SequenceBuilder& to) {
  const Call& call = to.call();
  if (const auto thin = ThinProduct::of(call))
    return to.add_instead(
        thin->call, [&](Slot slot) { return thin->original(slot); }, add_gemv);
  Product product;
  product.rows = call.m;
  product.columns = call.n;
  product.depth = call.k;
  product.first = {region_of(call, Slot::a), call.trans_a};
  product.second = {region_of(call, Slot::b), call.trans_b};
  product.result = region_of(call, Slot::c);
  product.alpha = call_alpha;
  product.beta = call_beta;
  if (call.order == Order::row_major) {
    std::swap(product.first, product.second);
    std::swap(product.rows, product.columns);
  }
  add_shared(to, product);
}

}  // namespace kiln::blas
