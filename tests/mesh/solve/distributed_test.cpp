// Conjugate gradients and inner products on parts of a distributed mesh.
#include <barrier>
#include <cmath>
#include <thread>

#include "mesh/model/exchanges.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

/// Adds numbers of two threads up, for both in the same order.
class SumOfTwo {
 public:
  std::function<void(std::span<double>)> of(std::size_t part) {
    return [this, part](std::span<double> values) {
      given_[part].assign(values.begin(), values.end());
      meet_.arrive_and_wait();
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = given_[0].at(i) + given_[1].at(i);
      meet_.arrive_and_wait();  // no thread gives anew while the other one reads
      ++calls[part];
    };
  }
  std::size_t calls[2] = {};

 private:
  std::vector<double> given_[2];
  std::barrier<> meet_{2};
};

constexpr int n = 24, half = 12;

struct Solved {
  std::vector<double> x;
  SolveResult result;
};

/// A path of nodes with a matrix that is symmetric and positive definite, A x = b.
Solved solve_on(Mesh& mesh, const Set& edges, const Set& nodes, const Indices& ends,
                const std::vector<double>& right, const SolveOptions& options) {
  const Kernel element(
      "void element(double m[2][2]) {\n"
      "  m[0][0] += 1.1; m[1][1] += 1.1; m[0][1] -= 1; m[1][0] -= 1; }",
      "element");
  const Map map = mesh.map("ends", edges, nodes, 2, ends);
  const Mat mat = mesh.mat<double>("A", mesh.sparsity(map, map));
  const Dat x = mesh.dat<double>("x", nodes, 1), b = mesh.dat<double>("b", nodes, 1, right);
  par_loop(element, edges, arg(mat, map, map, INC));
  const SolveResult result = solve(mat, x, b, options);
  mesh.finish();
  return {read<double>(x), result};
}

TEST(DistributedSolve, two_parts_come_to_what_the_undivided_matrix_comes_to) {
  SolveOptions options;
  options.relative = 1e-11;
  const auto right = [](int node) { return std::sin(1.0 + node); };
  Solved whole;
  {
    Mesh mesh(quiet_options());
    Indices ends;
    for (int e = 0; e + 1 < n; ++e) ends.insert(ends.end(), {e, e + 1});
    std::vector<double> b;
    for (int i = 0; i < n; ++i) b.push_back(right(i));
    whole = solve_on(mesh, mesh.set("edges", n - 1), mesh.set("nodes", n), ends, b, options);
  }
  ASSERT_TRUE(whole.result.converged);
  // Each part owns 12 nodes, has a copy of its neighbour's next one, and adds the edge between them
  // redundantly. Part 1 counts from the end.
  Channel to_1, to_0;
  SumOfTwo sum;
  Solved found[2];
  const auto part = [&](int p) {
    Mesh mesh(quiet_options());
    const auto exchange =
        std::make_shared<PairExchange>(p == 0 ? to_1 : to_0, p == 0 ? to_0 : to_1,
                                       std::vector<std::size_t>{std::size_t{half} - 1});
    const Set nodes = mesh.set("nodes", {half - 1, half, half, half + 1}, exchange);
    const Set edges = mesh.set("edges", {half - 1, half - 1, half, half});
    Indices ends;
    for (int e = 0; e < half; ++e) ends.insert(ends.end(), {e, e + 1});
    std::vector<double> b;
    for (int i = 0; i <= half; ++i) b.push_back(right(p == 0 ? i : n - 1 - i));
    SolveOptions mine = options;
    mine.sum = sum.of(static_cast<std::size_t>(p));
    found[p] = solve_on(mesh, edges, nodes, ends, b, mine);
  };
  std::thread other([&] { part(1); });
  part(0);
  other.join();
  EXPECT_EQ(sum.calls[0], sum.calls[1]);
  for (const Solved& one : found) {
    EXPECT_TRUE(one.result.converged);
    // Sums in another order; the last step may fall on either side of the limit.
    EXPECT_NEAR(static_cast<double>(one.result.iterations),
                static_cast<double>(whole.result.iterations), 1);
    EXPECT_EQ(one.result.residual, found[0].result.residual);
  }
  for (int i = 0; i < n; ++i)
    ASSERT_NEAR(i < half ? found[0].x[static_cast<std::size_t>(i)]
                         : found[1].x[static_cast<std::size_t>(n - 1 - i)],
                whole.x[static_cast<std::size_t>(i)], 1e-9)
        << i;
}

class OnePart : public MeshTest {
 protected:
  Set nodes = mesh.set("nodes", {2, 3, 3, 4}, std::make_shared<Noting>());
  Set edges = mesh.set("edges", {2, 2, 3, 3});
  Map ends = mesh.map("ends", edges, nodes, 2, Indices{0, 1, 1, 2, 2, 3});
  Dat x = zeros<double>("x", nodes), b = zeros<double>("b", nodes);
};

TEST_F(OnePart, is_not_solved_on_without_sums_over_all_parts) {
  const Mat mat = mesh.mat<double>("A", mesh.sparsity(ends, ends));
  const std::string expected =
      "solve: set nodes has a HaloExchange, so that inner products need SolveOptions::sum, which "
      "adds up over all parts";
  EXPECT_EQ(refusal([&] { solve(mat, x, b); }, Errc::unsupported), expected);
  const auto apply = [](const Dat& from, const Dat& to) { from.copy(to); };
  EXPECT_EQ(refusal([&] { solve(Operator(apply), x, b); }, Errc::unsupported), expected);
  SolveOptions options;
  options.sum = [](std::span<double>) {};  // it is all there is
  EXPECT_TRUE(solve(Operator(apply), x, b, options).converged);
}

TEST_F(OnePart, what_a_sum_throws_goes_to_who_solves) {
  b.write<double>()[0] = 1;
  SolveOptions options;
  options.sum = [](std::span<double>) { throw Error(Errc::io, "the wire is cut"); };
  const auto apply = [](const Dat& from, const Dat& to) { from.copy(to); };
  EXPECT_EQ(refusal([&] { solve(Operator(apply), x, b, options); }, Errc::io), "the wire is cut");
}

TEST_F(OnePart, has_inner_products_of_its_own_elements) {
  x.fill(2.0);
  EXPECT_EQ(x.inner(x), 3 * 4.0);
  EXPECT_EQ(x.norm(), std::sqrt(12.0));
}

}  // namespace
}  // namespace kiln::mesh::testing
