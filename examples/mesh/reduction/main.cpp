// reduction GRID: OP2's reduction test as a program of its own. GRID is a mesh of airfoil's, as
// `kiln mesh naca0012 -o new_grid.h5` writes it.
#include "../common/grid_files.hpp"
#include "../common/program.hpp"
#include "reduction.hpp"

int main(int count, char** words) {
  return run_program("reduction", "GRID", count, words, [&] {
    if (count != 2) throw std::runtime_error("expected a mesh of airfoil's");
    const GridFile file(words[1]);
    const std::size_t edges = file.set("edges"), cells = file.set("cells");
    kiln::mesh::Mesh mesh;
    const auto counts = reduction::count(mesh, cells, file.map("pecell", 2));
    std::printf("%d of %zu edges, %d of %zu cells\n", counts.edges, edges, counts.cells, cells);
    return report_check(static_cast<std::size_t>(counts.edges) == edges &&
                        static_cast<std::size_t>(counts.cells) == cells);
  });
}
