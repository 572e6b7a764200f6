#pragma once

#include "mesh/distributed/plain_check.hpp"

/// Random meshes that are cut at random.
namespace kiln::mesh::testing {

inline constexpr std::size_t set_sizes[] = {0, 1, 2, 3, 5, 7, 13, 16, 31, 64, 97};

inline std::size_t below(std::mt19937& random, std::size_t limit) { return random() % limit; }

inline WholeMesh random_mesh(std::mt19937& random) {
  WholeMesh whole;
  const std::size_t sets = 1 + below(random, 4);
  for (std::size_t set = 0; set < sets; ++set)
    whole.sizes.push_back(set_sizes[below(random, std::size(set_sizes))]);
  const std::size_t maps = below(random, 7), dats = below(random, 4);
  for (std::size_t map = 0; map < maps; ++map) {
    WholeMesh::OneMap made{below(random, sets), below(random, sets), 1 + below(random, 4), {}};
    const std::size_t rows = whole.sizes[made.from], targets = whole.sizes[made.to];
    if (rows > 0 && targets == 0) continue;
    const bool is_near = below(random, 3) != 0;  // as in meshes that were made line by line
    for (std::size_t at = 0; at < rows * made.arity; ++at) {
      const std::size_t target =
          is_near ? at / made.arity * targets / rows + below(random, 3) : random();
      made.values.push_back(static_cast<std::int64_t>(target % targets));
    }
    whole.maps.push_back(std::move(made));
  }
  for (std::size_t dat = 0; dat < dats; ++dat)
    whole.dats.push_back({below(random, sets), 1 + below(random, 3),
                          below(random, 2) == 0 ? DataLayout::aos : DataLayout::soa});
  return whole;
}

/// A case: the mesh, the blocks, and how the primary set is cut.
struct PartitionCase {
  WholeMesh whole;
  int parts = 1;
  Starts starts;
  std::size_t primary = 0;
  std::vector<std::int32_t> cut;
  std::vector<std::size_t> adjacency;
  int common = 1;

  explicit PartitionCase(unsigned seed) {
    std::mt19937 random(seed);
    whole = random_mesh(random);
    parts = 1 + static_cast<int>(below(random, 5));
    starts = random_starts(whole, parts, random);
    primary = below(random, whole.sizes.size());
    const bool is_striped = below(random, 2) == 0;
    for (std::size_t at = 0; at < whole.sizes[primary]; ++at)
      cut.push_back(static_cast<std::int32_t>(
          (is_striped ? at * 2 / (1 + whole.sizes[primary] / 2) : random()) %
          static_cast<std::size_t>(parts)));
    for (std::size_t map = 0; map < whole.maps.size(); ++map)
      if ((whole.maps[map].from == primary || whole.maps[map].to == primary) &&
          below(random, 4) != 0)
        adjacency.push_back(map);
    common = 1 + static_cast<int>(below(random, 3));
  }

  /// A Partitioner that cuts a set at random, the same way on all parts.
  Partitioner at_random(const DeclaredMesh& declared, const Transport& transport,
                        unsigned seed) const {
    std::mt19937 random(seed);
    const std::size_t set = below(random, whole.sizes.size());
    std::vector<std::int32_t> all;
    for (std::size_t at = 0; at < whole.sizes[set]; ++at)
      all.push_back(static_cast<std::int32_t>(below(random, static_cast<std::size_t>(parts))));
    const auto rank = static_cast<std::size_t>(transport.rank());
    return owners(declared.sets[set],
                  {all.begin() + starts[set][rank], all.begin() + starts[set][rank + 1]});
  }

  /// What parts hold. `before`: what they do before they are cut as this says; they may be cut in
  /// other ways then.
  using Before = std::function<void(Mesh& mesh, const DeclaredMesh& declared)>;
  std::vector<HeldPart> run(const Before& before = {}) const {
    std::vector<HeldPart> held(static_cast<std::size_t>(parts));
    in_parts(parts, [&](const auto& transport) {
      HeldPart& part = held[static_cast<std::size_t>(transport->rank())];
      Mesh mesh = part_mesh(transport);
      const DeclaredMesh declared(mesh, whole, starts, transport->rank());
      if (before) before(mesh, declared);
      Partitioner partitioner{.name = "random", .primary = declared.sets[primary], .adjacency = {}};
      for (const std::size_t map : adjacency) partitioner.adjacency.push_back(declared.maps[map]);
      partitioner.common = common;
      partitioner.cut = [&](const PartitionInput& input) {
        part.first = input.first;
        part.starts.assign(input.starts.begin(), input.starts.end());
        part.neighbours.assign(input.neighbours.begin(), input.neighbours.end());
        const auto rank = static_cast<std::size_t>(transport->rank());
        return std::vector(cut.begin() + starts[primary][rank],
                           cut.begin() + starts[primary][rank + 1]);
      };
      mesh.partition(partitioner);
      part.take(mesh, declared);
    });
    return held;
  }
};

}  // namespace kiln::mesh::testing
