#include "aero.hpp"

#include <cmath>
#include <vector>

#include "kernels.hpp"

namespace aero {
namespace {

using namespace kiln::mesh;

constexpr double mach = 0.1;

/// The potential of the undisturbed flow, which the outer boundary keeps.
std::vector<double> free_stream(std::span<const double> x) {
  std::vector<double> phi;
  phi.reserve(x.size() / 2);
  for (std::size_t at = 0; at < x.size(); at += 2) phi.push_back(mach * x[at]);
  return phi;
}

}  // namespace

Aero::Aero(Mesh& mesh, const Grid& grid)
    : count_(grid.all_nodes > 0 ? grid.all_nodes : grid.nodes),
      nodes_(mesh.set("nodes", grid.nodes)),
      bound_(mesh.set("bedges", grid.bound_nodes.size())),
      cells_(mesh.set("cells", grid.cells)),
      cell_nodes_(mesh.map("pcell", cells_, nodes_, 4, grid.cell_nodes)),
      bound_nodes_(mesh.map("pbedge", bound_, nodes_, 1, grid.bound_nodes)),
      x_(mesh.dat<double>("p_x", nodes_, 2, grid.x)),
      phi_(mesh.dat<double>("p_phim", nodes_, 1, free_stream(grid.x))),
      residual_(mesh.dat<double>("p_resm", nodes_, 1)),
      matrix_(mesh.dat<double>("p_K", cells_, 16)),
      u_(mesh.dat<double>("p_U", nodes_, 1)),
      v_(mesh.dat<double>("p_V", nodes_, 1)),
      p_(mesh.dat<double>("p_P", nodes_, 1)),
      c1_(mesh.global("c1", 0.0)),
      c2_(mesh.global("c2", 0.0)),
      c3_(mesh.global("c3", 0.0)),
      alpha_(mesh.global("alpha", 0.0)),
      beta_(mesh.global("beta", 0.0)),
      rms_(mesh.global("rms", 0.0)),
      res_calc_(aero::res_calc, "res_calc"),
      dirichlet_(aero::dirichlet, "dirichlet"),
      init_cg_(aero::init_cg, "init_cg"),
      spmv_(aero::spMV, "spMV"),
      dot_pv_(aero::dotPV, "dotPV"),
      update_ur_(aero::updateUR, "updateUR"),
      dot_r_(aero::dotR, "dotR"),
      update_p_(aero::updateP, "updateP"),
      update_(aero::update, "update") {
  const double gam = 1.4, gm1 = gam - 1.0;
  mesh.constant("gm1", gm1);
  mesh.constant("gm1i", 1.0 / gm1);
  mesh.constant("m2", mach * mach);
}

int Aero::solve() {
  c1_.set(0.0);
  par_loop(init_cg_, nodes_, arg(residual_, READ), arg(c1_, INC), arg(u_, WRITE), arg(v_, WRITE),
           arg(p_, WRITE));
  double c1 = c1_.value<double>();
  const double first = std::sqrt(c1);
  int steps = 0;
  while (std::sqrt(c1) > 0.1 * first && steps < 200) {
    par_loop(spmv_, cells_, arg(v_, cell_nodes_, INC), arg(matrix_, READ),
             arg(p_, cell_nodes_, READ));
    par_loop(dirichlet_, bound_, arg(v_, bound_nodes_[0], WRITE));
    c2_.set(0.0);
    par_loop(dot_pv_, nodes_, arg(p_, READ), arg(v_, READ), arg(c2_, INC));
    alpha_.set(c1 / c2_.value<double>());
    // u and the residual are added to by hand: their old values are read, so RW and not INC.
    par_loop(update_ur_, nodes_, arg(u_, RW), arg(residual_, RW), arg(p_, READ), arg(v_, RW),
             arg(alpha_, READ));
    c3_.set(0.0);
    par_loop(dot_r_, nodes_, arg(residual_, READ), arg(c3_, INC));
    const double c3 = c3_.value<double>();
    beta_.set(c3 / c1);
    par_loop(update_p_, nodes_, arg(residual_, READ), arg(p_, RW), arg(beta_, READ));
    c1 = c3;
    ++steps;
  }
  return steps;
}

Step Aero::step() {
  par_loop(res_calc_, cells_, arg(x_, cell_nodes_, READ), arg(phi_, cell_nodes_, READ),
           arg(matrix_, WRITE), arg(residual_, cell_nodes_, INC));
  par_loop(dirichlet_, bound_, arg(residual_, bound_nodes_[0], WRITE));
  Step step;
  step.cg_steps = solve();
  rms_.set(0.0);
  par_loop(update_, nodes_, arg(phi_, RW), arg(residual_, WRITE), arg(u_, READ), arg(rms_, INC));
  step.rms = std::sqrt(rms_.value<double>() / static_cast<double>(count_));
  return step;
}

Verdict verdict(std::size_t cells, std::size_t steps, double rms) {
  Verdict verdict;
  verdict.applies = cells == 720'000 && steps == 20;
  verdict.deviation_percent = std::abs(100 * rms / 5.644214176463586e-7 - 100);
  verdict.passed = verdict.applies && verdict.deviation_percent < 0.02;
  return verdict;
}

}  // namespace aero
