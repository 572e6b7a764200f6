#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class MapTest : public MeshTest {
 protected:
  Set edges = mesh.set("edges", 3), nodes = mesh.set("nodes", 4);
  Map links = mesh.map("links", edges, nodes, 2, Indices{0, 1, 1, 2, 2, 3});
};

TEST_F(MapTest, keeps_what_it_was_given) {
  EXPECT_EQ(links.name(), "links");
  EXPECT_EQ(links.from(), edges);
  EXPECT_EQ(links.to(), nodes);
  EXPECT_EQ(links.arity(), 2u);
  EXPECT_EQ(Indices(links.values().begin(), links.values().end()), (Indices{0, 1, 1, 2, 2, 3}));
  EXPECT_TRUE(links.offsets().empty());
  EXPECT_EQ(links, Map(links));
}

TEST_F(MapTest, a_value_outside_the_set_is_named_with_its_place) {
  EXPECT_EQ(refusal([&] {
              mesh.map("bad", edges, nodes, 2, Indices{0, 1, 1, 4, 2, 3});
            }),
            "map bad: element 1, component 1 is 4, expected 0 to 3 (set nodes)");
  EXPECT_EQ(refusal([&] {
              mesh.map("bad", edges, nodes, 2, Indices{0, 1, 1, 2, -1, 3});
            }),
            "map bad: element 2, component 0 is -1, expected 0 to 3 (set nodes)");
}

TEST_F(MapTest, nothing_can_point_into_an_empty_set) {
  const Set empty = mesh.set("empty", 0);
  refusal([&] { mesh.map("bad", edges, empty, 1, Indices{0, 0, 0}); });
  EXPECT_EQ(mesh.map("fine", empty, nodes, 2, {}).values().size(), 0u);
}

TEST_F(MapTest, values_in_the_halo_are_values) {
  const Set part = mesh.set("part", {1, 2, 3, 4});
  mesh.map("fine", edges, part, 1, Indices{3, 2, 1});
  refusal([&] { mesh.map("bad", edges, part, 1, Indices{3, 2, 4}); });
  // and all of the halo's elements need values
  const auto text = refusal([&] { mesh.map("bad", part, nodes, 1, Indices{3, 2}); });
  EXPECT_EQ(text, "map bad: 2 values, expected 4 (4 elements of part with 1 each)");
}

TEST_F(MapTest, a_wrong_number_of_values_is_refused) {
  EXPECT_EQ(refusal([&] {
              mesh.map("bad", edges, nodes, 2, Indices{0, 1, 2});
            }),
            "map bad: 3 values, expected 6 (3 elements of edges with 2 each)");
  EXPECT_EQ(refusal([&] { mesh.map("bad", edges, nodes, 2, {}); }),
            "map bad: 0 values, expected 6 (3 elements of edges with 2 each)");
  EXPECT_EQ(refusal([&] { mesh.map("bad", edges, nodes, 0, {}); }),
            "map bad: arity 0, expected 1 or more");
}

TEST_F(MapTest, an_arity_whose_number_of_values_wraps_round_is_refused) {
  const Set two = mesh.set("two", 2);
  EXPECT_EQ(refusal([&] { mesh.map("bad", two, nodes, std::size_t{1} << 63, {}); }),
            "map bad: arity 9223372036854775808, expected at most 2147483647");
}

TEST_F(MapTest, offsets_are_none_or_one_for_each_component) {
  const Map up = mesh.map("up", edges, nodes, 2, Indices{0, 1, 1, 2, 2, 3}, Indices{1, -1});
  EXPECT_EQ(Indices(up.offsets().begin(), up.offsets().end()), (Indices{1, -1}));
  EXPECT_EQ(refusal([&] {
              mesh.map("bad", edges, nodes, 2, Indices{0, 1, 1, 2, 2, 3}, Indices{1});
            }),
            "map bad: 1 vertical offsets, expected none or 2");
}

TEST_F(MapTest, sets_of_another_mesh_are_refused) {
  Mesh other(quiet_options());
  const Set foreign = other.set("foreign", 4);
  EXPECT_EQ(refusal([&] {
              mesh.map("bad", edges, foreign, 1, Indices{0, 1, 2});
            }),
            "map bad: set foreign belongs to another Mesh, expected one of this");
  refusal([&] { mesh.map("bad", foreign, nodes, 1, Indices{0, 1, 2, 3}); });
  EXPECT_EQ(refusal([&] { mesh.dat<int>("bad", foreign, 1); }),
            "dat bad: set foreign belongs to another Mesh, expected one of this");
}

TEST_F(MapTest, new_values_are_used_by_the_next_loop_and_not_by_those_before) {
  const Dat x = dat<int>("x", nodes, 1, {10, 20, 30, 40}), y = zeros<int>("y", edges),
            z = zeros<int>("z", edges);
  const Kernel copy("void copy(const int *x, int *y) { *y = *x; }", "copy");
  par_loop(copy, edges, arg(x, links[1], READ), arg(y, WRITE));
  links.set_values(Indices{3, 3, 2, 1, 0, 0});
  par_loop(copy, edges, arg(x, links[1], READ), arg(z, WRITE));
  EXPECT_EQ(read<int>(y), list({20, 30, 40}));
  EXPECT_EQ(read<int>(z), list({40, 20, 10}));
  EXPECT_EQ(links.values()[3], 1);
}

TEST_F(MapTest, new_values_get_a_new_plan) {
  const Dat sum = zeros<int>("sum", nodes);
  const Kernel add("void add(int *a, int *b) { *a += 1; *b += 10; }", "add");
  const auto loop = [&] { par_loop(add, edges, arg(sum, links[0], INC), arg(sum, links[1], INC)); };
  loop();
  links.set_values(Indices{3, 3, 3, 3, 3, 0});
  loop();  // the Mesh checks its plan
  EXPECT_EQ(read<int>(sum), list({1 + 10, 11, 11, 10 + 3 + 20}));
}

TEST_F(MapTest, bad_new_values_change_nothing) {
  EXPECT_EQ(refusal([&] {
              links.set_values(Indices{0, 1});
            }),
            "map links: 2 values, expected 6 (3 elements of edges with 2 each)");
  EXPECT_EQ(refusal([&] {
              links.set_values(Indices{0, 1, 1, 2, 2, 9});
            }),
            "map links: element 2, component 1 is 9, expected 0 to 3 (set nodes)");
  EXPECT_EQ(links.values()[5], 3);
}

}  // namespace
}  // namespace kiln::mesh::testing
