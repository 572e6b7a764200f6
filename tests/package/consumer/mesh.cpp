#include <cstdio>
#include <kiln/mesh.hpp>
#include <kiln/mesh/file.hpp>

using namespace kiln::mesh;

// Makes a mesh, writes and reads it, runs a loop on it, and writes what came of it.
int main() {
  MeshFile::make({20, 30, Naca0012::Variant::aero}).write("FE_grid.h5");
  Mesh mesh;
  FileObjects parts(mesh, MeshFile::read("FE_grid.h5"));
  const Set cells = parts.set("cells");
  const Map corners = parts.map("pcell");
  const Dat one = mesh.dat<double>("one", cells, 1);
  const Kernel mark("void mark(const double *x[4], double *one) { one[0] = x[0] != x[1]; }",
                    "mark");
  par_loop(mark, cells, arg(parts.dat("p_x"), corners, READ), arg(one, WRITE));
  double sum = 0;
  for (const double value : one.read<double>()) sum += value;
  std::printf("%zu cells, %g by the loop\n", cells.size(), sum);

  MeshFile out = parts.file();
  out.store(one);
  out.write("counted.h5");
  out.write_vtu("counted.vtu", {.dats = {"one"}});
  std::printf("%zu read again\n",
              values_of<double>(*MeshFile::read("counted.h5").find_dat("one")).size());
  try {
    MeshFile::read("none.h5");
  } catch (const kiln::Error& error) {
    std::printf("no file: %s\n", kiln::name_of(error.code()));
  }
  return 0;
}
