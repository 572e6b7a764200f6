// aero GRID [STEPS]: OP2's aero as a program of its own. GRID is FE_grid.dat, as
// `kiln mesh naca0012 --aero --text -o FE_grid.dat` writes it.
#include <cstdlib>

#include "../common/grid_files.hpp"
#include "../common/program.hpp"
#include "aero.hpp"

int main(int count, char** words) {
  return run_program("aero", [&] {
    const int steps = count > 2 ? std::atoi(words[2]) : 20;
    if (count < 2 || count > 3 || steps < 1)
      throw std::runtime_error("expected FE_grid.dat, then the number of steps");
    const FeGrid file(words[1]);
    kiln::mesh::Mesh mesh;
    aero::Aero flow(mesh, {file.nodes, file.cells, file.cell_nodes, file.bound_nodes, file.x});
    aero::Step last;
    for (int step = 1; step <= steps; ++step) {
      last = flow.step();
      std::printf("%4d  %4d  %.15e\n", step, last.cg_steps, last.rms);
    }
    const auto verdict = aero::verdict(file.cells, static_cast<std::size_t>(steps), last.rms);
    if (!verdict.applies) return 0;
    std::printf("%.3g %% from the reference\n", verdict.deviation_percent);
    return report_check(verdict.passed);
  });
}
