// Meshes are cut, and each part holds what it must, and no more.
#include "mesh/distributed/plain_check.hpp"

namespace kiln::mesh::testing {
namespace {

constexpr std::size_t set_sizes[] = {0, 1, 2, 3, 5, 7, 13, 16, 31, 64, 97};

std::size_t below(std::mt19937& random, std::size_t limit) { return random() % limit; }

WholeMesh random_mesh(std::mt19937& random) {
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

  std::vector<HeldPart> run() const {
    std::vector<HeldPart> held(static_cast<std::size_t>(parts));
    in_parts(parts, [&](const auto& transport) {
      HeldPart& part = held[static_cast<std::size_t>(transport->rank())];
      Mesh mesh = part_mesh(transport);
      const DeclaredMesh declared(mesh, whole, starts, transport->rank());
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

TEST(Partition, each_part_holds_what_the_definitions_say) {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PartitionCase one(seed);
    const auto held = one.run();
    const PlainCheck plain(one.whole, one.parts, one.starts, one.primary, one.cut);
    plain.check(held);
    if (!one.adjacency.empty()) plain.check_graph(held, one.primary, one.adjacency, one.common);
    if (HasFailure()) return;
  }
}

TEST(Partition, gives_the_same_twice) {
  for (unsigned seed = 1000; seed < 1040; ++seed) {
    const PartitionCase one(seed);
    const auto a = one.run(), b = one.run();
    for (std::size_t rank = 0; rank < a.size(); ++rank) {
      for (std::size_t set = 0; set < a[rank].sets.size(); ++set) {
        ASSERT_EQ(a[rank].sets[set].numbers, b[rank].sets[set].numbers) << "seed " << seed;
        ASSERT_EQ(a[rank].sets[set].neighbours, b[rank].sets[set].neighbours) << "seed " << seed;
      }
      ASSERT_EQ(a[rank].maps, b[rank].maps) << "seed " << seed;
    }
  }
}

/// Quadrilaterals in rows, as cells with four nodes, and edges between them; numbers are shuffled.
struct GridInParts {
  WholeMesh
      whole;  ///< sets 0: cells, 1: nodes, 2: edges; maps 0: cells to nodes, 1: edges to cells
  GridInParts(std::size_t width, std::size_t height, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::int64_t> cells(width * height), nodes((width + 1) * (height + 1));
    std::iota(cells.begin(), cells.end(), 0), std::iota(nodes.begin(), nodes.end(), 0);
    std::ranges::shuffle(cells, random), std::ranges::shuffle(nodes, random);
    const auto cell = [&](std::size_t x, std::size_t y) { return cells[y * width + x]; };
    const auto node = [&](std::size_t x, std::size_t y) { return nodes[y * (width + 1) + x]; };
    WholeMesh::OneMap corners{0, 1, 4, std::vector<std::int64_t>(4 * cells.size())},
        sides{2, 0, 2, {}};
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        auto* const row = &corners.values[static_cast<std::size_t>(4 * cell(x, y))];
        row[0] = node(x, y), row[1] = node(x + 1, y);
        row[2] = node(x + 1, y + 1), row[3] = node(x, y + 1);
        if (x + 1 < width) sides.values.insert(sides.values.end(), {cell(x, y), cell(x + 1, y)});
        if (y + 1 < height) sides.values.insert(sides.values.end(), {cell(x, y), cell(x, y + 1)});
      }
    whole.sizes = {cells.size(), nodes.size(), sides.values.size() / 2};
    whole.maps = {corners, sides};
  }
};

TEST(Partition, two_ways_to_say_which_cells_are_adjacent_are_one) {
  const GridInParts grid(9, 7, 5);
  std::mt19937 random(6);
  const auto starts = random_starts(grid.whole, 3, random);
  std::vector<std::vector<std::int64_t>> by_edges(3), by_nodes(3);
  for (auto* lists : {&by_edges, &by_nodes})
    in_parts(3, [&](const auto& transport) {
      Mesh mesh = part_mesh(transport);
      const DeclaredMesh declared(mesh, grid.whole, starts, transport->rank());
      Partitioner partitioner{.name = "noting",
                              .primary = declared.sets[0],
                              .adjacency = {declared.maps[lists == &by_edges ? 1 : 0]}};
      partitioner.cut = [&](const PartitionInput& input) {
        auto& list = (*lists)[static_cast<std::size_t>(transport->rank())];
        list.assign(input.starts.begin(), input.starts.end());
        list.insert(list.end(), input.neighbours.begin(), input.neighbours.end());
        return std::vector<std::int32_t>(input.starts.size() - 1, transport->rank());
      };
      mesh.partition(partitioner);
    });
  EXPECT_EQ(by_edges, by_nodes);
}

TEST(Partition, neighbours_get_near_numbers) {
  constexpr std::size_t width = 30, height = 200;
  const GridInParts grid(width, height, 7);
  in_parts(2, [&](const auto& transport) {
    Mesh mesh = part_mesh(transport);
    std::mt19937 random(8);
    const auto starts = random_starts(grid.whole, 2, random);
    const DeclaredMesh declared(mesh, grid.whole, starts, transport->rank());
    const auto rank = static_cast<std::size_t>(transport->rank());
    const auto count = starts[0][rank + 1] - starts[0][rank];
    // all cells in part 0, so that the whole grid is to be put in order
    mesh.partition(
        owners(declared.sets[0], std::vector<std::int32_t>(static_cast<std::size_t>(count), 0)));
    std::int32_t farthest = 0;
    const auto ends = declared.maps[1].values();
    for (std::size_t edge = 0; edge < declared.sets[2].size(); ++edge)
      farthest = std::max(farthest, std::abs(ends[2 * edge] - ends[2 * edge + 1]));
    // Levels of a grid that is searched from a corner are its diagonals.
    EXPECT_LE(farthest, static_cast<std::int32_t>(2 * width));
  });
}

}  // namespace
}  // namespace kiln::mesh::testing
