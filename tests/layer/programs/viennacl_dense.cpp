// ViennaCL's dense matrices (its generated GEMM kernels, LU), BLAS 1 and 2, then GMRES and BiCGStab
// with row scaling: many programs with a hundred kernels each, made by clCreateKernelsInProgram.
#include "viennacl/linalg/bicgstab.hpp"
#include "viennacl/linalg/gmres.hpp"
#include "viennacl/linalg/lu.hpp"
#include "viennacl/linalg/norm_1.hpp"
#include "viennacl/linalg/norm_inf.hpp"
#include "viennacl/linalg/prod.hpp"
#include "viennacl/linalg/row_scaling.hpp"
#include "viennacl/matrix.hpp"
#include "viennacl_poisson.hpp"

namespace {

viennacl::matrix<float> dense(unsigned size, unsigned seed) {
  std::vector<std::vector<float>> host(size, std::vector<float>(size));
  for (unsigned i = 0; i < size; ++i) {
    for (unsigned j = 0; j < size; ++j) host[i][j] = float((i * 7 + j * 3 + seed) % 11) - 5.0f;
    host[i][i] += 100.0f;
  }
  viennacl::matrix<float> device(size, size);
  viennacl::copy(host, device);
  return device;
}

void blas() {
  using viennacl::linalg::prod;
  constexpr unsigned size = 64;
  const auto a = dense(size, 1), b = dense(size, 2);
  viennacl::matrix<float> c = prod(a, b);
  c += 0.5f * prod(viennacl::trans(a), b);
  viennacl::vector<float> x = viennacl::scalar_vector<float>(size, 2.0f);
  viennacl::vector<float> y = prod(c, x);
  y = y - 3.0f * viennacl::linalg::element_prod(x, y);
  std::printf("norms %a %a %a\n", float(viennacl::linalg::norm_1(y)),
              float(viennacl::linalg::norm_2(y)), float(viennacl::linalg::norm_inf(y)));
  std::printf("inner product %a\n", float(viennacl::linalg::inner_prod(x, y)));
  viennacl::linalg::lu_factorize(c);
  viennacl::linalg::lu_substitute(c, y);
  std::vector<float> host(size);
  viennacl::copy(y, host);
  for (unsigned i = 0; i < size; i += 8) std::printf("solution %a\n", host[i]);
}

}  // namespace

int main() {
  blas();
  constexpr unsigned side = 16;
  viennacl::compressed_matrix<double> a;
  viennacl::copy(poisson::laplacian(side), a);
  const auto b = poisson::right_side(side * side);
  // Algebraic multigrid would be the natural preconditioner: its sparse product writes beyond its
  // buffers on PoCL and the program is aborted.
  const viennacl::linalg::row_scaling<viennacl::compressed_matrix<double>> scaling(
      a, viennacl::linalg::row_scaling_tag(2));
  viennacl::linalg::gmres_tag gmres(1e-10, 200, 20);
  const viennacl::vector<double> x = viennacl::linalg::solve(a, b, gmres, scaling);
  std::printf("gmres: %u iterations, converged: %d\n", gmres.iters(), gmres.error() < 1e-10);
  poisson::print("x", x);
  viennacl::linalg::bicgstab_tag bicgstab(1e-10, 200);
  const viennacl::vector<double> y = viennacl::linalg::solve(a, b, bicgstab, scaling);
  std::printf("bicgstab: %zu iterations, converged: %d\n", bicgstab.iters(),
              bicgstab.error() < 1e-10);
  poisson::print("y", y);
}
