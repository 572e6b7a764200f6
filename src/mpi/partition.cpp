#include "mpi/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kiln::mpi {

using mesh::PartitionInput;

GraphSize size_of(const PartitionInput& graph) {
  const std::array<std::int64_t, 2> own{static_cast<std::int64_t>(vertices_of(graph)),
                                        static_cast<std::int64_t>(graph.neighbours.size())};
  std::vector<std::array<std::int64_t, 2>> all(static_cast<std::size_t>(graph.transport.size()));
  graph.transport.gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)),
                         "size of the graph that is partitioned");
  GraphSize size;
  for (const auto& [vertices, neighbours] : all) {
    size.vertices += vertices;
    size.neighbours += neighbours;
    size.most_vertices = std::max(size.most_vertices, vertices);
    size.most_neighbours = std::max(size.most_neighbours, neighbours);
  }
  return size;
}

void check_numbers(const GraphSize& size, int bits, std::string_view library) {
  const std::int64_t most = bits == 32 ? std::numeric_limits<std::int32_t>::max()
                                       : std::numeric_limits<std::int64_t>::max();
  if (size.vertices <= most && size.neighbours <= most) return;
  throw Error(Errc::unsupported, fmt::format("{}: the graph has {} vertices with {} neighbours, "
                                             "expected at most {}: it is built for {} bits",
                                             library, size.vertices, size.neighbours, most, bits));
}

bool is_trivial(const PartitionInput& graph, const GraphSize& size) {
  return graph.transport.size() == 1 || size.vertices <= graph.transport.size();
}

std::vector<std::int32_t> trivial_parts(const PartitionInput& graph) {
  std::vector<std::int32_t> parts(vertices_of(graph), 0);
  if (graph.transport.size() > 1)
    for (std::size_t at = 0; at < parts.size(); ++at)
      parts[at] = static_cast<std::int32_t>(graph.first + static_cast<std::int64_t>(at));
  return parts;
}

mesh::Partitioner scotch(const mesh::Set& primary, std::vector<mesh::Map> adjacency,
                         const CutOptions& options) {
  return {.name = "scotch",
          .primary = primary,
          .adjacency = std::move(adjacency),
          .cut = [options](const PartitionInput& graph) { return cut_by_scotch(graph, options); }};
}

mesh::Partitioner metis(const mesh::Set& primary, std::vector<mesh::Map> adjacency,
                        const CutOptions& options) {
  return {.name = "metis",
          .primary = primary,
          .adjacency = std::move(adjacency),
          .cut = [options](const PartitionInput& graph) { return cut_by_metis(graph, options); }};
}

}  // namespace kiln::mpi
