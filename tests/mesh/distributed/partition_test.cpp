// Meshes are cut, and each part holds what it must, and no more.
#include "mesh/distributed/partition_case.hpp"

namespace kiln::mesh::testing {
namespace {

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

/// Quadrilaterals in rows, as cells with four nodes, and edges between them.
struct GridInParts {
  WholeMesh
      whole;  ///< sets 0: cells, 1: nodes, 2: edges; maps 0: cells to nodes, 1: edges to cells
  /// `seed`: numbers of cells and nodes are shuffled by it; nullopt: they go row by row.
  GridInParts(std::size_t width, std::size_t height, std::optional<unsigned> seed) {
    std::vector<std::int64_t> cells(width * height), nodes((width + 1) * (height + 1));
    std::iota(cells.begin(), cells.end(), 0), std::iota(nodes.begin(), nodes.end(), 0);
    if (seed) {
      std::mt19937 random(*seed);
      std::ranges::shuffle(cells, random), std::ranges::shuffle(nodes, random);
    }
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

/// All cells in part 0 of two, so that it has the whole grid to put in order.
template <class Look>
void in_one_of_two(const GridInParts& grid, const Look& look) {
  in_parts(2, [&](const auto& transport) {
    Mesh mesh = part_mesh(transport);
    std::mt19937 random(8);
    const auto starts = random_starts(grid.whole, 2, random);
    const DeclaredMesh declared(mesh, grid.whole, starts, transport->rank());
    const auto rank = static_cast<std::size_t>(transport->rank());
    const auto count = starts[0][rank + 1] - starts[0][rank];
    mesh.partition(
        owners(declared.sets[0], std::vector<std::int32_t>(static_cast<std::size_t>(count), 0)));
    look(mesh, declared);
  });
}

TEST(Partition, neighbours_get_near_numbers) {
  constexpr std::size_t width = 30, height = 200;
  const GridInParts grid(width, height, 7);
  in_one_of_two(grid, [&](Mesh&, const DeclaredMesh& declared) {
    std::int32_t farthest = 0;
    const auto ends = declared.maps[1].values();
    for (std::size_t edge = 0; edge < declared.sets[2].size(); ++edge)
      farthest = std::max(farthest, std::abs(ends[2 * edge] - ends[2 * edge + 1]));
    // Levels of a grid that is searched from a corner are its diagonals.
    EXPECT_LE(farthest, static_cast<std::int32_t>(2 * width));
  });
}

TEST(Partition, a_mesh_made_row_by_row_stays_as_it_is) {
  const GridInParts grid(200, 150, std::nullopt);
  in_one_of_two(grid, [&](Mesh& mesh, const DeclaredMesh& declared) {
    for (const Set& set : declared.sets)
      EXPECT_TRUE(std::ranges::is_sorted(mesh.part(set).numbers)) << set.name();
  });
}

}  // namespace
}  // namespace kiln::mesh::testing
