// Heat in a rod: a matrix that a loop assembles, boundary conditions, conjugate gradients, and a
// file for ParaView.
// Shows kiln/mesh/matrix.hpp, kiln/mesh/solve.hpp, kiln/mesh/file.hpp, kiln/mesh/types.hpp,
// kiln/mesh/report.hpp.
#include <cstdio>
#include <kiln/mesh.hpp>
#include <kiln/mesh/file.hpp>

using namespace kiln::mesh;

int main(int argc, char** argv) {
  try {
    Mesh mesh;
    const std::size_t n = 101;
    const Set nodes = mesh.set("nodes", n), pieces = mesh.set("pieces", n - 1);
    std::vector<std::int32_t> ends;
    std::vector<double> places, start(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + 1 < n)
        ends.insert(ends.end(), {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i + 1)});
      places.insert(places.end(), {static_cast<double>(i) / static_cast<double>(n - 1), 0.0});
    }
    start.front() = 20;  // the temperatures of the two ends
    start.back() = 80;
    const Map both = mesh.map("both", pieces, nodes, 2, ends);
    const Dat x = mesh.dat<double>("x", nodes, 2, std::span<const double>(places));
    const Dat heat = mesh.dat<double>("heat", nodes, 1, std::span<const double>(start));
    const Dat none = mesh.dat<double>("none", nodes, 1);

    // Each piece adds its 2 x 2 matrix at its ends.
    Mat conduction = mesh.mat<double>("conduction", mesh.sparsity(both, both));
    par_loop(Kernel("void conduct(double m[2][2], double** x) {"
                    "  const double k = 1 / (x[1][0] - x[0][0]);"
                    "  m[0][0] += k; m[0][1] -= k; m[1][0] -= k; m[1][1] += k; }",
                    "conduct"),
             pieces, arg(conduction, both, both, INC), arg(x, both, READ));
    const std::int32_t boundary[] = {0, static_cast<std::int32_t>(n - 1)};
    conduction.zero_rows_columns(boundary, heat, none);
    const SolveResult solved = solve(conduction, heat, none, {.relative = 1e-12});

    if (argc > 1) {
      MeshFile file;
      file.store(both);
      file.store(x);
      file.store(heat);
      file.write_vtu(argv[1], {.coordinates = "x", .cells = "both", .dats = {"heat"}});
    }
    for (const LoopReport& loop : mesh.report())
      std::printf("%s: %zu times, %s\n", loop.name.c_str(), loop.count, loop.form.c_str());
    std::printf("%s, %.3f in the middle\n", solved.converged ? "converged" : "no solution",
                heat.read<double>()[n / 2]);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
