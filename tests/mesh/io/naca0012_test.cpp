#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "mesh/io/mesh_file.hpp"
#include "mesh/io/mesh_io.hpp"
#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh {
namespace {

using testing::refusal;
using Variant = Naca0012::Variant;

MeshFile make(std::int64_t along, std::int64_t out, Variant variant = Variant::airfoil) {
  return value_or_throw(make_naca0012({along, out, variant}));
}

struct Point {
  double x, y;
};

Point point(const MeshFile& mesh, std::int32_t node) {
  const auto x = values_of<double>(*mesh.find_dat("p_x"));
  const auto at = 2 * static_cast<std::size_t>(node);
  return {x[at], x[at + 1]};
}

/// The nodes of a cell, once round.
std::array<std::int32_t, 4> round(const MeshFile& mesh, std::size_t cell, Variant variant) {
  const auto* at = mesh.find_map("pcell")->values.data() + 4 * cell;
  if (variant == Variant::aero) return {at[0], at[1], at[3], at[2]};
  return {at[0], at[1], at[2], at[3]};
}

double area(const MeshFile& mesh, const std::array<std::int32_t, 4>& nodes) {
  double twice = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const Point a = point(mesh, nodes[k]), b = point(mesh, nodes[(k + 1) % 4]);
    twice += a.x * b.y - b.x * a.y;
  }
  return twice / 2;
}

struct Totals {
  double sum_x = 0, sum_abs_y = 0, smallest = 1e300, area = 0;
};

Totals totals(const MeshFile& mesh, Variant variant) {
  Totals out;
  const auto x = values_of<double>(*mesh.find_dat("p_x"));
  for (std::size_t at = 0; at < x.size(); at += 2) {
    out.sum_x += x[at];
    out.sum_abs_y += std::fabs(x[at + 1]);
  }
  const auto cells = static_cast<std::size_t>(mesh.find_set("cells")->size);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const double one = area(mesh, round(mesh, cell, variant));
    out.smallest = std::min(out.smallest, one);
    out.area += one;
  }
  return out;
}

std::int64_t size(const MeshFile& mesh, const char* set) { return mesh.find_set(set)->size; }

// The figures were made by another program that follows the same recipe, and OP2's airfoil gave
// its published residuals on that program's mesh.
TEST(Naca0012, has_the_sums_and_areas_of_the_recipe) {
  const Totals small = totals(make(100, 150), Variant::airfoil);
  EXPECT_NEAR(small.sum_x, -372.1255, 5e-5);
  EXPECT_NEAR(small.sum_abs_y, 205500.7224, 1e-4);
  EXPECT_NEAR(small.smallest, 1.49087e-5, 5e-11);
  EXPECT_NEAR(small.area, 431.914, 5e-4);
  const Totals reference = totals(make(400, 600), Variant::airfoil);
  EXPECT_NEAR(reference.sum_x, -11420.1101, 1e-4);
  EXPECT_NEAR(reference.sum_abs_y, 3255454.1196, 1e-4);
  EXPECT_NEAR(reference.smallest, 7.90289e-7, 5e-13);
  EXPECT_NEAR(reference.area, 431.919, 5e-4);
}

TEST(Naca0012, the_reference_mesh_has_the_published_sizes) {
  const MeshFile airfoil = make(400, 600);
  EXPECT_EQ(size(airfoil, "nodes"), 721801);
  EXPECT_EQ(size(airfoil, "cells"), 720000);
  EXPECT_EQ(size(airfoil, "edges"), 1438600);
  EXPECT_EQ(size(airfoil, "bedges"), 2800);
  const MeshFile aero = make(400, 600, Variant::aero);
  EXPECT_EQ(size(aero, "nodes"), 721400);
  EXPECT_EQ(size(aero, "cells"), 720000);
  EXPECT_EQ(size(aero, "bedges"), 2400);
  EXPECT_EQ(aero.find_set("edges"), nullptr);
}

class Naca0012Sizes : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Naca0012Sizes, fit_every_formula_and_every_map) {
  const std::int64_t i = GetParam().first, j = GetParam().second;
  const MeshFile mesh = make(i, j);
  ASSERT_TRUE(check(mesh)) << refusal(check(mesh));
  EXPECT_EQ(size(mesh, "nodes"), (3 * i + 1) * (j + 1));
  EXPECT_EQ(size(mesh, "cells"), 3 * i * j);
  EXPECT_EQ(size(mesh, "edges"), (3 * i - 1) * j + 3 * i * (j - 1) + i);
  EXPECT_EQ(size(mesh, "bedges"), 4 * i + 2 * j);
  EXPECT_TRUE(inspect(mesh).empty());
  const MeshFile aero = make(i, j, Variant::aero);
  ASSERT_TRUE(check(aero)) << refusal(check(aero));
  EXPECT_EQ(size(aero, "nodes"), (3 * i + 1) * (j + 1) - (i + 1));
  EXPECT_EQ(size(aero, "cells"), 3 * i * j);
  EXPECT_EQ(size(aero, "bedges"), 3 * i + 2 * j);
  EXPECT_TRUE(inspect(aero).empty());
}

// The sum of a cell's outward normals (dy, -dx) is zero: its edges and boundary edges close it, and
// each lists its nodes so that the first cell lies on the right.
TEST_P(Naca0012Sizes, close_every_cell_with_edges_of_one_orientation) {
  const MeshFile mesh = make(GetParam().first, GetParam().second);
  const auto cells = static_cast<std::size_t>(size(mesh, "cells"));
  std::vector<Point> sums(cells, Point{0, 0});
  std::vector<int> sides(cells);
  const auto add = [&](std::int32_t cell, const std::int32_t* nodes, double sign) {
    const Point a = point(mesh, nodes[0]), b = point(mesh, nodes[1]);
    sums[static_cast<std::size_t>(cell)].x += sign * (a.y - b.y);
    sums[static_cast<std::size_t>(cell)].y -= sign * (a.x - b.x);
    ++sides[static_cast<std::size_t>(cell)];
  };
  const auto &edges = mesh.find_map("pedge")->values, &owners = mesh.find_map("pecell")->values;
  for (std::size_t edge = 0; edge < edges.size(); edge += 2) {
    add(owners[edge], &edges[edge], 1);
    add(owners[edge + 1], &edges[edge], -1);
  }
  const auto &bedges = mesh.find_map("pbedge")->values, &inner = mesh.find_map("pbecell")->values;
  for (std::size_t bedge = 0; bedge < inner.size(); ++bedge)
    add(inner[bedge], &bedges[2 * bedge], 1);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    ASSERT_NEAR(sums[cell].x, 0, 1e-12) << cell;
    ASSERT_NEAR(sums[cell].y, 0, 1e-12) << cell;
    ASSERT_EQ(sides[cell], 4) << cell;
  }
  // The middle of the cell lies on the right of the way from the first node to the second.
  const auto on_the_right = [&](std::int32_t cell, const std::int32_t* nodes) {
    Point middle{0, 0};
    for (const auto node : round(mesh, static_cast<std::size_t>(cell), Variant::airfoil)) {
      middle.x += point(mesh, node).x / 4;
      middle.y += point(mesh, node).y / 4;
    }
    const Point a = point(mesh, nodes[0]), b = point(mesh, nodes[1]);
    return (b.x - a.x) * (middle.y - a.y) - (b.y - a.y) * (middle.x - a.x) < 0;
  };
  for (std::size_t bedge = 0; bedge < inner.size(); ++bedge)
    EXPECT_TRUE(on_the_right(inner[bedge], &bedges[2 * bedge])) << bedge;
}

TEST_P(Naca0012Sizes, have_counter_clockwise_cells_in_both_variants) {
  for (const Variant variant : {Variant::airfoil, Variant::aero}) {
    const MeshFile mesh = make(GetParam().first, GetParam().second, variant);
    EXPECT_GT(totals(mesh, variant).smallest, 0);
  }
}

TEST_P(Naca0012Sizes, have_the_boundary_that_is_said) {
  const int i = GetParam().first;
  const MeshFile mesh = make(i, GetParam().second);
  const auto bound = values_of<std::int32_t>(*mesh.find_dat("p_bound"));
  for (std::size_t at = 0; at < bound.size(); ++at)
    EXPECT_EQ(bound[at], at < static_cast<std::size_t>(i) ? 1 : 2) << at;
  // A line round the profile, and one round the far field, both with the mesh on the right: each
  // edge begins where the next one in the list ends.
  const auto& nodes = mesh.find_map("pbedge")->values;
  for (std::size_t at = 0; at + 1 < bound.size(); ++at)
    if (at + 1 != static_cast<std::size_t>(i)) {
      EXPECT_EQ(nodes[2 * at], nodes[2 * at + 3]) << at;
    }
}

TEST_P(Naca0012Sizes, list_aero_s_boundary_nodes_once_and_rising) {
  const MeshFile mesh = make(GetParam().first, GetParam().second, Variant::aero);
  const auto& nodes = mesh.find_map("pbedge")->values;
  EXPECT_EQ(std::adjacent_find(nodes.begin(), nodes.end(), std::greater_equal<>()), nodes.end());
  // They are those on the bounding parabolas, where one unwrapped coordinate is 3.
  std::set<std::int32_t> far(nodes.begin(), nodes.end());
  for (std::int32_t node = 0; node < size(mesh, "nodes"); ++node) {
    const Point p = point(mesh, node);
    const double r = std::hypot(p.x, p.y);
    const bool outside = std::fabs(r + p.x - 18) < 1e-4 || std::fabs(r - p.x - 18) < 1e-4;
    ASSERT_EQ(far.count(node) == 1, outside) << node;
  }
}

TEST_P(Naca0012Sizes, share_their_points_between_the_variants) {
  const int i = GetParam().first, j = GetParam().second;
  const MeshFile airfoil = make(i, j), aero = make(i, j, Variant::aero);
  for (std::size_t cell = 0; cell < static_cast<std::size_t>(3 * i * j); ++cell) {
    const auto a = round(airfoil, cell, Variant::airfoil), b = round(aero, cell, Variant::aero);
    for (std::size_t k = 0; k < 4; ++k) {
      ASSERT_EQ(point(airfoil, a[k]).x, point(aero, b[k]).x) << cell;
      // On the wake -0.0 and 0.0 meet.
      ASSERT_EQ(point(airfoil, a[k]).y, point(aero, b[k]).y) << cell;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Naca0012Sizes,
                         ::testing::Values(std::pair{2, 1}, std::pair{2, 4}, std::pair{600, 2},
                                           std::pair{3, 2}, std::pair{7, 5}, std::pair{20, 30}));

TEST(Naca0012, orders_edges_by_rows_cut_line_first) {
  const MeshFile mesh = make(2, 2);
  // Columns 0 to 6, rows 0 to 2; node (c,r) is c + 7r, cell (c,r) is c + 6r.
  EXPECT_EQ(mesh.find_map("pedge")->values,
            (std::vector<std::int32_t>{0,  1,  7, 8,  1,  8,  // cell (0,0): cut line, upper, right
                                       1,  2,  8, 9,  2,  9,  // cell (1,0): likewise
                                       9,  10, 3, 10,         // cell (2,0): upper, right
                                       10, 11, 4, 11,         // cell (3,0)
                                       11, 12, 5, 12,         // cell (4,0)
                                       12, 13,                // cell (5,0): upper
                                       8,  15, 9, 16, 10, 17, 11, 18, 12, 19}));  // the second row
  EXPECT_EQ(mesh.find_map("pecell")->values,
            (std::vector<std::int32_t>{5, 0, 0, 6,  1, 0, 4, 1,  1, 7, 2, 1, 2, 8, 3,  2, 3,  9,
                                       4, 3, 4, 10, 5, 4, 5, 11, 7, 6, 8, 7, 9, 8, 10, 9, 11, 10}));
  EXPECT_EQ(mesh.find_map("pbedge")->values,
            (std::vector<std::int32_t>{3,  2,  4,  3,   // the profile
                                       13, 6,  20, 13,  // right
                                       19, 20, 18, 19, 17, 18, 16, 17, 15, 16, 14, 15,  // top
                                       7,  14, 0,  7}));                                // left
  EXPECT_EQ(mesh.find_map("pbecell")->values,
            (std::vector<std::int32_t>{2, 3, 5, 11, 11, 10, 9, 8, 7, 6, 6, 0}));
  const MeshFile aero = make(2, 1, Variant::aero);
  // Row 0: 3 2 1 | 0 1 2 3 (columns 0 to 2 have the nodes of 6 to 4); row 1 goes on with 4.
  EXPECT_EQ(aero.find_map("pcell")->values,
            (std::vector<std::int32_t>{3, 2, 4, 5, 2, 1, 5, 6, 1, 0, 6, 7,  //
                                       0, 1, 7, 8, 1, 2, 8, 9, 2, 3, 9, 10}));
  EXPECT_EQ(aero.find_map("pbedge")->values, (std::vector<std::int32_t>{3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(Naca0012, joins_the_two_branches_of_the_wake) {
  const MeshFile mesh = make(20, 30);
  const auto &nodes = mesh.find_map("pedge")->values, &cells = mesh.find_map("pecell")->values;
  int cut = 0;
  for (std::size_t edge = 0; edge < nodes.size(); edge += 2) {
    if (nodes[edge] >= 20 || nodes[edge + 1] != nodes[edge] + 1) continue;
    // The two nodes have the places of two of the upper branch.
    for (const std::int32_t node : {nodes[edge], nodes[edge + 1]}) {
      EXPECT_EQ(point(mesh, node).x, point(mesh, 60 - node).x);
      EXPECT_EQ(point(mesh, node).y, 0);
    }
    EXPECT_EQ(cells[edge] + cells[edge + 1], 59);
    ++cut;
  }
  EXPECT_EQ(cut, 20);
}

TEST(Naca0012, is_symmetric_and_rounded_to_six_decimals) {
  const MeshFile mesh = make(20, 30);
  for (std::int32_t r = 0; r <= 30; ++r)
    for (std::int32_t c = 0; c <= 60; ++c) {
      const Point p = point(mesh, c + 61 * r), q = point(mesh, 60 - c + 61 * r);
      ASSERT_NEAR(p.x, q.x, 1.1e-6);
      ASSERT_NEAR(p.y, -q.y, 1.1e-6);
      ASSERT_EQ(p.x, std::round(p.x * 1e6) / 1e6);
      ASSERT_EQ(p.y, std::round(p.y * 1e6) / 1e6);
    }
  // The trailing edge of the mesh, and its leading edge.
  EXPECT_EQ(point(mesh, 20).x, 1);
  EXPECT_EQ(point(mesh, 20).y, 0);
  EXPECT_NEAR(point(mesh, 30).x, -0.0077, 1e-6);
}

TEST(Naca0012, refuses_what_no_map_could_count) {
  EXPECT_EQ(refusal(make_naca0012({1, 1})), "found I = 1 and J = 1, expected at least 2 and 1");
  EXPECT_EQ(refusal(make_naca0012({2, 0})), "found I = 2 and J = 0, expected at least 2 and 1");
  EXPECT_EQ(refusal(make_naca0012({40000, 40000})),
            "found I = 40000 and J = 40000: more than 2147483647 edges, which is all that maps of "
            "32-bit numbers can count");
  EXPECT_EQ(refusal(make_naca0012({INT64_MAX, INT64_MAX})).substr(0, 9), "found I =");
}

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
