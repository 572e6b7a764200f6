#pragma once

#include <cstdint>

#include "number_file.hpp"

/// new_grid.dat: what airfoil and reduction run on.
struct NewGrid {
  std::size_t nodes = 0, cells = 0, edges = 0, bedges = 0;
  std::vector<double> x;                                      ///< 2 a node
  std::vector<std::int32_t> cell_nodes;                       ///< 4 a cell
  std::vector<std::int32_t> edge_nodes, edge_cells;           ///< 2 an edge
  std::vector<std::int32_t> bedge_nodes, bedge_cells, bound;  ///< 2, 1 and 1 a boundary edge

  explicit NewGrid(const std::string& path) {
    NumberFile file(path);
    for (std::size_t* size : {&nodes, &cells, &edges, &bedges})
      *size = file.next<std::uint32_t>("the number of nodes, cells, edges or boundary edges");
    file.rows<double>(nodes, "a coordinate", {&x}, {2});
    file.rows<std::int32_t>(cells, "a node of a cell", {&cell_nodes}, {4});
    file.rows<std::int32_t>(edges, "a node or a cell of an edge", {&edge_nodes, &edge_cells},
                            {2, 2});
    file.rows<std::int32_t>(bedges, "a node, the cell or the kind of a boundary edge",
                            {&bedge_nodes, &bedge_cells, &bound}, {2, 1, 1});
  }
};

/// FE_grid.dat: what aero runs on.
struct FeGrid {
  std::size_t nodes = 0, cells = 0, bounds = 0;
  std::vector<double> x;
  std::vector<std::int32_t> cell_nodes, bound_nodes;

  explicit FeGrid(const std::string& path) {
    NumberFile file(path);
    for (std::size_t* size : {&nodes, &cells, &bounds})
      *size = file.next<std::uint32_t>("the number of nodes, cells or boundary nodes");
    file.rows<double>(nodes, "a coordinate", {&x}, {2});
    file.rows<std::int32_t>(cells, "a node of a cell", {&cell_nodes}, {4});
    file.rows<std::int32_t>(bounds, "a boundary node", {&bound_nodes}, {1});
  }
};
