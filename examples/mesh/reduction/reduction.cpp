#include "reduction.hpp"

namespace reduction {
namespace {

/// Adds nothing to its cell (what an INC argument holds is an increment) and one to the count.
constexpr const char* res_calc = R"(
void res_calc(double *res, int *count) {
  res[0] = 0.0;
  count[0] += 1;
}
)";

constexpr const char* update = R"(
void update(double *res, int *count) {
  res[0] = 0.0;
  count[0] += 1;
}
)";

}  // namespace

Counts count(kiln::mesh::Mesh& mesh, std::size_t cell_count,
             std::span<const std::int32_t> edge_cells, const std::function<void()>& interlude,
             const Partition& partition) {
  using namespace kiln::mesh;
  const Set edges = mesh.set("edges", edge_cells.size() / 2), cells = mesh.set("cells", cell_count);
  const Map pecell = mesh.map("pecell", edges, cells, 2, edge_cells);
  const Dat res = mesh.dat<double>("p_res", cells, 4);
  const Global by_edges = mesh.global("edge count", std::int32_t{0});
  const Global by_cells = mesh.global("cell count", std::int32_t{0});
  if (partition) partition(cells, pecell);
  par_loop(Kernel(res_calc, "res_calc"), edges, arg(res, pecell[0], INC), arg(by_edges, INC));
  par_loop(Kernel(update, "update"), cells, arg(res, RW), arg(by_cells, INC));
  if (interlude) interlude();
  return {by_edges.value<std::int32_t>(), by_cells.value<std::int32_t>()};
}

}  // namespace reduction
