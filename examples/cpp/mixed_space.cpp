// A system over two kinds of unknowns at once: values at nodes and values in cells.
// Shows kiln/mesh/mixed.hpp, kiln/mesh/mixed_matrix.hpp.
#include <cstdio>
#include <kiln/mesh.hpp>

using namespace kiln::mesh;

int main() {
  try {
    Mesh mesh;
    const std::size_t n = 64;  // cells in a ring, as many nodes between them
    const Set nodes = mesh.set("nodes", n), cells = mesh.set("cells", n);
    std::vector<std::int32_t> ends, selves;
    for (std::size_t i = 0; i < n; ++i) {
      ends.insert(ends.end(),
                  {static_cast<std::int32_t>(i), static_cast<std::int32_t>((i + 1) % n)});
      selves.push_back(static_cast<std::int32_t>(i));
    }
    const MixedMap unknowns(
        {mesh.map("ends", cells, nodes, 2, ends), mesh.map("selves", cells, cells, 1, selves)});
    MixedMat matrix = mesh.mat<double>("a", mesh.sparsity(unknowns, unknowns));
    // A cell's matrix: its two nodes first, then the cell itself.
    par_loop(Kernel("void couple(double m[3][3]) {"
                    "  for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j)"
                    "    m[i][j] += i == j ? 4 : 1; }",
                    "couple"),
             cells, arg(matrix, unknowns, unknowns, INC));
    const auto vector = [&](const char* name) {
      return MixedDat({mesh.dat<double>(name, nodes, 1), mesh.dat<double>(name, cells, 1)});
    };
    MixedDat x = vector("x"), b = vector("b"), residual = vector("residual");
    b.fill(1);
    const SolveResult solved = solve(matrix, x, b, {.relative = 1e-10});
    multiply(matrix, x, residual);
    residual -= b;
    std::printf("%s, residual %s\n", solved.converged ? "converged" : "no solution",
                residual.norm() < 1e-6 ? "below 1e-6" : "too large");
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
