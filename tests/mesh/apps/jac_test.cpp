// OP2's jac1 and jac2: every node bit for bit, in every form of the loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "jac/jac1.hpp"
#include "jac/jac2.hpp"
#include "mesh/apps/app_mesh.hpp"

namespace kiln::mesh::testing {
namespace {

/// Two sweeps on the grid itself, with no mesh.
std::vector<double> swept(const jac::Problem& problem) {
  const int side = problem.side;
  std::vector<double> u(problem.nodes), next(problem.nodes);
  for (int sweep = 0; sweep < 2; ++sweep) {
    for (int i = 1; i < side; ++i)
      for (int j = 1; j < side; ++j) {
        const auto at = [&](int x, int y) {
          if (x == 0 || x == side || y == 0 || y == side) return 1.0;
          return u[problem.number(x, y)];
        };
        next[problem.number(i, j)] =
            (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)) / 4;
      }
    u = next;
  }
  return u;
}

double root_mean_square(const std::vector<double>& u) {
  double sum = 0;
  for (const double value : u) sum += value * value;
  return std::sqrt(sum / static_cast<double>(u.size()));
}

class JacInForm : public ::testing::TestWithParam<AppForm> {
 protected:
  void expect_right(const jac::Problem& problem, const jac::Solution& solution, double rounding) {
    EXPECT_EQ(jac::wrong_nodes(problem, solution.u), 0u) << problem.side;
    EXPECT_EQ(solution.u, swept(problem)) << problem.side;
    ASSERT_EQ(solution.sweeps.size(), 2u);
    EXPECT_EQ(solution.sweeps[0].u_max, 0.5);
    EXPECT_EQ(solution.sweeps[1].u_max, 0.625);
    EXPECT_NEAR(solution.sweeps[1].u_rms, root_mean_square(solution.u), rounding);
  }
};

TEST_P(JacInForm, jac1_is_right_at_every_node) {
  for (const int side : {5, 6, 7, 8, 12, 100}) {
    const jac::Problem problem(side);
    AppMesh mesh(GetParam());
    expect_right(problem, jac::jac1(mesh, problem), 1e-14);
    mesh.expect_form("res", GetParam());
  }
}

TEST_P(JacInForm, jac2_is_right_at_every_node) {
  for (const int side : {5, 6, 7, 8, 12, 100}) {
    const jac::Problem problem(side);
    AppMesh mesh(GetParam());
    expect_right(problem, jac::jac2(mesh, problem), 1e-6);
    mesh.expect_form("res", GetParam());
  }
}

TEST_P(JacInForm, jac1_prints_the_published_sums) {
  AppMesh mesh(GetParam());
  const auto six = jac::jac1(mesh, jac::Problem(6));
  EXPECT_NEAR(six.sweeps[0].u_rms, 0.264575, 5e-7);
  EXPECT_NEAR(six.sweeps[1].u_rms, 0.386491, 5e-7);
}

INSTANTIATE_TEST_SUITE_P(Forms, JacInForm, ::testing::ValuesIn(app_forms()), form_name);

TEST(Jac, numbers_edges_as_published) {
  const jac::Problem problem(6);
  EXPECT_EQ(problem.nodes, 25u);
  EXPECT_EQ(problem.a.size(), 105u);
  EXPECT_EQ(problem.edge_nodes.size(), 210u);
  // Node (1, 1): itself, then (2, 1) and (1, 2); then node (1, 2), which is number 5.
  const std::vector<std::int32_t> begin(problem.edge_nodes.begin(), problem.edge_nodes.begin() + 8);
  EXPECT_EQ(begin, (std::vector<std::int32_t>{0, 0, 0, 1, 0, 5, 5, 5}));
  EXPECT_EQ(problem.r[0], 0.5);
  EXPECT_EQ(problem.r[12], 0.0);
}

TEST(Jac, expects_what_sweeps_on_the_grid_give) {
  for (const int side : {5, 6, 9, 31}) {
    const jac::Problem problem(side);
    EXPECT_EQ(jac::wrong_nodes(problem, swept(problem)), 0u) << side;
  }
}

TEST(Jac, finds_each_wrong_node) {
  const jac::Problem problem(7);
  const auto right = swept(problem);
  for (std::size_t node = 0; node < problem.nodes; ++node) {
    auto u = right;
    u[node] = std::nextafter(u[node], 1.0);
    EXPECT_EQ(jac::wrong_nodes(problem, u), 1u);
    u[node] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(jac::wrong_nodes(problem, u), 1u);
  }
  EXPECT_EQ(jac::wrong_nodes(problem, std::vector<double>(problem.nodes, 2.0)), problem.nodes);
}

TEST(Jac, refuses_small_grids) { EXPECT_THROW(jac::Problem(4), std::invalid_argument); }

}  // namespace
}  // namespace kiln::mesh::testing
