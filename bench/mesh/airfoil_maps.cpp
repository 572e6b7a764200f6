#include "mesh/airfoil_maps.hpp"

namespace kiln::bench {

AirfoilMaps airfoil_maps(std::int32_t along, std::int32_t outward) {
  const std::int32_t columns = 3 * along;
  AirfoilMaps maps;
  maps.nodes = static_cast<std::size_t>(columns + 1) * static_cast<std::size_t>(outward + 1);
  maps.cells = static_cast<std::size_t>(columns) * static_cast<std::size_t>(outward);
  const auto node = [&](std::int32_t c, std::int32_t r) { return c + (columns + 1) * r; };
  const auto cell = [&](std::int32_t c, std::int32_t r) { return c + columns * r; };
  const auto edge = [&](std::int32_t n1, std::int32_t n2, std::int32_t c1, std::int32_t c2) {
    maps.edge_nodes.insert(maps.edge_nodes.end(), {n1, n2});
    maps.edge_cells.insert(maps.edge_cells.end(), {c1, c2});
  };
  for (std::int32_t r = 0; r < outward; ++r)
    for (std::int32_t c = 0; c < columns; ++c) {
      // The cut behind the airfoil, where the two branches of the wake meet.
      if (r == 0 && c < along)
        edge(node(c, 0), node(c + 1, 0), cell(columns - 1 - c, 0), cell(c, 0));
      if (r < outward - 1) edge(node(c, r + 1), node(c + 1, r + 1), cell(c, r), cell(c, r + 1));
      if (c < columns - 1) edge(node(c + 1, r), node(c + 1, r + 1), cell(c + 1, r), cell(c, r));
    }
  maps.edges = maps.edge_nodes.size() / 2;
  return maps;
}

mesh::PlanInput res_calc_input(const AirfoilMaps& maps, mesh::Scheme scheme,
                               std::uint32_t block_size) {
  mesh::PlanInput input;
  input.set_size = input.size = maps.edges;
  input.block_size = block_size;
  input.scheme = scheme;
  input.maps = {{maps.edge_nodes, 2, maps.nodes, 1, 0, "pedge"},
                {maps.edge_cells, 2, maps.cells, 2, 0, "pecell"}};
  // x, q, adt and res: 2, 4, 1 and 4 doubles.
  input.pairs = {
      {0, {0, 1}, 16, true}, {1, {0, 1}, 32, true}, {1, {0, 1}, 8, true}, {1, {0, 1}, 32, true}};
  input.conflicts = {{{{1, {0, 1}, 32, true}}}};
  return input;
}

}  // namespace kiln::bench
