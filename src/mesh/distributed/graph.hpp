#pragma once

#include <span>
#include <vector>

#include "mesh/distributed/mesh_rows.hpp"

/// Graphs whose vertices are elements of a set: two are adjacent if a map makes them so.
namespace kiln::mesh {

/// One end of an edge, and the other.
struct EdgeEnd {
  std::int64_t vertex = 0, other = 0;
};

/// Compressed rows: neighbours rise.
struct Graph {
  std::vector<std::int64_t> starts, neighbours;
};

/// A target of an element.
struct Incidence {
  std::int64_t target = 0, element = 0;
};

/// Calls with all pairs of different targets in a row, in both directions.
template <class Emit>
void join_targets(std::span<const std::int64_t> row, const Emit& emit) {
  for (std::size_t a = 0; a < row.size(); ++a)
    for (std::size_t b = 0; b < row.size(); ++b)
      if (row[a] != row[b]) emit(EdgeEnd{row[a], row[b]});
}

/// How a map makes elements of the primary set adjacent.
enum class Adjacency : std::uint8_t {
  targets,  ///< it leads to the set: targets of an element are adjacent
  sources,  ///< it leads from the set: elements with common targets are adjacent
  direct,   ///< it leads from the set to the set: an element and its targets are adjacent
};
Adjacency adjacency_by(const MapRows& map, std::size_t primary);

/// The graph of a set in blocks of rows; made without bringing it together. All parts call it.
Graph block_graph(const MeshRows& mesh, std::size_t primary, std::span<const std::size_t> maps,
                  int common);

/// The graph of the owned elements of a set, by their places in SetRows::numbers, after
/// find_halos(); others' elements are left out.
Graph owned_graph(const MeshRows& mesh, std::size_t primary, std::span<const std::size_t> maps,
                  int common);

/// An order of vertices such that neighbours are near: reverse Cuthill-McKee, from an end of each
/// component that is far away (George and Liu, 1979). Ties by vertex. Pure.
std::vector<std::int32_t> reverse_cuthill_mckee(const Graph& graph);

}  // namespace kiln::mesh
