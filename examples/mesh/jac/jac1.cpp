#include "jac1.hpp"

#include <cmath>

namespace jac {
namespace {

using namespace kiln::mesh;

constexpr const char* res = R"(
void res(const double *a, const double *u, double *du, const double *beta) {
  du[0] += beta[0] * a[0] * u[0];
}
)";

/// alpha is a constant of the mesh.
constexpr const char* update = R"(
void update(const double *r, double *du, double *u, double *u_sum, double *u_max) {
  u[0] += du[0] + alpha * r[0];
  du[0] = 0.0;
  u_sum[0] += u[0] * u[0];
  u_max[0] = fmax(u_max[0], u[0]);
}
)";

}  // namespace

Solution jac1(Mesh& mesh, const Problem& problem, const Interlude& interlude) {
  const Set nodes = mesh.set("nodes", problem.nodes);
  const Set edges = mesh.set("edges", problem.a.size());
  const Map ppedge = mesh.map("ppedge", edges, nodes, 2, problem.edge_nodes);
  const Dat a = mesh.dat<double>("p_A", edges, 1, problem.a);
  const Dat r = mesh.dat<double>("p_r", nodes, 1, problem.r);
  const Dat u = mesh.dat<double>("p_u", nodes, 1), du = mesh.dat<double>("p_du", nodes, 1);
  mesh.constant("alpha", 1.0);
  const Global beta = mesh.global("beta", 1.0);
  Global u_sum = mesh.global("u_sum", 0.0), u_max = mesh.global("u_max", 0.0);
  const Kernel res_kernel(res, "res"), update_kernel(update, "update");

  Solution solution;
  for (int sweep = 0; sweep < 2; ++sweep) {
    par_loop(res_kernel, edges, arg(a, READ), arg(u, ppedge[1], READ), arg(du, ppedge[0], INC),
             arg(beta, READ));
    u_sum.set(0.0);
    u_max.set(0.0);
    // The sum of squares is of the new u, so the kernel reads what it adds to: RW, not INC.
    par_loop(update_kernel, nodes, arg(r, READ), arg(du, RW), arg(u, RW), arg(u_sum, INC),
             arg(u_max, MAX));
    const double mean = u_sum.value<double>() / static_cast<double>(problem.nodes);
    solution.sweeps.push_back({u_max.value<double>(), std::sqrt(mean)});
    if (sweep == 0 && interlude) interlude();
  }
  const auto values = u.read<double>();
  solution.u.assign(values.begin(), values.end());
  return solution;
}

}  // namespace jac
