#include <cstdio>

#include "kiln/mesh.hpp"
#include "kiln/mesh/file.hpp"

using namespace kiln::mesh;

// A mesh from a file, a loop on it, and what came of it in files again.
int main() {
  MeshFile::make({20, 30, Naca0012::Variant::aero}).write("FE_grid.h5");

  Mesh mesh;
  FileObjects file(mesh, MeshFile::read("FE_grid.h5"));  // or .dat: its content decides
  const Set cells = file.set("cells");
  const Map corners = file.map("pcell");
  const Dat x = file.dat("p_x");
  const Dat centre = mesh.dat<double>("centre", cells, 2);
  const Kernel mean(R"(
    void mean(const double *x[4], double *centre) {
      for (int k = 0; k < 2; k++) centre[k] = 0.25 * (x[0][k] + x[1][k] + x[2][k] + x[3][k]);
    })",
                    "mean");
  par_loop(mean, cells, arg(x, corners, READ), arg(centre, WRITE));

  MeshFile out = file.file();
  out.store(centre);  // what it is now, in place of one of its name
  out.write("centres.h5");
  out.write_vtu("centres.vtu", {.dats = {"centre"}});

  const MeshFile again = MeshFile::read("centres.h5");
  std::printf("%zu centres of %zu cells\n", values_of<double>(*again.find_dat("centre")).size() / 2,
              cells.size());
}
