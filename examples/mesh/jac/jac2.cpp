#include "jac2.hpp"

#include <cmath>
#include <limits>
#include <span>

namespace jac {
namespace {

using namespace kiln::mesh;

/// The product is one of doubles; what is added is a float.
constexpr const char* res = R"(
void res(const double *a, const float *u, float *du, const float *beta) {
  du[0] += (float)(beta[0] * a[0] * u[0]);
}
)";

/// alpha is a constant of the mesh.
constexpr const char* update = R"(
void update(const float *r, float *du, float *u, float *u_sum, float *u_max) {
  u[0] += du[0] + alpha * r[0];
  du[0] = 0.0f;
  u_sum[0] += u[0] * u[0];
  u_max[0] = fmax(u_max[0], u[0]);
}
)";

/// Each number, followed by a NaN: it shows where padding is read.
template <class T>
std::vector<T> padded(std::span<const double> values, std::size_t dim) {
  std::vector<T> all(values.size() * dim, std::numeric_limits<T>::quiet_NaN());
  for (std::size_t k = 0; k < values.size(); ++k) all[k * dim] = static_cast<T>(values[k]);
  return all;
}

}  // namespace

Solution jac2(Mesh& mesh, const Problem& problem, const Interlude& interlude) {
  const std::vector<double> zeros(problem.nodes, 0.0);
  const Set nodes = mesh.set("nodes", problem.nodes);
  const Set edges = mesh.set("edges", problem.a.size());
  const Map ppedge = mesh.map("ppedge", edges, nodes, 2, problem.edge_nodes);
  const Dat a = mesh.dat<double>("p_A", edges, 3, padded<double>(problem.a, 3));
  const Dat r = mesh.dat<float>("p_r", nodes, 2, padded<float>(problem.r, 2));
  const Dat u = mesh.dat<float>("p_u", nodes, 2, padded<float>(zeros, 2));
  const Dat du = mesh.dat<float>("p_du", nodes, 3, padded<float>(zeros, 3));
  mesh.constant("alpha", 1.0F);
  const Global beta = mesh.global("beta", 1.0F);
  Global u_sum = mesh.global("u_sum", 0.0F), u_max = mesh.global("u_max", 0.0F);
  const Kernel res_kernel(res, "res"), update_kernel(update, "update");

  Solution solution;
  for (int sweep = 0; sweep < 2; ++sweep) {
    par_loop(res_kernel, edges, arg(a, READ), arg(u, ppedge[1], READ), arg(du, ppedge[0], INC),
             arg(beta, READ));
    u_sum.set(0.0F);
    u_max.set(0.0F);
    par_loop(update_kernel, nodes, arg(r, READ), arg(du, RW), arg(u, RW), arg(u_sum, INC),
             arg(u_max, MAX));
    const float mean = u_sum.value<float>() / static_cast<float>(problem.nodes);
    solution.sweeps.push_back({u_max.value<float>(), std::sqrt(mean)});
    if (sweep == 0 && interlude) interlude();
  }
  const auto values = u.read<float>();
  for (std::size_t node = 0; node < problem.nodes; ++node) solution.u.push_back(values[2 * node]);
  return solution;
}

}  // namespace jac
