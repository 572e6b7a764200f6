// Conjugate gradients, against the same method in plain C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kiln/mesh/solve.hpp"
#include "mesh/matrix/reference.hpp"
#include "mesh/model/session.hpp"
#include "mesh/solve/cg_kernels.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// A weighted Laplacian of a graph, shifted so that it is positive definite.
struct Graph {
  std::size_t nodes = 0;
  std::vector<std::int32_t> ends;  ///< two for each edge
  std::vector<double> weight, shift;

  static Graph random(std::size_t nodes, std::size_t edges, std::uint32_t seed) {
    std::mt19937 numbers(seed);
    std::uniform_int_distribution<std::int32_t> node(0, static_cast<std::int32_t>(nodes) - 1);
    std::uniform_real_distribution<double> one(0.1, 1);
    Graph graph;
    graph.nodes = nodes;
    for (std::size_t e = 0; e < edges; ++e) {
      const std::int32_t a = node(numbers), b = node(numbers);
      graph.ends.insert(graph.ends.end(),
                        {a, a == b ? (b + 1) % static_cast<std::int32_t>(nodes) : b});
      graph.weight.push_back(one(numbers));
    }
    for (std::size_t i = 0; i < nodes; ++i) graph.shift.push_back(one(numbers));
    return graph;
  }
  std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> y(nodes);
    for (std::size_t i = 0; i < nodes; ++i) y[i] = shift[i] * x[i];
    for (std::size_t e = 0; e < weight.size(); ++e) {
      const auto a = static_cast<std::size_t>(ends[2 * e]),
                 b = static_cast<std::size_t>(ends[2 * e + 1]);
      y[a] += weight[e] * (x[a] - x[b]);
      y[b] += weight[e] * (x[b] - x[a]);
    }
    return y;
  }
  std::vector<double> diagonal() const {
    std::vector<double> d = shift;
    for (std::size_t e = 0; e < weight.size(); ++e)
      for (const std::size_t side : {0u, 1u})
        d[static_cast<std::size_t>(ends[2 * e + side])] += weight[e];
    return d;
  }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The method as in books; the number of its iterations.
std::size_t reference(const Graph& graph, std::vector<double>& x, const std::vector<double>& b,
                      double relative, bool jacobi) {
  const auto diagonal = graph.diagonal();
  const auto precondition = [&](const std::vector<double>& r) {
    auto z = r;
    if (jacobi)
      for (std::size_t i = 0; i < z.size(); ++i) z[i] /= diagonal[i];
    return z;
  };
  auto r = b;
  const auto start = graph.times(x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= start[i];
  auto p = precondition(r);
  double rz = dot(r, p);
  std::size_t iterations = 0;
  while (std::sqrt(dot(r, r)) > relative * std::sqrt(dot(b, b)) && iterations < 10000) {
    const auto q = graph.times(p);
    const double alpha = rz / dot(p, q);
    for (std::size_t i = 0; i < r.size(); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const auto z = precondition(r);
    const double next = dot(r, z), beta = next / rz;
    for (std::size_t i = 0; i < r.size(); ++i) p[i] = z[i] + beta * p[i];
    rz = next;
    ++iterations;
  }
  return iterations;
}

/// A graph on a Mesh, with its matrix assembled there.
struct System {
  System(Mesh& m, const Graph& g)
      : mesh(m),
        graph(g),
        edges(mesh.set("edges", g.weight.size())),
        nodes(mesh.set("nodes", g.nodes)),
        ends(mesh.map("ends", edges, nodes, 2, g.ends)),
        weight(mesh.dat<double>("weight", edges, 1, g.weight)),
        shift(mesh.dat<double>("shift", nodes, 1, g.shift)),
        mat(mesh.mat<double>("A", mesh.sparsity(ends, ends))),
        x(mesh.dat<double>("x", nodes, 1)),
        b(mesh.dat<double>("b", nodes, 1)) {
    mat.set_diagonal(shift);
    const Kernel kernel(
        "void edge(double m[2][2], const double *w) { m[0][0] = m[1][1] = w[0]; m[0][1] = m[1][0] "
        "= -w[0]; }",
        "edge");
    par_loop(kernel, edges, arg(mat, ends, ends, INC), arg(weight, READ));
    auto to = b.write<double>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::sin(static_cast<double>(i) + 1);
  }
  std::vector<double> right_side() {
    const auto values = b.read<double>();
    return {values.begin(), values.end()};
  }
  /// y := A x by loops over nodes and edges, with no matrix.
  Operator matrix_free() {
    return [this](const Dat& from, const Dat& to) {
      const Kernel own(
          "void own(const double *s, const double *x, double *y) { y[0] = s[0] * x[0]; }", "own");
      const Kernel across(
          "void across(const double *w, double **x, double **y) { const double f = w[0] * (x[0][0] "
          "- x[1][0]); y[0][0] += f; y[1][0] -= f; }",
          "across");
      par_loop(own, nodes, arg(shift, READ), arg(from, READ), arg(to, WRITE));
      par_loop(across, edges, arg(weight, READ), arg(from, ends, READ), arg(to, ends, INC));
    };
  }
  double error() {  ///< of A x - b, relative
    const auto values = x.read<double>();
    const auto product = graph.times({values.begin(), values.end()});
    auto difference = right_side();
    const double norm = std::sqrt(dot(difference, difference));
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= product[i];
    return std::sqrt(dot(difference, difference)) / norm;
  }

  Mesh& mesh;
  Graph graph;
  Set edges, nodes;
  Map ends;
  Dat weight, shift;
  Mat mat;
  Dat x, b;
};

TEST(Solver, takes_the_steps_of_the_method_and_no_more) {
  Mesh mesh(without_store());
  for (const bool jacobi : {true, false}) {
    System system(mesh, Graph::random(200, 500, 3));
    SolveOptions options;
    using P = SolveOptions::Preconditioner;
    options.preconditioner = jacobi ? P::jacobi : P::none;
    const auto result = solve(system.mat, system.x, system.b, options);
    std::vector<double> x(200);
    EXPECT_EQ(result.iterations, reference(system.graph, x, system.right_side(), 1e-7, jacobi));
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.end, SolveResult::End::converged);
    const auto got = system.x.read<double>();
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(got[i], x[i], 1e-9);
    EXPECT_LE(system.error(), 1.01e-7);
  }
}

TEST(Solver, begins_with_what_x_holds) {
  Mesh mesh(without_store());
  System system(mesh, Graph::random(100, 300, 5));
  Solver solver;
  const auto first = solver.solve(system.mat, system.x, system.b);
  EXPECT_GT(first.iterations, 5u);
  const auto again = solver.solve(system.mat, system.x, system.b);
  EXPECT_EQ(again.iterations, 0u);
  EXPECT_TRUE(again.converged);
  system.b *= 1.001;
  const auto near = solver.solve(system.mat, system.x, system.b);
  EXPECT_LT(near.iterations, first.iterations);
  EXPECT_GT(near.iterations, 0u);
}

TEST(Solver, needs_no_matrix) {
  Mesh mesh(without_store());
  System system(mesh, Graph::random(150, 400, 9));
  const auto with_matrix = solve(system.mat, system.x, system.b);
  const std::vector<double> expected(system.x.read<double>().begin(),
                                     system.x.read<double>().end());
  system.x.zero();
  const Dat diagonal = mesh.dat<double>("d", system.nodes, 1, system.graph.diagonal());
  const auto without = solve(system.matrix_free(), system.x, system.b, SolveOptions{}, &diagonal);
  EXPECT_EQ(without.iterations, with_matrix.iterations);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(system.x.read<double>()[i], expected[i], 1e-8);
  EXPECT_EQ(diagonal.read<double>()[7], system.graph.diagonal()[7]);  // it was only read
  system.x.zero();
  EXPECT_TRUE(solve(system.matrix_free(), system.x, system.b).converged);
  EXPECT_LE(system.error(), 1.01e-7);
}

TEST(Solver, solves_exactly_in_as_many_steps_as_there_are_eigenvalues) {
  Mesh mesh(without_store());
  const Set set = mesh.set("points", 40);
  const Map own = [&] {
    std::vector<std::int32_t> values(40);
    for (int i = 0; i < 40; ++i) values[static_cast<std::size_t>(i)] = i;
    return mesh.map("own", set, set, 1, values);
  }();
  Mat mat = mesh.mat<double>("D", mesh.sparsity(own, own));
  mat.set_diagonal(2);
  std::vector<double> ones(40, 1);
  const Dat b = mesh.dat<double>("b", set, 1, ones);
  Dat x = mesh.dat<double>("x", set, 1);
  const auto result = solve(mat, x, b);
  EXPECT_EQ(result.iterations, 1u);
  EXPECT_EQ(result.residual, 0);  // the iterations after it divide by nothing
  EXPECT_THAT(x.read<double>(), Each(0.5));
  Dat zero = mesh.dat<double>("zero", set, 1);
  const auto nothing = solve(mat, x, zero);
  EXPECT_TRUE(nothing.converged);
  EXPECT_THAT(x.read<double>(), Each(0.0));
}

TEST(Solver, of_blocks_and_floats) {
  Mesh mesh(without_store());
  const Set edges = mesh.set("edges", 30), nodes = mesh.set("nodes", 31);
  std::vector<std::int32_t> path;
  for (int i = 0; i < 30; ++i) path.insert(path.end(), {i, i + 1});
  const Map ends = mesh.map("ends", edges, nodes, 2, path);
  const Mat mat = mesh.mat<float>("A", mesh.sparsity(ends, ends, 2, 2));
  const Kernel kernel(
      "void edge(float m[4][4]) { for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) m[i][j] "
      "= i == j ? 3.0f : i % 2 == j % 2 ? -1.0f : 0.5f; }",
      "edge");
  par_loop(kernel, edges, arg(mat, ends, ends, INC));
  const Dat b = mesh.dat<float>("b", nodes, 2, {}, DataLayout::soa);
  Dat x = mesh.dat<float>("x", nodes, 2), check = mesh.dat<float>("check", nodes, 2);
  const_cast<Dat&>(b).fill(1);
  SolveOptions options;
  options.relative = 1e-5;
  const auto result = solve(mat, x, b, options);
  EXPECT_TRUE(result.converged);
  multiply(mat, x, check);
  for (const float value : check.read<float>()) EXPECT_NEAR(value, 1, 1e-4);
}

TEST(Solver, ends_where_it_cannot_succeed) {
  Mesh mesh(without_store());
  System system(mesh, Graph::random(200, 500, 3));
  SolveOptions few;
  few.most_iterations = 10;
  auto result = solve(system.mat, system.x, system.b, few);
  EXPECT_EQ(result.iterations, 10u);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.end, SolveResult::End::iterations);
  EXPECT_NEAR(result.residual / system.b.norm(), system.error(), 1e-9);
  few.most_iterations = 0;
  EXPECT_EQ(solve(system.mat, system.x, system.b, few).iterations, 0u);
  SolveOptions strict;
  strict.divergence = 1e-3;
  system.x.zero();
  result = solve(system.mat, system.x, system.b, strict);
  EXPECT_EQ(result.end, SolveResult::End::diverged);
  EXPECT_EQ(result.iterations, 0u);
  for (auto& value : system.mat.write<double>()) value = -value;
  system.x.fill(3);
  result =
      solve(system.mat, system.x, system.b, {.preconditioner = SolveOptions::Preconditioner::none});
  EXPECT_EQ(result.end, SolveResult::End::indefinite);
  EXPECT_THAT(system.x.read<double>(), Each(3.0));
}

TEST(Solver, refuses_what_it_cannot_solve) {
  Mesh mesh(without_store());
  System system(mesh, Graph::random(20, 40, 1));
  const auto error_of = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const Mat flat = mesh.mat<double>("F", mesh.sparsity(system.ends, system.ends, 1, 2));
  EXPECT_THAT(error_of([&] { solve(flat, system.x, system.b); }), HasSubstr("mat F is not square"));
  EXPECT_THAT(error_of([&] { solve(system.mat, system.x, system.x); }),
              HasSubstr("dat x is the solution and something else"));
  EXPECT_THAT(error_of([&] { solve(system.mat, system.x, system.weight); }),
              HasSubstr("dat weight is on set edges, expected nodes"));
  EXPECT_THAT(error_of([&] { solve(system.mat, mesh.dat<float>("f", system.nodes, 1), system.b); }),
              HasSubstr("dat f is of float, expected double"));
  const Dat whole = mesh.dat<int>("i", system.nodes, 1);
  EXPECT_THAT(error_of([&] { solve(system.matrix_free(), whole, whole); }),
              HasSubstr("dat i is of int, expected float or double"));
  EXPECT_THAT(error_of([&] { Solver({.relative = std::nan("")}); }), HasSubstr("relative nan"));
  system.b.write<double>()[3] = std::nan("");
  EXPECT_THAT(error_of([&] { solve(system.mat, system.x, system.b); }),
              HasSubstr("an element that is not finite"));
  system.b.fill(1);
  system.mat.set_diagonal(std::vector<std::int32_t>{4}, 0);
  EXPECT_THAT(error_of([&] { solve(system.mat, system.x, system.b); }),
              HasSubstr("the diagonal has a zero"));
  system.mat.set_diagonal(std::vector<std::int32_t>{4}, std::nan(""));
  EXPECT_THAT(error_of([&] { solve(system.mat, system.x, system.b); }), HasSubstr("not finite"));
}

TEST(SolverProperty, solves_random_laplacians_as_the_reference_does) {
  Mesh mesh(without_store());
  EXPECT_TRUE(rc::check([&] {
    const auto nodes = *rc::gen::inRange<std::size_t>(2, 60);
    const auto edges = *rc::gen::inRange<std::size_t>(1, 150);
    System system(mesh, Graph::random(nodes, edges, *rc::gen::arbitrary<std::uint32_t>()));
    const auto result = solve(system.mat, system.x, system.b);
    RC_ASSERT(result.converged);
    RC_ASSERT(system.error() <= 1.1e-7);
    std::vector<double> x(nodes);
    const auto steps = reference(system.graph, x, system.right_side(), 1e-7, true);
    // Rounding may decide whether the last step is needed.
    RC_ASSERT(std::abs(static_cast<int>(result.iterations) - static_cast<int>(steps)) <= 1);
  }));
}

}  // namespace
}  // namespace kiln::mesh::testing
