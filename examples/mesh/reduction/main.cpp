// reduction GRID: OP2's reduction test as a program of its own. GRID is new_grid.dat, as
// `kiln mesh naca0012 --text -o new_grid.dat` writes it.
#include "../common/grid_files.hpp"
#include "../common/program.hpp"
#include "reduction.hpp"

int main(int count, char** words) {
  return run_program("reduction", [&] {
    if (count != 2) throw std::runtime_error("expected new_grid.dat");
    const NewGrid file(words[1]);
    kiln::mesh::Mesh mesh;
    const auto counts = reduction::count(mesh, file.cells, file.edge_cells);
    std::printf("%d of %zu edges, %d of %zu cells\n", counts.edges, file.edges, counts.cells,
                file.cells);
    return report_check(static_cast<std::size_t>(counts.edges) == file.edges &&
                        static_cast<std::size_t>(counts.cells) == file.cells);
  });
}
