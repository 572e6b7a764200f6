// aero GRID [STEPS]: OP2's aero as a program of its own. GRID is a mesh that
// `kiln mesh naca0012 --aero -o FE_grid.h5` writes.
#include <cstdlib>

#include "../common/grid_files.hpp"
#include "../common/program.hpp"
#include "aero.hpp"

int main(int count, char** words) {
  return run_program("aero", "GRID [STEPS]", count, words, [&] {
    const int steps = count > 2 ? std::atoi(words[2]) : 20;
    if (count < 2 || count > 3 || steps < 1)
      throw std::runtime_error("expected a mesh, then the number of steps");
    const GridFile file(words[1]);
    const std::size_t cells = file.set("cells");
    kiln::mesh::Mesh mesh;
    aero::Aero flow(mesh, {.nodes = file.set("nodes"),
                           .cells = cells,
                           .cell_nodes = file.map("pcell", 4),
                           .bound_nodes = file.map("pbedge", 1),
                           .x = file.dat<double>("p_x", 2)});
    aero::Step last;
    for (int step = 1; step <= steps; ++step) {
      last = flow.step();
      std::printf("%4d  %4d  %.15e\n", step, last.cg_steps, last.rms);
    }
    const auto verdict = aero::verdict(cells, static_cast<std::size_t>(steps), last.rms);
    if (!verdict.applies) return 0;
    std::printf("%.3g %% from the reference\n", verdict.deviation_percent);
    return report_check(verdict.passed);
  });
}
