// OP2's airfoil: its history is that of a program which follows the mathematics step by step.
#include "airfoil/airfoil.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "mesh/apps/app_mesh.hpp"

namespace kiln::mesh::testing {
namespace {

airfoil::Grid airfoil_grid_of(const MeshFile& file) {
  const auto map = [&](const char* name) {
    return std::span<const std::int32_t>(file.find_map(name)->values);
  };
  airfoil::Grid grid;
  grid.nodes = static_cast<std::size_t>(file.find_set("nodes")->size);
  grid.cells = static_cast<std::size_t>(file.find_set("cells")->size);
  grid.cell_nodes = map("pcell");
  grid.edge_nodes = map("pedge");
  grid.edge_cells = map("pecell");
  grid.bedge_nodes = map("pbedge");
  grid.bedge_cells = map("pbecell");
  grid.bound = values_of<std::int32_t>(*file.find_dat("p_bound"));
  grid.x = values_of<double>(*file.find_dat("p_x"));
  return grid;
}

/// The rms after each hundred steps, as the program prints it.
template <class Real>
std::vector<std::string> history(airfoil::Airfoil<Real>& flow, int hundreds) {
  std::vector<std::string> printed;
  for (int hundred = 0; hundred < hundreds; ++hundred) {
    for (int step = 0; step < 100; ++step) flow.step();
    printed.push_back(fmt::format("{:.5e}", flow.rms()));
  }
  return printed;
}

class AirfoilInForm : public ::testing::TestWithParam<AppForm> {};

TEST_P(AirfoilInForm, has_the_ten_values_of_the_small_mesh) {
  const MeshFile file = naca(20, 30);
  AppMesh mesh(GetParam());
  airfoil::Airfoil<double> flow(mesh, airfoil_grid_of(file));
  const std::vector<std::string> expected{
      "2.07422e-04", "6.04419e-05", "2.07420e-05", "4.92306e-06", "1.98203e-06",
      "9.32343e-07", "7.90393e-07", "3.27888e-07", "1.98388e-07", "8.94103e-08"};
  EXPECT_EQ(history(flow, 10), expected);
  mesh.expect_form("res_calc", GetParam());
  EXPECT_EQ(mesh.of("res_calc").count, 2000u);
  EXPECT_EQ(mesh.of("save_soln").count, 1000u);
}

TEST_P(AirfoilInForm, keeps_the_flow_symmetric) {
  // Cell (c, r) mirrors cell (3I - 1 - c, r): y momentum changes its sign, the rest does not.
  constexpr std::size_t along = 20, out = 30, row = 3 * along;
  const MeshFile file = naca(along, out);
  AppMesh mesh(GetParam());
  airfoil::Airfoil<double> flow(mesh, airfoil_grid_of(file));
  for (int step = 0; step < 50; ++step) flow.step();
  const auto q = flow.q().read<double>();
  double sideways = 0;
  for (std::size_t cell = 0; cell < row * out; ++cell) {
    const std::size_t mirror = cell / row * row + (row - 1 - cell % row);
    for (std::size_t n = 0; n < 4; ++n)
      ASSERT_NEAR(q[4 * cell + n], (n == 2 ? -1 : 1) * q[4 * mirror + n], 1e-12) << cell;
    sideways = std::max(sideways, std::abs(q[4 * cell + 2]));
  }
  EXPECT_GT(sideways, 1e-2);  // else there would be no flow round anything
}

/// Programs of their own, which take longer to make than the loops to run.
class AirfoilInSinglePrecision : public AirfoilInForm {};

TEST_P(AirfoilInSinglePrecision, stays_near_the_history) {
  const MeshFile file = naca(20, 30);
  AppMesh mesh(GetParam());
  airfoil::Airfoil<float> flow(mesh, airfoil_grid_of(file));
  for (const double expected : {2.07422e-04, 6.04419e-05}) {
    for (int step = 0; step < 100; ++step) flow.step();
    EXPECT_NEAR(flow.rms(), expected, 2e-3 * expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, AirfoilInForm, ::testing::ValuesIn(app_forms()), form_name);

std::vector<AppForm> forms_in_single_precision() {
  std::vector<AppForm> forms = app_forms();
  if (std::getenv("KILN_LONG") == nullptr)
    std::erase_if(forms, [](const AppForm& form) {
      return form.name == "blocks_one_lane" || form.name == "atomic" || form.name == "coloured";
    });
  return forms;
}

INSTANTIATE_TEST_SUITE_P(Forms, AirfoilInSinglePrecision,
                         ::testing::ValuesIn(forms_in_single_precision()), form_name);

TEST(Airfoil, has_the_first_values_of_the_mesh_of_45000_cells) {
  const MeshFile file = naca(100, 150);
  AppMesh mesh(app_forms().front());
  airfoil::Airfoil<double> flow(mesh, airfoil_grid_of(file));
  EXPECT_EQ(history(flow, 2), (std::vector<std::string>{"5.09640e-04", "3.03392e-04"}));
}

TEST(Airfoil, asks_for_the_reference_on_the_large_mesh_only) {
  const double reference = 0.0001060114637578;
  EXPECT_FALSE(airfoil::verdict(719'999, 1000, reference, true).applies);
  EXPECT_FALSE(airfoil::verdict(720'000, 999, reference, true).applies);
  EXPECT_TRUE(airfoil::verdict(720'000, 1000, reference, true).passed);
  EXPECT_TRUE(airfoil::verdict(720'000, 1000, reference * (1 + 9e-8), true).passed);
  EXPECT_FALSE(airfoil::verdict(720'000, 1000, reference * (1 + 11e-8), true).passed);
  EXPECT_FALSE(airfoil::verdict(720'000, 1000, reference * (1 + 11e-4), false).passed);
  EXPECT_TRUE(airfoil::verdict(720'000, 1000, 1.05987e-4, false).passed);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(airfoil::verdict(720'000, 1000, nan, true).passed);
}

/// The benchmark itself: a quarter of a minute of all cores. Part of `./dev test --long`.
class LargeAirfoil : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("KILN_LONG") == nullptr) GTEST_SKIP() << "takes long: KILN_LONG=1 runs it";
  }
  template <class Real>
  airfoil::Verdict run() {
    const MeshFile file = naca(400, 600);
    AppMesh mesh(app_forms().front());
    const airfoil::Grid grid = airfoil_grid_of(file);
    airfoil::Airfoil<Real> flow(mesh, grid);
    for (int step = 0; step < 1000; ++step) flow.step();
    return airfoil::verdict(grid.cells, 1000, flow.rms(), sizeof(Real) == 8);
  }
};

TEST_F(LargeAirfoil, passes_in_double_precision) {
  const auto verdict = run<double>();
  EXPECT_TRUE(verdict.applies);
  EXPECT_TRUE(verdict.passed) << verdict.deviation_percent << " %";
}
TEST_F(LargeAirfoil, passes_in_single_precision) {
  const auto verdict = run<float>();
  EXPECT_TRUE(verdict.applies);
  EXPECT_TRUE(verdict.passed) << verdict.deviation_percent << " %";
}

}  // namespace
}  // namespace kiln::mesh::testing
