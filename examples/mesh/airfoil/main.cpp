// airfoil GRID [STEPS] [float]: OP2's airfoil as a program of its own. GRID is new_grid.dat, as
// `kiln mesh naca0012 --text -o new_grid.dat` writes it.
#include <cstdlib>
#include <string_view>

#include "../common/grid_files.hpp"
#include "../common/program.hpp"
#include "airfoil.hpp"

namespace {

template <class Real>
int run(const NewGrid& file, int steps) {
  kiln::mesh::Mesh mesh;
  airfoil::Airfoil<Real> flow(
      mesh, {file.nodes, file.cells, file.cell_nodes, file.edge_nodes, file.edge_cells,
             file.bedge_nodes, file.bedge_cells, file.bound, file.x});
  double rms = 0;
  for (int step = 1; step <= steps; ++step) {
    flow.step();
    if (step % 100 != 0 && step != steps) continue;
    rms = flow.rms();
    std::printf("%6d  %.5e\n", step, rms);
  }
  const auto verdict =
      airfoil::verdict(file.cells, static_cast<std::size_t>(steps), rms, sizeof(Real) == 8);
  if (!verdict.applies) return 0;
  std::printf("%.3g %% from the reference\n", verdict.deviation_percent);
  return report_check(verdict.passed);
}

}  // namespace

int main(int count, char** words) {
  return run_program("airfoil", [&] {
    const int steps = count > 2 ? std::atoi(words[2]) : 1000;
    const bool is_float = count > 3 && std::string_view(words[3]) == "float";
    if (count < 2 || count > 4 || steps < 1 || (count > 3 && !is_float))
      throw std::runtime_error("expected new_grid.dat, then the number of steps, then 'float'");
    const NewGrid grid(words[1]);
    return is_float ? run<float>(grid, steps) : run<double>(grid, steps);
  });
}
