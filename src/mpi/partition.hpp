#pragma once

#include <limits>
#include <string_view>
#include <vector>

#include "kiln/mpi/partition.hpp"

namespace kiln::mpi {

/// Vertices and neighbours of all ranks together, and the most that a rank has.
struct GraphSize {
  std::int64_t vertices = 0, neighbours = 0;
  std::int64_t most_vertices = 0, most_neighbours = 0;
};
GraphSize size_of(const mesh::PartitionInput& graph);

/// Throws unsupported where numbers of this size cannot count the graph.
void check_numbers(const GraphSize& size, int bits, std::string_view library);

/// The parts that get something, and their shares, which libraries take above 0 only; empty shares:
/// equal ones.
struct PartsToFill {
  explicit PartsToFill(const mesh::PartitionInput& graph);
  int count() const { return static_cast<int>(numbers.size()); }
  std::vector<std::int32_t> numbers;
  std::vector<double> shares;
  /// Of what a library found among these.
  std::vector<std::int32_t> numbers_of(std::vector<std::int32_t> places) const;
};

/// Where there is nothing to cut: one part, or fewer vertices than parts, each of which gets a part
/// of its own.
bool is_trivial(const PartsToFill& parts, const GraphSize& size);
std::vector<std::int32_t> trivial_parts(const mesh::PartitionInput& graph,
                                        const PartsToFill& parts);

inline std::size_t vertices_of(const mesh::PartitionInput& graph) {
  return graph.starts.empty() ? 0 : graph.starts.size() - 1;
}

/// The numbers in the width that a library has.
template <class Number>
std::vector<Number> converted(std::span<const std::int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace kiln::mpi
