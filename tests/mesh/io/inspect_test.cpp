#include <gtest/gtest.h>

#include <limits>

#include "mesh/io/mesh_file.hpp"
#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh {
namespace {

using testing::bytes_from;
using testing::two_squares;
using testing::two_squares_by_row;

std::vector<std::string> found(const MeshFile& mesh) {
  std::vector<std::string> lines;
  for (const Finding& finding : inspect(mesh))
    lines.push_back(finding.part + " " + std::to_string(finding.count) + " " + finding.what +
                    " from " + std::to_string(finding.first));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(InspectMesh, finds_nothing_in_a_good_one) {
  EXPECT_EQ(found(two_squares()), Lines{});
  EXPECT_EQ(found(two_squares_by_row()), Lines{});
  EXPECT_EQ(found(MeshFile{}), Lines{});
}

TEST(InspectMesh, does_not_mind_the_order_of_nodes) {
  MeshFile mesh = two_squares();
  std::swap(mesh.maps[0].values[0], mesh.maps[0].values[1]);
  EXPECT_EQ(found(mesh), Lines{});
}

TEST(InspectMesh, finds_targets_that_an_element_names_twice) {
  MeshFile mesh = two_squares();
  mesh.maps[0].values[7] = 1;
  mesh.maps[1].values = {4, 4};
  EXPECT_EQ(found(mesh), (Lines{"map 'pcell' 1 elements that name a target twice from 1",
                                "map 'pedge' 1 elements that name a target twice from 0"}));
}

TEST(InspectMesh, finds_elements_that_no_map_leads_to) {
  MeshFile mesh = two_squares();
  mesh.sets[0].size = 9;
  mesh.dats[0].bytes.resize(9 * 16);
  EXPECT_EQ(found(mesh), Lines{"set 'nodes' 3 elements that no map leads to from 6"});
}

TEST(InspectMesh, finds_numbers_that_are_not_finite) {
  MeshFile mesh = two_squares();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  mesh.dats[0].bytes = bytes_from<double>({0, 0, 1, 0, 2, nan, 0, 1, 1, 1, -1 / 0.0, nan});
  mesh.dats.push_back({"f", "cells", 1, ScalarType::f32,
                       bytes_from<float>({1, std::numeric_limits<float>::infinity()})});
  EXPECT_EQ(found(mesh), (Lines{"dat 'p_x' 2 elements with a value that is not finite from 2",
                                "dat 'f' 1 elements with a value that is not finite from 1"}));
}

TEST(MeshRange, is_of_all_entries) {
  const MeshFile mesh = two_squares();
  EXPECT_EQ(range_of(mesh.maps[3])->least, 0);
  EXPECT_EQ(range_of(mesh.maps[3])->greatest, 5);
  EXPECT_FALSE(range_of(FileMap{"m", "a", "b", 1, {}}));
}

TEST(MeshRange, is_of_the_finite_numbers_of_any_type) {
  const MeshFile mesh = two_squares();
  EXPECT_EQ(range_of(mesh.dats[0])->greatest, 2);
  EXPECT_EQ(range_of(mesh.dats[1])->least, 1);
  const double inf = std::numeric_limits<double>::infinity();
  const FileDat dat{"d", "s", 1, ScalarType::f64, bytes_from<double>({inf, -3, 4, -inf})};
  EXPECT_EQ(range_of(dat)->least, -3);
  EXPECT_EQ(range_of(dat)->greatest, 4);
  EXPECT_FALSE(range_of(FileDat{"d", "s", 1, ScalarType::f64, bytes_from<double>({inf})}));
  const FileDat bytes{"d", "s", 1, ScalarType::i8, bytes_from<std::int8_t>({-5, 7})};
  EXPECT_EQ(range_of(bytes)->least, -5);
  const FileDat wide{"d", "s", 1, ScalarType::u64, bytes_from<std::uint64_t>({~0ull, 3})};
  EXPECT_EQ(range_of(wide)->greatest, 18446744073709551615.0);
}

}  // namespace
}  // namespace kiln::mesh
