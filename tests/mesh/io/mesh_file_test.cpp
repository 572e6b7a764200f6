#include "mesh/io/mesh_file.hpp"

#include <gtest/gtest.h>

#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh {
namespace {

using testing::refusal;
using testing::two_squares;

TEST(MeshFileCheck, accepts_a_whole_mesh_and_an_empty_one) {
  EXPECT_TRUE(check(two_squares()));
  EXPECT_TRUE(check(MeshFile{}));
}

TEST(MeshFileCheck, finds_parts_by_name) {
  const MeshFile mesh = two_squares();
  EXPECT_EQ(mesh.find_set("cells")->size, 2);
  EXPECT_EQ(mesh.find_map("pcell")->arity, 4);
  EXPECT_EQ(mesh.find_dat("p_x")->dim, 2);
  EXPECT_EQ(mesh.find_set("p_x"), nullptr);
  EXPECT_EQ(mesh.find_const("p_x"), nullptr);
}

TEST(MeshFileCheck, names_the_entry_that_lies_outside) {
  MeshFile mesh = two_squares();
  mesh.maps[0].values[5] = 6;
  EXPECT_EQ(refusal(check(mesh)),
            "map 'pcell': entry 1 of element 1 is 6, expected 0 to 5 ('nodes' has 6 elements)");
  mesh.maps[0].values[5] = -1;
  EXPECT_EQ(refusal(check(mesh)),
            "map 'pcell': entry 1 of element 1 is -1, expected 0 to 5 ('nodes' has 6 elements)");
}

TEST(MeshFileCheck, refuses_parts_that_do_not_fit_their_sets) {
  MeshFile mesh = two_squares();
  mesh.maps[1].values.pop_back();
  EXPECT_EQ(refusal(check(mesh)),
            "map 'pedge': found 1 entries, expected 2 (2 for each of the 1 'edges')");
  mesh = two_squares();
  mesh.dats[0].bytes.pop_back();
  EXPECT_EQ(refusal(check(mesh)),
            "dat 'p_x': found 95 bytes, expected 96 (6 elements of 2 double)");
  mesh = two_squares();
  mesh.dats[0].dim = 0;
  EXPECT_EQ(refusal(check(mesh)), "dat 'p_x': found 0 components, expected at least 1");
  mesh = two_squares();
  mesh.maps[2].arity = -2;
  EXPECT_EQ(refusal(check(mesh)), "map 'pecell': found arity -2, expected at least 1");
  mesh = two_squares();
  mesh.sets[0].size = -1;
  EXPECT_EQ(refusal(check(mesh)), "set 'nodes': found -1 elements, expected 0 to 2147483647");
}

// 8 bytes times these elements and components are 2^64 + 537552.
TEST(MeshFileCheck, sizes_whose_product_wraps_round_are_not_taken_for_small_ones) {
  MeshFile mesh;
  mesh.sets.push_back({"many", (std::int64_t{1} << 30) + 23170});
  mesh.dats.push_back({"x", "many", 2147437309, ScalarType::f64, std::vector<std::byte>(537552)});
  EXPECT_EQ(refusal(check(mesh)),
            "dat 'x': found 537552 bytes, expected more than any memory holds (1073764994 elements "
            "of 2147437309 double)");
}

TEST(MeshFileCheck, refuses_names_that_are_missing_or_stand_twice) {
  MeshFile mesh = two_squares();
  mesh.maps[0].to = "knots";
  EXPECT_EQ(refusal(check(mesh)), "map 'pcell': there is no set 'knots'");
  mesh = two_squares();
  mesh.dats[0].set = "";
  EXPECT_EQ(refusal(check(mesh)), "dat 'p_x': there is no set without a name");
  mesh = two_squares();
  mesh.dats[0].name = "pcell";
  EXPECT_EQ(refusal(check(mesh)), "dat 'pcell': the name stands twice");
  mesh = two_squares();
  mesh.constants.push_back({"", ScalarType::f64, 1, Bytes(8)});
  EXPECT_EQ(refusal(check(mesh)), "a constant has no name");
}

TEST(MeshFileCheck, keeps_hostile_names_in_one_line) {
  MeshFile mesh = two_squares();
  mesh.sets[1].name = "ed\nges\x1b[31m";
  mesh.maps = {{"m", "nowhere\n", "nodes", 1, {}}};
  EXPECT_EQ(refusal(check(mesh)), "map 'm': there is no set 'nowhere\\n'");
}

TEST(MeshFileValues, have_the_type_that_they_say) {
  const MeshFile mesh = two_squares();
  EXPECT_EQ(values_of<double>(mesh.dats[0]).size(), 12u);
  EXPECT_EQ(values_of<double>(mesh.dats[0])[4], 2.0);
  EXPECT_TRUE(values_of<float>(mesh.dats[0]).empty());
  EXPECT_EQ(values_of<std::int32_t>(mesh.dats[1])[2], 2);
  EXPECT_EQ(scalar_type_of<signed char>(), ScalarType::i8);
  EXPECT_EQ(scalar_type_of<std::uint16_t>(), ScalarType::u16);
  EXPECT_EQ(scalar_type_of<std::uint64_t>(), ScalarType::u64);
  EXPECT_EQ(scalar_type_of<float>(), ScalarType::f32);
}

}  // namespace
}  // namespace kiln::mesh
