#include "blas/level2/level2.hpp"
#include "blas/level2/product.hpp"

namespace kiln::blas {

void add_trmv(SequenceBuilder& to) {
  const Call& call = to.call();
  NormalMatrix matrix = normal_matrix(call);
  Team team(to, matrix.area());
  // x is read by many while it is written: they read a copy.
  const DenseVector x(to, team, Slot::x, call.n, DenseVector::Copy::always);
  const bool unit = call.diag == Diag::unit;
  // A diagonal of ones is not in memory: it adds x itself.
  if (unit) matrix = matrix.without_diagonal();
  add_product(to, team, matrix, normal_op(matrix, call.trans_a), x, Slot::x,
              unit ? Scaling::add : Scaling::replace);
}

}  // namespace kiln::blas
