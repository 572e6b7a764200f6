#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class SetTest : public MeshTest {};

TEST_F(SetTest, one_size_is_that_of_every_part) {
  const Set nodes = mesh.set("nodes", 7);
  EXPECT_EQ(nodes.name(), "nodes");
  EXPECT_EQ(nodes.core_size(), 7u);
  EXPECT_EQ(nodes.size(), 7u);
  EXPECT_EQ(nodes.exec_size(), 7u);
  EXPECT_EQ(nodes.total_size(), 7u);
}

TEST_F(SetTest, four_sizes_are_kept) {
  const Set nodes = mesh.set("nodes", {1, 4, 4, 9});
  EXPECT_EQ(nodes.sizes(), (std::array<std::size_t, 4>{1, 4, 4, 9}));
  EXPECT_EQ(nodes.core_size(), 1u);
  EXPECT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes.total_size(), 9u);
}

TEST_F(SetTest, sizes_that_do_not_rise_are_refused) {
  for (const auto& sizes : {std::array<std::size_t, 4>{2, 1, 3, 4}, {1, 2, 1, 4}, {1, 2, 3, 2}}) {
    const auto text = refusal([&] { mesh.set("cells", sizes); });
    EXPECT_NE(text.find("set cells"), std::string::npos) << text;
    EXPECT_NE(text.find("expected rising"), std::string::npos) << text;
  }
}

TEST_F(SetTest, a_set_with_more_elements_than_int_numbers_is_refused) {
  EXPECT_EQ(refusal([&] { mesh.set("cells", std::size_t{1} << 31); }),
            "set cells: 2147483648 elements, expected at most 2147483647");
  EXPECT_EQ(refusal([&] { mesh.set("cells", static_cast<std::size_t>(-1)); }),
            "set cells: 18446744073709551615 elements (a negative number, read as unsigned), "
            "expected at most 2147483647");
}

TEST_F(SetTest, sets_are_equal_where_they_are_the_same) {
  const Set one = mesh.set("nodes", 3), other = mesh.set("nodes", 3), copy = one;
  EXPECT_EQ(one, copy);
  EXPECT_NE(one, other);
}

TEST_F(SetTest, everything_has_a_name) {
  const Set nodes = mesh.set("nodes", 3);
  const Indices values{0, 1, 2};
  EXPECT_EQ(refusal([&] { mesh.set("", 3); }), "set: no name, expected one");
  EXPECT_EQ(refusal([&] { mesh.map("", nodes, nodes, 1, values); }), "map: no name, expected one");
  EXPECT_EQ(refusal([&] { mesh.dat<int>("", nodes, 1); }), "dat: no name, expected one");
  EXPECT_EQ(refusal([&] { mesh.global("", 1.0); }), "global: no name, expected one");
}

TEST_F(SetTest, a_subset_is_sorted_and_has_each_index_once) {
  const Set nodes = mesh.set("nodes", 9);
  const Subset some = nodes.subset(Indices{7, 2, 7, 0, 2});
  EXPECT_EQ(std::vector<int>(some.indices().begin(), some.indices().end()),
            (std::vector<int>{0, 2, 7}));
  EXPECT_EQ(some.size(), 3u);
  EXPECT_EQ(some.superset(), nodes);
}

TEST_F(SetTest, a_subset_of_a_subset_is_one_of_the_set) {
  const Set nodes = mesh.set("nodes", 9);
  const Subset some = nodes.subset(Indices{1, 3, 5, 7});
  const Subset few = some.subset(Indices{3, 1});
  EXPECT_EQ(std::vector<int>(few.indices().begin(), few.indices().end()), (std::vector<int>{3, 7}));
  EXPECT_EQ(few.superset(), nodes);
}

TEST_F(SetTest, a_subset_counts_the_elements_of_each_part) {
  const Set nodes = mesh.set("nodes", {2, 4, 6, 8});
  EXPECT_EQ(nodes.subset(Indices{1, 3, 5, 7}).size(), 2u);
  EXPECT_EQ(nodes.subset(Indices{4, 5, 6}).size(), 0u);
}

TEST_F(SetTest, indices_outside_are_refused_with_their_place) {
  const Set nodes = mesh.set("nodes", 4);
  EXPECT_EQ(refusal([&] {
              nodes.subset(Indices{0, 4});
            }),
            "subset of set nodes: index 4 (number 1) is outside it, expected 0 to 3");
  EXPECT_EQ(refusal([&] { nodes.subset(Indices{-1}); }),
            "subset of set nodes: index -1 (number 0) is outside it, expected 0 to 3");
  const Subset some = nodes.subset(Indices{0, 2});
  EXPECT_EQ(refusal([&] { some.subset(Indices{2}); }),
            "subset of a subset of nodes: index 2 (number 0) is outside it, expected 0 to 1");
}

TEST_F(SetTest, columns_have_two_levels_at_least) {
  const Set base = mesh.set("base", 4);
  EXPECT_EQ(base.extruded(2).layers(), 2u);
  for (const std::size_t layers : {0u, 1u})
    EXPECT_EQ(
        refusal([&] { base.extruded(layers); }),
        "extruded set over base: " + std::to_string(layers) + " layers, expected 2 to 2147483647");
  EXPECT_EQ(base.extruded(3), base.extruded(3));
  EXPECT_NE(base.extruded(3), base.extruded(4));
}

TEST_F(SetTest, the_dimension_of_data_is_the_product_of_its_shape) {
  const Set nodes = mesh.set("nodes", 4);
  EXPECT_EQ(DataSet(nodes, 3).dim(), 3u);
  EXPECT_EQ(DataSet(nodes, std::vector<std::size_t>{2, 3, 4}).dim(), 24u);
  EXPECT_EQ(DataSet(nodes, 3), DataSet(nodes, 3));
  EXPECT_NE(DataSet(nodes, 3), DataSet(nodes, 4));
}

TEST_F(SetTest, an_element_without_components_or_with_too_many_is_refused) {
  const Set nodes = mesh.set("nodes", 4);
  const auto none = refusal([&] { DataSet(nodes, 0); });
  EXPECT_NE(none.find("data on set nodes: an element has no components"), std::string::npos)
      << none;
  refusal([&] { DataSet(nodes, std::vector<std::size_t>{}); });
  const std::size_t half = std::size_t{1} << 32;
  const auto wraps = refusal([&] { DataSet(nodes, std::vector<std::size_t>{half, half}); });
  EXPECT_NE(wraps.find("too many components"), std::string::npos) << wraps;
}

}  // namespace
}  // namespace kiln::mesh::testing
