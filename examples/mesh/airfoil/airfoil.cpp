#include "airfoil.hpp"

#include <cmath>
#include <string>

#include "kernels.hpp"

namespace airfoil {
namespace {

using namespace kiln::mesh;

template <class Real>
Kernel kernel(const char* code, const char* name) {
  const std::string type = sizeof(Real) == 8 ? "double" : "float";
  return Kernel("typedef " + type + " real;\n" + code, name);
}

template <class Real>
std::vector<Real> rounded(std::span<const double> values) {
  return {values.begin(), values.end()};
}

/// The free stream at Mach 0.4 from the left, with density and pressure 1. The benchmark's numbers
/// are rounded to single precision even where it computes in double.
struct FreeStream {
  double gam = 1.4F, gm1 = gam - 1, cfl = 0.9F, eps = 0.05F, mach = 0.4F;
  std::vector<double> q() const {
    const double u = std::sqrt(gam) * mach;
    return {1, u, 0, 1 / gm1 + 0.5 * u * u};
  }
};

template <class Real>
std::vector<Real> everywhere(std::size_t cells) {
  std::vector<Real> all;
  all.reserve(4 * cells);
  const auto q = FreeStream{}.q();
  for (std::size_t cell = 0; cell < cells; ++cell)
    for (const double value : q) all.push_back(static_cast<Real>(value));
  return all;
}

}  // namespace

template <class Real>
Airfoil<Real>::Airfoil(Mesh& mesh, const Grid& grid)
    : count_(grid.all_cells > 0 ? grid.all_cells : grid.cells),
      nodes_(mesh.set("nodes", grid.nodes)),
      edges_(mesh.set("edges", grid.edge_nodes.size() / 2)),
      bedges_(mesh.set("bedges", grid.bound.size())),
      cells_(mesh.set("cells", grid.cells)),
      edge_nodes_(mesh.map("pedge", edges_, nodes_, 2, grid.edge_nodes)),
      edge_cells_(mesh.map("pecell", edges_, cells_, 2, grid.edge_cells)),
      bedge_nodes_(mesh.map("pbedge", bedges_, nodes_, 2, grid.bedge_nodes)),
      bedge_cells_(mesh.map("pbecell", bedges_, cells_, 1, grid.bedge_cells)),
      cell_nodes_(mesh.map("pcell", cells_, nodes_, 4, grid.cell_nodes)),
      bound_(mesh.dat("p_bound", bedges_, 1, grid.bound)),
      x_(mesh.dat<Real>("p_x", nodes_, 2, rounded<Real>(grid.x))),
      q_(mesh.dat<Real>("p_q", cells_, 4, everywhere<Real>(grid.cells))),
      qold_(mesh.dat<Real>("p_qold", cells_, 4)),
      adt_(mesh.dat<Real>("p_adt", cells_, 1)),
      res_(mesh.dat<Real>("p_res", cells_, 4)),
      rms_(mesh.global("rms", Real{0})),
      save_soln_(kernel<Real>(airfoil::save_soln, "save_soln")),
      adt_calc_(kernel<Real>(airfoil::adt_calc, "adt_calc")),
      res_calc_(kernel<Real>(airfoil::res_calc, "res_calc")),
      bres_calc_(kernel<Real>(airfoil::bres_calc, "bres_calc")),
      update_(kernel<Real>(airfoil::update, "update")) {
  const FreeStream stream;
  mesh.constant("gam", static_cast<Real>(stream.gam));
  mesh.constant("gm1", static_cast<Real>(stream.gm1));
  mesh.constant("cfl", static_cast<Real>(stream.cfl));
  mesh.constant("eps", static_cast<Real>(stream.eps));
  const auto qinf = rounded<Real>(stream.q());
  mesh.constant("qinf", std::span<const Real>(qinf));
}

template <class Real>
void Airfoil<Real>::save_soln() {
  par_loop(save_soln_, cells_, arg(q_, READ), arg(qold_, WRITE));
}

template <class Real>
void Airfoil<Real>::adt_calc() {
  par_loop(adt_calc_, cells_, arg(x_, cell_nodes_[0], READ), arg(x_, cell_nodes_[1], READ),
           arg(x_, cell_nodes_[2], READ), arg(x_, cell_nodes_[3], READ), arg(q_, READ),
           arg(adt_, WRITE));
}

template <class Real>
void Airfoil<Real>::res_calc() {
  par_loop(res_calc_, edges_, arg(x_, edge_nodes_[0], READ), arg(x_, edge_nodes_[1], READ),
           arg(q_, edge_cells_[0], READ), arg(q_, edge_cells_[1], READ),
           arg(adt_, edge_cells_[0], READ), arg(adt_, edge_cells_[1], READ),
           arg(res_, edge_cells_[0], INC), arg(res_, edge_cells_[1], INC));
}

template <class Real>
void Airfoil<Real>::bres_calc() {
  par_loop(bres_calc_, bedges_, arg(x_, bedge_nodes_[0], READ), arg(x_, bedge_nodes_[1], READ),
           arg(q_, bedge_cells_[0], READ), arg(adt_, bedge_cells_[0], READ),
           arg(res_, bedge_cells_[0], INC), arg(bound_, READ));
}

template <class Real>
void Airfoil<Real>::update() {
  par_loop(update_, cells_, arg(qold_, READ), arg(q_, WRITE), arg(res_, RW), arg(adt_, READ),
           arg(rms_, INC));
}

template <class Real>
void Airfoil<Real>::clear_and_update() {
  rms_.set(Real{0});
  update();
}

template <class Real>
void Airfoil<Real>::step() {
  save_soln();
  for (int stage = 0; stage < 2; ++stage) {
    adt_calc();
    res_calc();
    bres_calc();
    clear_and_update();
  }
}

template <class Real>
double Airfoil<Real>::rms() {
  return std::sqrt(static_cast<double>(rms_.value<Real>()) / static_cast<double>(count_));
}

template class Airfoil<double>;
template class Airfoil<float>;

Verdict verdict(std::size_t cells, std::size_t iterations, double rms, bool is_double) {
  Verdict verdict;
  verdict.applies = cells == 720'000 && iterations == 1000;
  const double reference = is_double ? 0.0001060114637578 : 0.000105987;
  verdict.deviation_percent = std::abs(100 * rms / reference - 100);
  verdict.passed = verdict.applies && verdict.deviation_percent < (is_double ? 1e-5 : 0.1);
  return verdict;
}

}  // namespace airfoil
