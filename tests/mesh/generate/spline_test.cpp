#include "mesh/generate/spline.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

namespace kiln::mesh {
namespace {

double cubic(double x) { return 2 - x + 0.5 * x * x - 0.25 * x * x * x; }

TEST(NotAKnotSpline, reproduces_a_cubic_everywhere) {
  std::vector<double> x{-2, -1.5, 0, 0.25, 1, 4}, y;
  for (const double at : x) y.push_back(cubic(at));
  const NotAKnotSpline spline(x, y);
  // Outside of the points, too: the end pieces go on.
  for (double at = -3; at < 5; at += 0.01) EXPECT_NEAR(spline(at), cubic(at), 1e-11) << at;
}

TEST(NotAKnotSpline, four_points_have_one_cubic) {
  const NotAKnotSpline spline({0, 1, 2, 3}, {cubic(0), cubic(1), cubic(2), cubic(3)});
  EXPECT_NEAR(spline(1.5), cubic(1.5), 1e-13);
  EXPECT_NEAR(spline(-1), cubic(-1), 1e-12);
}

TEST(NotAKnotSpline, goes_through_its_points) {
  const std::vector<double> x{0, 1, 3, 4, 4.5, 7}, y{1, -1, 2, 2, 0, 5};
  const NotAKnotSpline spline(x, y);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(spline(x[i]), y[i], 1e-13);
}

// First and second derivatives are continuous at all points, the third at the second and the last
// but one.
TEST(NotAKnotSpline, is_as_smooth_as_it_says) {
  const std::vector<double> x{0, 1, 3, 4, 4.5, 7, 8}, y{1, -1, 2, 2, 0, 5, 1};
  const NotAKnotSpline spline(x, y);
  const double h = 1e-3;
  const auto derivative = [&](double at, double h_side, int order) {
    const auto f = [&](int k) { return spline(at + k * h_side); };
    switch (order) {
      case 1:
        return (-11 * f(0) + 18 * f(1) - 9 * f(2) + 2 * f(3)) / (6 * h_side);
      case 2:
        return (2 * f(0) - 5 * f(1) + 4 * f(2) - f(3)) / (h_side * h_side);
      default:
        return (-f(0) + 3 * f(1) - 3 * f(2) + f(3)) / (h_side * h_side * h_side);
    }
  };
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    EXPECT_NEAR(derivative(x[i], h, 1), derivative(x[i], -h, 1), 1e-8);
    EXPECT_NEAR(derivative(x[i], h, 2), derivative(x[i], -h, 2), 1e-6);
  }
  for (const std::size_t i : {std::size_t{1}, x.size() - 2})
    EXPECT_NEAR(derivative(x[i], h, 3), derivative(x[i], -h, 3), 1e-3);
  EXPECT_GT(std::fabs(derivative(x[3], h, 3) - derivative(x[3], -h, 3)), 1) << "an inner point is";
}

TEST(NotAKnotSpline, comes_close_to_a_sine) {
  std::vector<double> x, y;
  for (int i = 0; i <= 40; ++i) {
    x.push_back(i * std::numbers::pi / 20);
    y.push_back(std::sin(x.back()));
  }
  const NotAKnotSpline spline(x, y);
  for (double at = 0; at < 6.28; at += 0.013) EXPECT_NEAR(spline(at), std::sin(at), 5e-5) << at;
}

}  // namespace
}  // namespace kiln::mesh
