#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kiln/mesh.hpp"

/// OP2's reduction test with kiln::mesh: loops that count the elements that they run over, one with
/// data through a map and one without. Elements that run twice, or that pad a launch, would show.
namespace reduction {

struct Counts {
  std::int32_t edges = 0, cells = 0;
  bool operator==(const Counts&) const = default;
};

/// Counts `edge_cells.size() / 2` edges and `cells` cells on the device. `interlude` is called when
/// both loops have been given to the mesh, and before the counts are read. `partition` cuts a
/// distributed mesh by its cells, and the map that leads there; counts are of all parts.
using Partition = std::function<void(const kiln::mesh::Set& cells, const kiln::mesh::Map& map)>;
Counts count(kiln::mesh::Mesh& mesh, std::size_t cells, std::span<const std::int32_t> edge_cells,
             const std::function<void()>& interlude = {}, const Partition& partition = {});

}  // namespace reduction
