// OP2's aero: steps of conjugate gradients and changes are those of a program which follows the
// mathematics step by step.
#include "aero/aero.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mesh/apps/app_mesh.hpp"

namespace kiln::mesh::testing {
namespace {

aero::Grid grid_of(const MeshFile& file) {
  aero::Grid grid;
  grid.nodes = static_cast<std::size_t>(file.find_set("nodes")->size);
  grid.cells = static_cast<std::size_t>(file.find_set("cells")->size);
  grid.cell_nodes = file.find_map("pcell")->values;
  grid.bound_nodes = file.find_map("pbedge")->values;
  grid.x = values_of<double>(*file.find_dat("p_x"));
  return grid;
}

/// A step as it was published: so many steps of conjugate gradients, an rms, and the relative error
/// that the rounding of another order of sums makes of it.
struct Expected {
  int cg_steps;
  double rms, error;
};

void expect_steps(aero::Aero& flow, std::initializer_list<Expected> steps) {
  int number = 0;
  for (const Expected& expected : steps) {
    const aero::Step found = flow.step();
    EXPECT_EQ(found.cg_steps, expected.cg_steps) << "step " << ++number;
    EXPECT_NEAR(found.rms, expected.rms, expected.error * expected.rms) << "step " << number;
  }
}

class AeroInForm : public ::testing::TestWithParam<AppForm> {};

TEST_P(AeroInForm, has_the_published_history_of_the_small_mesh) {
  const MeshFile file = naca(20, 30, Naca0012::Variant::aero);
  AppMesh mesh(GetParam());
  aero::Aero flow(mesh, grid_of(file));
  expect_steps(flow, {{14, 6.4005359585694e-04, 1e-12},
                      {32, 2.234468834258e-04, 1e-11},
                      {14, 6.86672957241e-06, 1e-10},
                      {33, 5.48329390186e-06, 1e-10},
                      {12, 4.187798430e-08, 1e-8},
                      {20, 9.7898036e-09, 1e-7},
                      {32, 6.633139e-09, 1e-6},
                      {16, 7.97944e-11, 1e-5},
                      {33, 1.74864e-11, 1e-4},
                      {18, 6.719e-13, 1e-3}});
  mesh.expect_form("spMV", GetParam());
  mesh.expect_form("res_calc", GetParam());
  EXPECT_EQ(mesh.of("spMV").count, 224u);
}

TEST_P(AeroInForm, keeps_the_potential_on_the_outer_boundary) {
  const MeshFile file = naca(20, 30, Naca0012::Variant::aero);
  const aero::Grid grid = grid_of(file);
  AppMesh mesh(GetParam());
  aero::Aero flow(mesh, grid);
  flow.step();
  const auto potential = flow.potential().read<double>();
  std::vector<bool> is_bound(grid.nodes);
  for (const std::int32_t node : grid.bound_nodes) is_bound[static_cast<std::size_t>(node)] = true;
  std::size_t moved = 0;
  for (std::size_t node = 0; node < grid.nodes; ++node) {
    if (is_bound[node]) {
      EXPECT_EQ(potential[node], 0.1 * grid.x[2 * node]) << node;
    }
    if (potential[node] != 0.1 * grid.x[2 * node]) ++moved;
  }
  EXPECT_GT(moved, grid.nodes / 2);
}

INSTANTIATE_TEST_SUITE_P(Forms, AeroInForm, ::testing::ValuesIn(app_forms()), form_name);

TEST(Aero, begins_as_published_on_the_mesh_of_45000_cells) {
  const MeshFile file = naca(100, 150, Naca0012::Variant::aero);
  AppMesh mesh(app_forms().front());
  aero::Aero flow(mesh, grid_of(file));
  expect_steps(flow, {{68, 6.0539986584947e-04, 1e-11}, {158, 2.238299162328e-04, 1e-9}});
}

TEST(Aero, asks_for_the_reference_on_the_large_mesh_only) {
  const double reference = 5.644214176463586e-7;
  EXPECT_FALSE(aero::verdict(45'000, 20, reference).applies);
  EXPECT_FALSE(aero::verdict(720'000, 19, reference).applies);
  EXPECT_TRUE(aero::verdict(720'000, 20, reference * (1 + 1.9e-4)).passed);
  EXPECT_FALSE(aero::verdict(720'000, 20, reference * (1 + 2.1e-4)).passed);
  EXPECT_FALSE(aero::verdict(720'000, 20, std::numeric_limits<double>::quiet_NaN()).passed);
}

}  // namespace
}  // namespace kiln::mesh::testing
