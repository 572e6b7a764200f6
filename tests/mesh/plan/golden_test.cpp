// Plans of airfoil's loops on the NACA0012 meshes: the counts that OP2 and PyOP2 find.
#include <gtest/gtest.h>

#include <algorithm>

#include "mesh/io/mesh_io.hpp"
#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {
namespace {

/// The mesh, and res_calc's plan on it.
class Golden : public ::testing::Test {
 protected:
  static MeshFile mesh(std::int64_t along, std::int64_t out) {
    return value_or_throw(make_naca0012({along, out, Naca0012::Variant::airfoil}));
  }
  static std::size_t elements_of(const MeshFile& mesh, const std::string& set) {
    return static_cast<std::size_t>(mesh.find_set(set)->size);
  }
  static PlanInput res_calc(const MeshFile& mesh, std::uint32_t block_size, Scheme scheme) {
    PlanInput input;
    const auto view = [&](const char* name, std::uint64_t identity) {
      const FileMap& map = *mesh.find_map(name);
      return MapView{map.values,
                     map.values.size() / elements_of(mesh, map.from),
                     elements_of(mesh, map.to),
                     identity,
                     0,
                     name};
    };
    input.maps = {view("pedge", 1), view("pecell", 2)};
    input.set_size = input.size = input.maps[0].values.size() / 2;
    input.block_size = block_size;
    input.scheme = scheme;
    input.pairs = {
        {0, {0, 1}, 16, true}, {1, {0, 1}, 32, true}, {1, {0, 1}, 8, true}, {1, {0, 1}, 32, true}};
    input.conflicts = {{{input.pairs[3]}}};
    return input;
  }
};

TEST_F(Golden, block_and_colour_counts_of_res_calc_are_those_of_OP2) {
  const auto airfoil = mesh(400, 600);
  struct Counts {
    std::uint32_t block_size;
    std::size_t blocks, colours;
    int element_colours;
    double nshared_kb;
  };
  for (const auto& [size, blocks, colours, element_colours, nshared] :
       {Counts{64, 22479, 5, 4, 6.7}, Counts{128, 11240, 5, 4, 13.4}, Counts{256, 5620, 4, 4, 26.7},
        Counts{1024, 1405, 4, 4, 95}, Counts{8192, 176, 2, 5, 466}}) {
    const MeshPlan plan(build_plan(res_calc(airfoil, size, Scheme::staged)));
    EXPECT_EQ(plan.nblocks(), blocks) << size;
    EXPECT_EQ(plan.ncolors(), colours) << size;
    EXPECT_EQ(*std::ranges::max_element(plan.nthrcol), element_colours) << size;
    EXPECT_NEAR(static_cast<double>(plan.nshared()) / 1000, nshared, 0.5) << size;
    // Without staging the colours are the same.
    const MeshPlan bare(build_plan(res_calc(airfoil, size, Scheme::blocks)));
    EXPECT_TRUE(std::ranges::equal(plan.blkmap, bare.blkmap)) << size;
    EXPECT_TRUE(std::ranges::equal(plan.ncolblk, bare.ncolblk)) << size;
  }
}

/// The first of some parts of equal numbers of cells: its own edges, then those that it shares.
TEST_F(Golden, edges_between_parts_take_hardly_more_colours_than_those_within) {
  for (const int parts : {2, 4, 8, 50}) {
    const auto airfoil = mesh(100, 150);
    auto input = res_calc(airfoil, 256, Scheme::permuted);
    const auto cells = input.maps[1].values;
    const auto owned = static_cast<std::int32_t>(input.maps[1].targets / parts);
    std::vector<std::int32_t> edges, shared;
    for (std::size_t e = 0; e < input.set_size; ++e) {
      const int ends = (cells[2 * e] < owned) + (cells[2 * e + 1] < owned);
      if (ends > 0) (ends == 2 ? edges : shared).push_back(static_cast<std::int32_t>(e));
    }
    input.first_late = edges.size();
    edges.insert(edges.end(), shared.begin(), shared.end());
    input.subset = edges;
    input.size = edges.size();
    const MeshPlan plan(build_plan(input));
    EXPECT_EQ(check_plan(input, plan), "");
    input.size = input.first_late;
    const MeshPlan within(build_plan(input));
    EXPECT_GE(within.ncolors(), 4u) << parts;
    EXPECT_LE(plan.ncolors(), within.ncolors() + 1) << parts;
  }
}

TEST_F(Golden, every_scheme_of_a_real_mesh_passes_the_checker) {
  const auto airfoil = mesh(20, 30);
  for (const auto scheme : {Scheme::blocks, Scheme::staged, Scheme::permuted}) {
    const auto input = res_calc(airfoil, 256, scheme);
    ASSERT_EQ(input.size, 3530u);
    EXPECT_EQ(check_plan(input, MeshPlan(build_plan(input))), "");
  }
}

}  // namespace
}  // namespace kiln::mesh
