// What is refused before a mesh is cut, while it is, and afterwards; and the same on all parts.
#include "mesh/distributed/whole_mesh.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::HasSubstr;

/// Three cells and four nodes in a row in each part.
struct RowInParts {
  Mesh mesh;
  Set cells, nodes;
  Map corners;
  Dat x;
  explicit RowInParts(const std::shared_ptr<Transport>& transport)
      : mesh(part_mesh(transport)),
        cells(mesh.set("cells", 3)),
        nodes(mesh.set("nodes", 4)),
        corners(mesh.map("corners", cells, nodes, 2, values(transport->rank()))),
        x(mesh.dat<double>("x", cells, 1, std::span<const double>(list({0.0, 1.0, 2.0})))) {}
  static std::vector<std::int64_t> values(int rank) {
    const std::int64_t first = 4 * rank;
    return {first, first + 1, first + 1, first + 2, first + 2, first + 3};
  }
  /// The last cell of each part goes to the next one.
  Partitioner shifted() const {
    const int rank = mesh.transport()->rank(), size = mesh.transport()->size();
    return owners(cells, {rank, rank, (rank + 1) % size});
  }
};

TEST(Declaration, loops_come_after_the_cut) {
  in_parts(2, [](const auto& transport) {
    RowInParts row(transport);
    const Kernel twice("void twice(double *x) { *x *= 2; }", "twice");
    EXPECT_EQ(refusal([&] { par_loop(twice, row.cells, arg(row.x, RW)); }),
              "set cells: not partitioned yet, expected Mesh::partition() before loop twice");
    EXPECT_EQ(refusal([&] { row.cells.subset(list({0})); }),
              "set cells: not partitioned yet, expected Mesh::partition() before a subset");
    EXPECT_EQ(refusal([&] { row.corners.values(); }),
              "set cells: not partitioned yet, expected Mesh::partition() before a look at local "
              "values of maps");
    EXPECT_EQ(refusal([&] { row.mesh.sparsity(row.corners, row.corners); }),
              "set cells: not partitioned yet, expected Mesh::partition() before a sparsity");
    EXPECT_EQ(refusal([&] { row.corners.set_values({}); }),
              "set cells: not partitioned yet, expected Mesh::partition() before new values of "
              "maps");
    EXPECT_EQ(refusal([&] { row.mesh.part(row.cells); }),
              "set cells: not partitioned yet, expected Mesh::partition() before");
    // what was declared may be looked at
    EXPECT_EQ(row.corners.fetch(), RowInParts::values(transport->rank()));
    EXPECT_EQ(row.x.template fetch<double>(), list({0.0, 1.0, 2.0}));
  });
}

TEST(Declaration, afterwards_sets_and_maps_are_what_they_are) {
  in_parts(2, [](const auto& transport) {
    RowInParts row(transport);
    row.mesh.partition(row.shifted());
    EXPECT_EQ(refusal([&] { row.mesh.set("more", 3); }),
              "set more: the mesh is partitioned already, expected sets before Mesh::partition()");
    EXPECT_EQ(refusal([&] { row.mesh.map("more", row.cells, row.nodes, 2, Indices()); }),
              "map more: the mesh is partitioned already, expected maps before Mesh::partition()");
    const auto values = row.corners.values();
    EXPECT_EQ(refusal([&] { row.corners.set_values(values); }),
              "map corners: the mesh is partitioned, and its halos go by the values of its maps");
    // Dats and Subsets may be made
    EXPECT_EQ(row.mesh.template dat<int>("n", row.cells, 2, {}).bytes(),
              8 * row.cells.total_size());
    EXPECT_EQ(row.cells.subset(list({0, 1})).size(), 2u);
    const auto rows = row.mesh.declared_rows(row.cells);
    EXPECT_EQ(rows.first, 3 * transport->rank());
    EXPECT_EQ(rows.count, 3u);
  });
}

TEST(Declaration, what_is_changed_afterwards_is_fetched_in_its_original_order) {
  in_parts(3, [](const auto& transport) {
    RowInParts row(transport);
    row.mesh.partition(row.shifted());
    const auto& numbers = row.mesh.part(row.cells).numbers;
    const auto values = row.x.template write<double>();
    for (std::size_t at = 0; at < row.cells.size(); ++at)
      values[at] = 100.0 + static_cast<double>(numbers[at]);
    const double first = 100.0 + 3 * transport->rank();
    EXPECT_EQ(row.x.template fetch<double>(), list({first, first + 1, first + 2}));
    EXPECT_THAT(refusal([&] { row.x.template fetch<int>(); }), HasSubstr("is of double, not int"));
  });
}

TEST(Declaration, all_parts_must_declare_the_same) {
  in_parts(3, [](const auto& transport) {
    RowInParts row(transport);
    std::optional<Dat> more;
    if (transport->rank() == 2) more = row.mesh.template dat<int>("more", row.nodes, 1, {});
    EXPECT_EQ(refusal([&] { row.mesh.partition(row.shifted()); }),
              "mesh: part 2 declared 2 sets, 1 maps and 2 dats, part 0 2, 1 and 1, expected the "
              "same on all");
    more.reset();
    const Dat named =
        row.mesh.template dat<float>(transport->rank() == 1 ? "a" : "b", row.nodes, 3, {});
    EXPECT_EQ(refusal([&] { row.mesh.partition(row.shifted()); }),
              "mesh: part 1 declared dat a (on nodes, 3 of float), part 0 something else at that "
              "place, expected the same on all");
  });
}

TEST(Declaration, all_parts_hear_of_a_wrong_value) {
  in_parts(2, [](const auto& transport) {
    Mesh mesh = part_mesh(transport);
    const Set cells = mesh.set("cells", 2), nodes = mesh.set("nodes", 3);
    const Map corners = mesh.map("corners", cells, nodes, 2,
                                 transport->rank() == 0 ? list<std::int64_t>({0, 1, 2, 5})
                                                        : list<std::int64_t>({3, 4, 5, 6}));
    EXPECT_EQ(refusal([&] {
                mesh.partition(owners(cells, {0, 1}));
              }),
              "map corners: element 3, component 1 is 6, expected 0 to 5 (set nodes)");
  });
  in_parts(2, [](const auto& transport) {
    Mesh mesh = part_mesh(transport);
    const Set cells = mesh.set("cells", 2), nodes = mesh.set("nodes", 3);
    EXPECT_EQ(refusal([&] {
                mesh.map("c", cells, nodes, 2, list<std::int64_t>({0, 1, 2}));
              }),
              "map c: 3 values, expected 4 (2 elements of cells with 2 each)");
    EXPECT_EQ(refusal([&] { mesh.map("c", cells, nodes, 0, Indices()); }),
              "map c: arity 0, expected 1 or more");
  });
}

TEST(Declaration, a_partitioner_that_is_wrong_is_refused_by_all) {
  in_parts(2, [](const auto& transport) {
    RowInParts row(transport);
    const auto refused = [&](const Partitioner& partitioner, std::vector<double> weights = {}) {
      return refusal([&] { row.mesh.partition(partitioner, weights); });
    };
    EXPECT_EQ(refused(owners(row.cells, {0, transport->rank() == 0 ? 1 : 2, 0})),
              "partitioner owners: element 4 of cells in part 2, expected 0 to 1");
    EXPECT_EQ(
        refused(owners(row.cells, std::vector<std::int32_t>(transport->rank() == 0 ? 3u : 4u, 0))),
        "partitioner owners: parts of 4 elements, expected 3 (rows of set cells here)");
    EXPECT_EQ(refused(row.shifted(), {1.0}),
              "partition: 1 weights, expected none or 2, one for each part");
    EXPECT_EQ(refused(row.shifted(), {1.0, -0.5}),
              "partition: weight -0.5, expected numbers from 0 on");
    EXPECT_EQ(refused(row.shifted(), {0.0, 0.0}),
              "partition: all weights are 0, expected one above 0");
    Partitioner wrong = row.shifted();
    const Set edges = row.mesh.set("edges", 0);
    const Map others = row.mesh.map("others", edges, row.nodes, 1, Indices());
    wrong.adjacency = {others};
    EXPECT_EQ(
        refused(wrong),
        "partitioner owners: map others leads from edges to nodes, expected from or to cells");
    wrong = row.shifted();
    wrong.cut = nullptr;
    EXPECT_EQ(refused(wrong), "partitioner owners: no function that cuts");
    Mesh other = part_mesh(transport);
    EXPECT_EQ(refused(owners(other.set("cells", 3), {0, 0, 0})),
              "partitioner owners: set cells belongs to another Mesh");
    // after all of that:
    row.mesh.partition(row.shifted(), list({1.0, 2.0}));
    EXPECT_EQ(row.cells.size(), 3u);
  });
}

TEST(Declaration, a_mesh_without_a_transport_is_not_cut) {
  Mesh mesh(quiet_options());
  const Set cells = mesh.set("cells", 2);
  EXPECT_EQ(mesh.transport(), nullptr);
  EXPECT_EQ(refusal([&] {
              mesh.partition(owners(cells, {0, 0}));
            }),
            "mesh: it has no Transport, expected a Mesh that was made with one");
  EXPECT_EQ(refusal([] { Mesh(test_runtime(), std::shared_ptr<Transport>()); }),
            "a distributed Mesh: no Transport, expected one");
  // numbers of 64 bits are local ones, and rows are fetched as they are
  const Map self = mesh.map("self", cells, cells, 1, list<std::int64_t>({1, 0}));
  EXPECT_EQ(Indices(self.values().begin(), self.values().end()), Indices({1, 0}));
  EXPECT_EQ(self.fetch(), list<std::int64_t>({1, 0}));
  EXPECT_EQ(refusal([&] {
              mesh.map("far", cells, cells, 1, list<std::int64_t>({0, std::int64_t{1} << 32}));
            }),
            "map far: value 1 is 4294967296, expected 0 to 1 (set cells)");
}

TEST(Declaration, one_part_is_a_mesh_as_any) {
  in_parts(1, [](const auto& transport) {
    RowInParts row(transport);
    const Kernel twice("void twice(double *x) { *x *= 2; }", "twice");
    // loops may come before, and prepared ones are made again
    par_loop(twice, row.cells, arg(row.x, RW));
    row.mesh.partition(row.shifted());
    par_loop(twice, row.cells, arg(row.x, RW));
    EXPECT_EQ(row.x.template fetch<double>(), list({0.0, 4.0, 8.0}));
    EXPECT_EQ(row.cells.core_size(), 3u);
    EXPECT_EQ(row.corners.fetch(), RowInParts::values(0));
  });
  in_parts(1, [](const auto& transport) {
    RowInParts row(transport);
    const Subset some = row.cells.subset(list({0}));
    EXPECT_EQ(refusal([&] { row.mesh.partition(row.shifted()); }),
              "set cells: it has subsets already, expected Mesh::partition() before they are made");
    RowInParts other(transport);
    const Sparsity sparsity = other.mesh.sparsity(other.corners, other.corners);
    EXPECT_EQ(refusal([&] { other.mesh.partition(other.shifted()); }),
              "mesh: it has sparsities already, expected Mesh::partition() before they are made");
  });
}

TEST(Declaration, sets_with_halos_of_their_own_are_not_cut) {
  in_parts(2, [](const auto& transport) {
    RowInParts row(transport);
    const Set more = row.mesh.set("more", {1, 2, 2, 3});
    EXPECT_EQ(refusal([&] { row.mesh.partition(row.shifted()); }),
              "set more: it has a halo already, expected Mesh::partition() to make it");
  });
}

TEST(Declaration, handles_that_are_gone_are_not_distributed) {
  in_parts(2, [](const auto& transport) {
    RowInParts row(transport);
    // a map that would make every cell of the other part a neighbour
    row.mesh.map("gone", row.cells, row.cells, 1, list<std::int64_t>({5, 4, 0}));
    row.mesh.template dat<int>("gone", row.cells, 1, {});
    const Map back =
        row.mesh.map("back", row.nodes, row.cells, 1, list<std::int64_t>({0, 1, 3, 5}));
    row.mesh.partition(owners(row.cells, {0, 0, 0}));
    EXPECT_EQ(row.cells.size(), transport->rank() == 0 ? 6u : 0u);
    EXPECT_EQ(row.cells.total_size(), row.cells.size());
    EXPECT_EQ(back.fetch(), list<std::int64_t>({0, 1, 3, 5}));
  });
}

TEST(Declaration, more_parts_than_elements_leaves_some_empty) {
  in_parts(5, [](const auto& transport) {
    Mesh mesh = part_mesh(transport);
    const bool is_first = transport->rank() == 0;
    const Set cells = mesh.set("cells", is_first ? 2 : 0),
              nodes = mesh.set("nodes", is_first ? 3 : 0);
    const Map corners =
        mesh.map("corners", cells, nodes, 2,
                 is_first ? list<std::int64_t>({0, 1, 1, 2}) : std::vector<std::int64_t>());
    const Dat x = mesh.dat<double>(
        "x", cells, 1,
        is_first ? std::span<const double>(list({3.0, 1.0})) : std::span<const double>());
    mesh.partition(rcb(cells, x));
    // four cuts of two elements: which parts get them is by rounding alone
    std::array<std::int64_t, 1> mine{static_cast<std::int64_t>(cells.size())};
    std::array<std::int64_t, 5> all{};
    transport->gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)),
                      "sizes");
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), std::int64_t{0}), 2);
    EXPECT_EQ(x.fetch<double>().size(), is_first ? 2u : 0u);
  });
}

}  // namespace
}  // namespace kiln::mesh::testing
