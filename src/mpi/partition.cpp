#include "mpi/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mpi/transport.hpp"

namespace kiln::mpi {

using mesh::PartitionInput;

GraphSize size_of(const PartitionInput& graph) {
  const std::array<std::int64_t, 2> own{static_cast<std::int64_t>(vertices_of(graph)),
                                        static_cast<std::int64_t>(graph.neighbours.size())};
  const auto all = of_all(graph.transport, own, "size of the graph that is partitioned");
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

PartsToFill::PartsToFill(const PartitionInput& graph) {
  for (std::int32_t part = 0; part < graph.transport.size(); ++part) {
    const double share = graph.weights.empty() ? 1 : graph.weights[static_cast<std::size_t>(part)];
    if (share <= 0) continue;
    numbers.push_back(part);
    if (!graph.weights.empty()) shares.push_back(share);
  }
}

std::vector<std::int32_t> PartsToFill::numbers_of(std::vector<std::int32_t> places) const {
  for (std::int32_t& place : places) place = numbers[static_cast<std::size_t>(place)];
  return places;
}

bool is_trivial(const PartsToFill& parts, const GraphSize& size) {
  return parts.count() == 1 || size.vertices <= parts.count();
}

std::vector<std::int32_t> trivial_parts(const PartitionInput& graph, const PartsToFill& parts) {
  std::vector<std::int32_t> places(vertices_of(graph), 0);
  if (parts.count() > 1)
    for (std::size_t at = 0; at < places.size(); ++at)
      places[at] = static_cast<std::int32_t>(graph.first + static_cast<std::int64_t>(at));
  return parts.numbers_of(std::move(places));
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
