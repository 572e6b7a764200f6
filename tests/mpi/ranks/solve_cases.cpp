#include <cmath>
#include <cstring>

#include "cases.hpp"
#include "kiln/mesh.hpp"

namespace kiln::testing {
namespace {

using namespace mesh;

/// Symmetric and positive definite, whatever the order of the corners.
constexpr const char* element =
    "void element(double m[4][4]) {\n"
    "  for (int i = 0; i < 4; ++i)\n"
    "    for (int j = 0; j < 4; ++j) m[i][j] += (i == j ? 3.05 : -1.0);\n"
    "}";

}  // namespace

/// Solves with a matrix on the mesh of aero, made from FILE. Prints the iterations, and the
/// residual's bits, which are those of all ranks.
void solves(const Environment& mpi, const Words& words) {
  const auto transport = mpi::transport(mpi.comm());
  Mesh here(mpi::runtime_for_rank(mpi.comm(), {.devices = "cpu"}), transport);
  auto file = mpi::read_hdf5(here, words.at(0));
  const Map corners = file.map("pcell");
  const Set cells = file.set("cells"), nodes = file.set("nodes");
  here.partition(mpi::scotch(cells, {corners}));
  const Dat x = here.dat<double>("x", nodes, 1);
  std::vector<double> right;
  for (const std::int64_t number : here.part(nodes).numbers)
    right.push_back(std::sin(1.0 + static_cast<double>(number)));
  const Dat b = here.dat<double>("b", nodes, 1, std::span<const double>(right));
  const Mat mat = here.mat<double>("A", here.sparsity(corners, corners));
  par_loop(mesh::Kernel(element, "element"), cells, arg(mat, corners, corners, INC));
  SolveOptions options;
  options.relative = 1e-10;
  const SolveResult result = solve(mat, x, b, options);
  expect(result.converged, "not solved: ", result.residual);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &result.residual, sizeof bits);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(mpi.size()));
  transport->gather(std::as_bytes(std::span(&bits, 1)), std::as_writable_bytes(std::span(all)),
                    "residuals");
  for (const std::uint64_t other : all) expect(other == bits, "ranks have different residuals");
  if (mpi.rank() == 0)
    say("iterations " + std::to_string(result.iterations) + " residual " + std::to_string(bits));
}

}  // namespace kiln::testing
