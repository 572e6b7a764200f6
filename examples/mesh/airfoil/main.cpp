// airfoil GRID [STEPS] [float]: OP2's airfoil as a program of its own. GRID is a mesh that
// `kiln mesh naca0012 -o new_grid.h5` writes.
#include <cstdlib>
#include <string_view>

#include "../common/grid_files.hpp"
#include "../common/program.hpp"
#include "airfoil.hpp"

namespace {

airfoil::Grid grid_of(const GridFile& file) {
  return {.nodes = file.set("nodes"),
          .cells = file.set("cells"),
          .cell_nodes = file.map("pcell", 4),
          .edge_nodes = file.map("pedge", 2),
          .edge_cells = file.map("pecell", 2),
          .bedge_nodes = file.map("pbedge", 2),
          .bedge_cells = file.map("pbecell", 1),
          .bound = file.dat<std::int32_t>("p_bound", 1),
          .x = file.dat<double>("p_x", 2)};
}

template <class Real>
int run(const airfoil::Grid& grid, int steps) {
  kiln::mesh::Mesh mesh;
  airfoil::Airfoil<Real> flow(mesh, grid);
  double rms = 0;
  for (int step = 1; step <= steps; ++step) {
    flow.step();
    if (step % 100 != 0 && step != steps) continue;
    rms = flow.rms();
    std::printf("%6d  %.5e\n", step, rms);
  }
  const auto verdict =
      airfoil::verdict(grid.cells, static_cast<std::size_t>(steps), rms, sizeof(Real) == 8);
  if (!verdict.applies) return 0;
  std::printf("%.3g %% from the reference\n", verdict.deviation_percent);
  return report_check(verdict.passed);
}

}  // namespace

int main(int count, char** words) {
  return run_program("airfoil", "GRID [STEPS] [float]", count, words, [&] {
    const int steps = count > 2 ? std::atoi(words[2]) : 1000;
    const bool is_float = count > 3 && std::string_view(words[3]) == "float";
    if (count < 2 || count > 4 || steps < 1 || (count > 3 && !is_float))
      throw std::runtime_error("expected a mesh, then the number of steps, then 'float'");
    const GridFile file(words[1]);
    const airfoil::Grid grid = grid_of(file);
    return is_float ? run<float>(grid, steps) : run<double>(grid, steps);
  });
}
