// OP2's reduction: each element counts once, whatever the form and the size.
#include "reduction/reduction.hpp"

#include <gtest/gtest.h>

#include "mesh/apps/app_mesh.hpp"

namespace kiln::mesh::testing {
namespace {

class ReductionInForm : public ::testing::TestWithParam<AppForm> {};

TEST_P(ReductionInForm, counts_the_airfoil_meshes) {
  const std::pair<std::int64_t, std::int64_t> sizes[] = {{20, 30}, {100, 150}};
  const reduction::Counts expected[] = {{3530, 1800}, {89650, 45000}};
  for (std::size_t k = 0; k < 2; ++k) {
    const MeshFile file = naca(sizes[k].first, sizes[k].second);
    AppMesh mesh(GetParam());
    const auto cells = static_cast<std::size_t>(file.find_set("cells")->size);
    EXPECT_EQ(reduction::count(mesh, cells, file.find_map("pecell")->values), expected[k]);
    mesh.expect_form("res_calc", GetParam());
  }
}

TEST_P(ReductionInForm, counts_sets_of_awkward_sizes) {
  // One edge, sizes about those of blocks and groups, primes: wherever a launch would be padded.
  for (const std::int32_t edges : {1, 7, 31, 33, 95, 97, 127, 129, 191, 193, 1009}) {
    std::vector<std::int32_t> cells;
    for (std::int32_t edge = 0; edge < edges; ++edge)
      cells.insert(cells.end(), {edge % 5, (edge + 1) % 5});
    AppMesh mesh(GetParam());
    EXPECT_EQ(reduction::count(mesh, 5, cells), (reduction::Counts{edges, 5})) << edges;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, ReductionInForm, ::testing::ValuesIn(app_forms()), form_name);

TEST(Reduction, counts_the_large_mesh) {
  const MeshFile file = naca(400, 600);
  AppMesh mesh(app_forms().front());
  EXPECT_EQ(reduction::count(mesh, 720'000, file.find_map("pecell")->values),
            (reduction::Counts{1438600, 720000}));
}

}  // namespace
}  // namespace kiln::mesh::testing
