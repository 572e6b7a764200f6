// Matrices, products and conjugate gradients on parts.
#include <cmath>

#include "mesh/distributed/part_mesh.hpp"

namespace kiln::mesh::testing::distributed {
namespace {

/// A grid of quadrilaterals with a matrix that is symmetric and positive definite.
struct Grid {
  std::size_t side = 12;
  PlainMesh whole;
  std::vector<double> right;

  Grid() {
    whole.sizes = {side * side, (side - 1) * (side - 1)};
    PlainMap corners{1, 0, 4, {}};
    for (std::size_t j = 0; j + 1 < side; ++j)
      for (std::size_t i = 0; i + 1 < side; ++i)
        for (const std::size_t node :
             {j * side + i, j * side + i + 1, (j + 1) * side + i + 1, (j + 1) * side + i})
          corners.values.push_back(static_cast<std::int32_t>(node));
    whole.maps.push_back(std::move(corners));
    for (std::size_t n = 0; n < side * side; ++n)
      right.push_back(std::sin(1.0 + static_cast<double>(n)));
  }
};

const Kernel& element() {
  static const Kernel kernel(
      "void element(const double *weight, double m[4][4]) {\n"
      "  for (int i = 0; i < 4; ++i)\n"
      "    for (int j = 0; j < 4; ++j) m[i][j] += (i == j ? 3.5 : -1.0) * weight[0]; }",
      "element");
  return kernel;
}

struct Objects {
  Set nodes, cells;
  Map corners;
  Dat x, b, weight;
  Mat mat;

  /// `part`: null for the whole mesh.
  Objects(Mesh& mesh, const Grid& grid, const PlainPart* part, DataLayout layout = DataLayout::aos)
      : nodes(set(mesh, "nodes", 0, grid, part)),
        cells(set(mesh, "cells", 1, grid, part)),
        corners(mesh.map("corners", cells, nodes, 4,
                         part == nullptr ? grid.whole.maps[0].values : part->maps[0])),
        x(mesh.dat<double>("x", nodes, 1, {}, layout)),
        b(mesh.dat<double>(
            "b", nodes, 1,
            part == nullptr ? grid.right : local_values(grid.right, part->sets[0], 1))),
        weight(mesh.dat<double>("weight", cells, 1)),
        mat(mesh.mat<double>("A", mesh.sparsity(corners, corners))) {
    // Copies of cells are stale when the matrix is assembled.
    par_loop(Kernel("void one(double *w) { *w = 1; }", "one"), cells, arg(weight, WRITE));
    par_loop(element(), cells, arg(weight, READ), arg(mat, corners, corners, INC));
  }
  static Set set(Mesh& mesh, const char* name, std::size_t number, const Grid& grid,
                 const PlainPart* part) {
    return part == nullptr ? mesh.set(name, grid.whole.sizes[number])
                           : mesh.set(name, SetPart(part->sets[number]));
  }
};

class SolveInParts : public ::testing::TestWithParam<std::tuple<int, Staging>> {};

TEST_P(SolveInParts, products_are_those_of_the_whole_matrix) {
  const auto [parts, staging] = GetParam();
  const Grid grid;
  std::vector<double> expected;
  {
    Mesh mesh(parts_runtime());
    Objects all(mesh, grid, nullptr);
    multiply(all.mat, all.b, all.x);
    multiply(all.mat, all.x, all.b);
    expected = read<double>(all.b);
  }
  std::mt19937 random(3);
  const PlainParts plain(grid.whole, random_owners(grid.whole, parts, random), parts);
  std::vector<double> found(expected.size());
  std::mutex mutex;
  in_parts(parts, [&, staging = staging, parts = parts](const auto& transport) {
    const PlainPart& part = plain[transport->rank()];
    PartMesh mesh(transport, staging);
    Objects mine(mesh, grid, &part);
    multiply(mine.mat, mine.b, mine.x);  // nothing is stale
    EXPECT_EQ(mesh.of("multiply A").halo.messages, 0u);
    multiply(mine.mat, mine.x, mine.b);
    const HaloTraffic halo = mesh.of("multiply A").halo;
    EXPECT_EQ(halo.exchanges, parts > 1 ? 1u : 0u);
    std::size_t bytes = 0;
    for (const auto& sent : transport->sent)
      if (sent.what == "halo of x before it is read") bytes += sent.bytes;
    EXPECT_EQ(halo.bytes, bytes);
    const std::lock_guard lock(mutex);
    collect_owned<double>(found, mine.b.read<double>(), part.sets[0], 1);
  });
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], 1e-12 * (1 + std::abs(expected[k])));
}

/// What a product that failed has begun is nothing to the next one.
TEST_P(SolveInParts, a_product_that_fails_leaves_nothing_to_the_next_one) {
  const auto [parts, staging] = GetParam();
  if (parts == 1) GTEST_SKIP() << "one part exchanges nothing";
  const Grid grid;
  std::mt19937 random(3);
  const PlainParts plain(grid.whole, random_owners(grid.whole, parts, random), parts);
  const auto post = std::make_shared<ThreadPost>(parts);
  const auto run = [&, staging = staging](int rank) {
    const auto transport = std::make_shared<FailingTransport>(post, rank);
    PartMesh mesh(transport, staging);
    Objects mine(mesh, grid, &plain[rank]);
    mine.x.fill(1.0);
    transport->fails = true;
    EXPECT_EQ(refused([&] { multiply(mine.mat, mine.x, mine.b); }, Errc::io), "no cable");
    mine.x.fill(2.0);
    multiply(mine.mat, mine.x, mine.b);
    const auto of_twos = mine.b.read<double>();
    const std::vector<double> found(of_twos.begin(), of_twos.end());
    mine.x.fill(1.0);
    multiply(mine.mat, mine.x, mine.b);
    const auto of_ones = mine.b.read<double>();
    for (std::size_t k = 0; k < mine.nodes.size(); ++k) EXPECT_EQ(found[k], 2 * of_ones[k]) << k;
  };
  std::vector<std::thread> others;
  for (int rank = 1; rank < parts; ++rank) others.emplace_back(run, rank);
  run(0);
  for (auto& other : others) other.join();
}

TEST_P(SolveInParts, solutions_take_as_many_iterations_and_one_sum_each) {
  const auto [parts, staging] = GetParam();
  const Grid grid;
  SolveOptions options;
  options.relative = 1e-11;
  SolveResult whole;
  std::vector<double> expected;
  {
    Mesh mesh(parts_runtime());
    Objects all(mesh, grid, nullptr);
    whole = solve(all.mat, all.x, all.b, options);
    expected = read<double>(all.x);
  }
  ASSERT_TRUE(whole.converged);
  std::mt19937 random(5);
  const PlainParts plain(grid.whole, random_owners(grid.whole, parts, random), parts);
  std::vector<double> found(expected.size());
  std::vector<SolveResult> results(static_cast<std::size_t>(parts));
  std::mutex mutex;
  in_parts(parts, [&, staging = staging, parts = parts](const auto& transport) {
    const PlainPart& part = plain[transport->rank()];
    PartMesh mesh(transport, staging);
    Objects mine(mesh, grid, &part);
    Solver solver(options);
    results[static_cast<std::size_t>(transport->rank())] = solver.solve(mine.mat, mine.x, mine.b);
    {
      const std::lock_guard lock(mutex);
      collect_owned<double>(found, mine.x.read<double>(), part.sets[0], 1);
    }
    // Again, now that all loops are known: the diagonal, the beginning, and one for each iteration.
    mine.x.zero();
    const std::size_t gathers = transport->gathers;
    const SolveResult again = solver.solve(mine.mat, mine.x, mine.b);
    EXPECT_EQ(transport->gathers - gathers, parts == 1 ? 0 : again.iterations + 2);
    EXPECT_EQ(again.residual, results[static_cast<std::size_t>(transport->rank())].residual);
  });
  for (const SolveResult& result : results) {
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.residual, results[0].residual);
    EXPECT_EQ(result.iterations, results[0].iterations);
    EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(whole.iterations), 1);
  }
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-9);
}

TEST_P(SolveInParts, boundary_conditions_are_those_of_the_whole) {
  const auto [parts, staging] = GetParam();
  const Grid grid;
  std::vector<std::int32_t> boundary;
  for (std::size_t i = 0; i < grid.side; ++i) boundary.push_back(static_cast<std::int32_t>(i));
  const auto solve_on = [&](Objects& objects, const std::vector<std::int32_t>& rows) {
    objects.x.fill(1.0);
    objects.x *= 2;  // copies are stale
    objects.mat.zero_rows_columns(rows, objects.x, objects.b);
    SolveOptions options;
    options.relative = 1e-11;
    return solve(objects.mat, objects.x, objects.b, options);
  };
  std::vector<double> expected;
  {
    Mesh mesh(parts_runtime());
    Objects all(mesh, grid, nullptr);
    ASSERT_TRUE(solve_on(all, boundary).converged);
    expected = read<double>(all.x);
  }
  std::mt19937 random(9);
  const PlainParts plain(grid.whole, random_owners(grid.whole, parts, random), parts);
  std::vector<double> found(expected.size());
  std::mutex mutex;
  in_parts(parts, [&, staging = staging](const auto& transport) {
    const PlainPart& part = plain[transport->rank()];
    PartMesh mesh(transport, staging);
    Objects mine(mesh, grid, &part);
    std::vector<std::int32_t> rows;
    for (std::size_t e = 0; e < part.sets[0].numbers.size(); ++e)
      if (part.sets[0].numbers[e] < static_cast<std::int64_t>(grid.side))
        rows.push_back(static_cast<std::int32_t>(e));
    EXPECT_TRUE(solve_on(mine, rows).converged);
    const std::lock_guard lock(mutex);
    collect_owned<double>(found, mine.x.read<double>(), part.sets[0], 1);
  });
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-9) << k;
}

INSTANTIATE_TEST_SUITE_P(Parts, SolveInParts,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(Staging::host, Staging::device)),
                         parts_name);

TEST(SolveOfParts, that_is_given_sums_is_refused) {
  const Grid grid;
  std::mt19937 random(5);
  const PlainParts plain(grid.whole, random_owners(grid.whole, 2, random), 2);
  in_parts(2, [&](const auto& transport) {
    PartMesh mesh(transport);
    Objects mine(mesh, grid, &plain[transport->rank()]);
    SolveOptions options;
    options.sum = [](std::span<double>) {};
    EXPECT_EQ(refused([&] { solve(mine.mat, mine.x, mine.b, options); }),
              "solve: SolveOptions::sum on a Mesh with a Transport, which adds up over all parts "
              "by itself, expected none");
  });
}

TEST(SolveOfParts, of_an_indefinite_matrix_ends_alike_and_leaves_x) {
  const Grid grid;
  std::mt19937 random(5);
  const PlainParts plain(grid.whole, random_owners(grid.whole, 3, random), 3);
  in_parts(3, [&](const auto& transport) {
    PartMesh mesh(transport);
    Objects mine(mesh, grid, &plain[transport->rank()]);
    const auto minus = [&](const Dat& from, const Dat& to) {
      from.copy(to);
      Dat(to) *= -1;
    };
    const SolveResult result = solve(Operator(minus), mine.x, mine.b);
    EXPECT_EQ(result.end, SolveResult::End::indefinite);
    EXPECT_EQ(result.iterations, 1u);
    for (std::size_t e = 0; e < mine.nodes.size(); ++e) EXPECT_EQ(mine.x.read<double>()[e], 0.0);
  });
}

}  // namespace
}  // namespace kiln::mesh::testing::distributed
