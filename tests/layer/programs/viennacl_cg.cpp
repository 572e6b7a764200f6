// Solves a small Poisson problem by ViennaCL's conjugate gradients, in double precision on the
// first OpenCL device. ViennaCL's context is a global object: it releases queues, programs and
// kernels after main, later than the exit handlers of any layer.
#include "viennacl/linalg/cg.hpp"
#include "viennacl/linalg/jacobi_precond.hpp"
#include "viennacl_poisson.hpp"

int main() {
  constexpr unsigned side = 24;
  viennacl::compressed_matrix<double> a;
  viennacl::copy(poisson::laplacian(side), a);
  const auto b = poisson::right_side(side * side);

  viennacl::linalg::cg_tag plain(1e-10, 300);
  const viennacl::vector<double> x = viennacl::linalg::solve(a, b, plain);
  std::printf("cg: %u iterations, converged: %d\n", plain.iters(), plain.error() < 1e-10);
  poisson::print("x", x);

  using Jacobi = viennacl::linalg::jacobi_precond<viennacl::compressed_matrix<double>>;
  viennacl::linalg::cg_tag scaled(1e-10, 300);
  const viennacl::vector<double> y =
      viennacl::linalg::solve(a, b, scaled, Jacobi(a, viennacl::linalg::jacobi_tag()));
  std::printf("cg with Jacobi: %u iterations, converged: %d\n", scaled.iters(),
              scaled.error() < 1e-10);
  poisson::print("y", y);
  const viennacl::vector<double> r = b - viennacl::linalg::prod(a, x);
  return viennacl::linalg::norm_2(r) < 1e-8 * viennacl::linalg::norm_2(b) ? 0 : 1;
}
