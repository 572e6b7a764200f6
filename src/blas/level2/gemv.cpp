#include "blas/level2/level2.hpp"
#include "blas/level2/product.hpp"

namespace kiln::blas {

void add_gemv(SequenceBuilder& to) {
  const Call& call = to.call();
  const NormalMatrix matrix = normal_matrix(call);
  Team team(to, matrix.area());
  if (call.alpha == Scalar(0))
    return add_sum(to, team, matrix, Diagonal::none, nullptr, nullptr, Slot::y, Scaling::call);
  const DenseVector x(to, team, Slot::x, call.trans_a == Transpose::none ? call.n : call.m);
  add_product(to, team, matrix, normal_op(matrix, call.trans_a), x, Slot::y, Scaling::call);
}

}  // namespace kiln::blas
