// Products with matrices on parts of a distributed mesh: as loops over rows that read through a
// map.
#include <algorithm>
#include <thread>

#include "mesh/model/exchanges.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

const Parameters matrix_forms[] = {{{"FORM", 0}}, {{"FORM", 1}, {"GROUP", 8}, {"LANES", 4}}};

/// Four owned nodes in a row, the first two of which touch owned ones only, and a copy at the end.
class ProductHaloTest : public MeshTest {
 protected:
  std::shared_ptr<Noting> exchange = std::make_shared<Noting>();
  Set nodes = mesh.set("nodes", {2, 4, 4, 6}, exchange);
  Set edges = mesh.set("edges", {3, 3, 4, 4});
  Map ends = mesh.map("ends", edges, nodes, 2, Indices{0, 1, 1, 2, 2, 3, 3, 4});
  Mat mat = mesh.mat<double>("A", mesh.sparsity(ends, ends));
  Dat x = zeros<double>("x", nodes), y = zeros<double>("y", nodes);
  Kernel set_one{"void set_one(double *x) { *x = 1; }", "set_one"};

  /// All entries 1: a row sums itself and its neighbours.
  void fill() {
    for (double& value : mat.write<double>()) value = 1;
  }
};

TEST_F(ProductHaloTest, rows_that_need_no_halo_are_known) {
  EXPECT_EQ(Handles::state(mat.sparsity())->interior_rows(), 3u);
  const Map inner = mesh.map("inner", edges, nodes, 1, Indices{0, 1, 2, 3});
  EXPECT_EQ(Handles::state(mesh.sparsity(inner, inner))->interior_rows(), 4u);
  const Map first = mesh.map("first", edges, nodes, 2, Indices{0, 5, 1, 1, 2, 2, 3, 3});
  EXPECT_EQ(Handles::state(mesh.sparsity(first, first))->interior_rows(), 0u);
  // Columns of a set without a halo.
  EXPECT_EQ(
      Handles::state(mesh.sparsity(ends, mesh.map("self", edges, edges, 1, Indices{0, 1, 2, 2})))
          ->interior_rows(),
      4u);
}

TEST_F(ProductHaloTest, a_stale_halo_is_exchanged_once_before_it_is_read) {
  for (const auto& form : matrix_forms) {
    use_matrix_form(mesh, form);
    exchange->calls.clear();
    mat = mesh.mat<double>("A", mat.sparsity());
    fill();
    par_loop(set_one, nodes, arg(x, WRITE));
    EXPECT_TRUE(x.is_halo_stale());
    for (int i = 0; i < 3; ++i) multiply(mat, x, y);
    EXPECT_EQ(read<double>(y), list({2.0, 3.0, 3.0, 79.0, 0.0, 0.0}));
    EXPECT_EQ(exchange->calls, "begin x 1; end x; ");
    EXPECT_FALSE(x.is_halo_stale());
  }
}

TEST_F(ProductHaloTest, what_comes_of_it_is_stale_and_what_is_read_is_not) {
  fill();
  multiply(mat, x, y);
  EXPECT_EQ(exchange->calls, "");  // x was never changed
  EXPECT_FALSE(x.is_halo_stale());
  EXPECT_TRUE(y.is_halo_stale());
  multiply(mat, y, x);
  EXPECT_EQ(exchange->calls, "begin y 0; end y; ");
  EXPECT_FALSE(y.is_halo_stale());
  EXPECT_TRUE(x.is_halo_stale());
  EXPECT_EQ(read<double>(x), list({0.0, 0.0, 0.0, 77.0, 0.0, 0.0}));
}

TEST_F(ProductHaloTest, loops_behind_a_product_exchange_what_it_left) {
  fill();
  par_loop(set_one, nodes, arg(x, WRITE));
  multiply(mat, x, y);
  // None of these is core: all reach a copy.
  const Set outer = mesh.set("outer", {0, 3, 3, 3});
  const Dat z = zeros<double>("z", outer);
  const Kernel far("void far(const double *y, double *z) { *z = *y; }", "far");
  const Map to_copy = mesh.map("to copy", outer, nodes, 1, Indices{5, 5, 5});
  par_loop(far, outer, arg(y, to_copy[0], READ), arg(z, WRITE));
  EXPECT_EQ(read<double>(z), list({77.0, 77.0, 77.0}));
  EXPECT_EQ(exchange->calls, "begin x 1; end x; begin y 2; end y; ");
}

TEST_F(ProductHaloTest, products_that_add_read_owned_rows_alone_of_what_they_add_to) {
  fill();
  par_loop(set_one, nodes, arg(x, WRITE));
  par_loop(set_one, nodes, arg(y, WRITE));
  multiply_add(mat, x, y);
  EXPECT_EQ(read<double>(y), list({3.0, 4.0, 4.0, 80.0, 0.0, 0.0}));
  EXPECT_EQ(exchange->calls, "begin x 1; end x; ");
  EXPECT_TRUE(y.is_halo_stale());
}

TEST_F(ProductHaloTest, diagonals_are_of_owned_rows_and_need_no_exchange) {
  fill();
  y.write<double>()[4] = 9;
  mesh.finish();
  mat.diagonal(y);
  EXPECT_EQ(read<double>(y), list({1.0, 1.0, 1.0, 1.0, 9.0, 0.0}));
  EXPECT_TRUE(y.is_halo_stale());
  par_loop(set_one, nodes, arg(x, WRITE));
  x *= 5;
  mat.set_diagonal(x);
  EXPECT_EQ(exchange->calls, "");
  multiply(mat, x, y);
  EXPECT_EQ(read<double>(y), list({30.0, 35.0, 35.0, 107.0, 9.0, 0.0}));
}

TEST_F(ProductHaloTest, an_exchange_that_fails_to_begin_computes_nothing) {
  fill();
  par_loop(set_one, nodes, arg(x, WRITE));
  exchange->fails_in = 1;
  EXPECT_EQ(refusal([&] { multiply(mat, x, y); }, Errc::io), "the wire is cut");
  EXPECT_EQ(read<double>(y), list({0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
  EXPECT_TRUE(x.is_halo_stale());
  exchange->fails_in = 0;
  multiply(mat, x, y);
  EXPECT_EQ(read<double>(y), list({2.0, 3.0, 3.0, 79.0, 0.0, 0.0}));
}

TEST_F(ProductHaloTest, an_exchange_that_fails_to_end_is_told_and_leaves_the_report_whole) {
  Mesh::Options options = quiet_options();
  options.timing = true;
  Mesh timed(options);
  const Set some = timed.set("some", {2, 4, 4, 6}, exchange);
  const Map self =
      timed.map("self", timed.set("lines", 4), some, 2, Indices{0, 1, 1, 2, 2, 3, 3, 4});
  Mat a = timed.mat<double>("B", timed.sparsity(self, self));
  const Dat u = timed.dat<double>("u", some, 1), v = timed.dat<double>("v", some, 1);
  par_loop(set_one, some, arg(u, WRITE));
  exchange->fails_in = 2;
  EXPECT_EQ(refusal([&] { multiply(a, u, v); }, Errc::io), "the wire is cut");
  EXPECT_TRUE(u.is_halo_stale());
  exchange->fails_in = 0;
  multiply(a, u, v);
  const auto all = timed.report();
  const auto product = std::ranges::find(all, "multiply B", &LoopReport::name);
  ASSERT_NE(product, all.end());
  EXPECT_EQ(product->count, 1u);
  EXPECT_GT(product->seconds, 0);
}

/// A path of nodes in two parts, each on a thread and a Mesh of its own: x := A x, again and again.
TEST(ProductHalo, two_parts_are_the_undivided_matrix) {
  constexpr int n = 24, half = 12, steps = 5;
  const Kernel element(
      "void element(const double *w, double m[2][2]) {\n"
      "  m[0][0] += 2; m[1][1] += 1; m[0][1] -= w[0]; m[1][0] += w[0]; }",
      "element");
  // Integers stay exact. (With fmod() the trial of it in lanes takes most of a minute.)
  const Kernel reduce("void reduce(double *x) { x[0] -= 1009 * floor(x[0] / 1009); }", "reduce");
  const auto run = [&](Mesh& mesh, const Set& edges, const Set& nodes, const Indices& ends,
                       const std::vector<double>& weights, const std::vector<double>& start) {
    const Map map = mesh.map("ends", edges, nodes, 2, ends);
    const Dat w = mesh.dat<double>("w", edges, 1, weights),
              x = mesh.dat<double>("x", nodes, 1, start), y = mesh.dat<double>("y", nodes, 1);
    const Mat mat = mesh.mat<double>("A", mesh.sparsity(map, map));
    par_loop(element, edges, arg(w, READ), arg(mat, map, map, INC));
    for (int i = 0; i < steps; ++i) {
      multiply(mat, x, y);
      y.copy(x);
      par_loop(reduce, nodes, arg(x, RW));
    }
    const auto found = read<double>(x);
    mesh.finish();
    return found;
  };
  // Edge e between nodes e and e + 1, of weight e + 1; node i begins with i.
  std::vector<double> whole;
  {
    Mesh mesh(quiet_options());
    Indices ends;
    for (int e = 0; e + 1 < n; ++e) ends.insert(ends.end(), {e, e + 1});
    whole = run(mesh, mesh.set("edges", n - 1), mesh.set("nodes", n), ends,
                counting<double>(n - 1, 1.0), counting<double>(n));
  }
  // Each part owns 12 nodes, has a copy of its neighbour's next one, and adds the edge between
  // them redundantly. In part 1 the node at the border is the last: interior ones come first.
  Channel to_1, to_0;
  std::vector<double> found[2];
  const auto part = [&](int p) {
    Mesh mesh(quiet_options());
    const auto exchange =
        std::make_shared<PairExchange>(p == 0 ? to_1 : to_0, p == 0 ? to_0 : to_1,
                                       std::vector<std::size_t>{std::size_t{half} - 1});
    const Set nodes = mesh.set("nodes", {half - 1, half, half, half + 1}, exchange);
    const Set edges = mesh.set("edges", {half - 1, half - 1, half, half});
    // Local node i is i, or from the end.
    const auto local = [&](int node) { return p == 0 ? node : n - 1 - node; };
    Indices ends;
    std::vector<double> weights, start;
    for (int k = 0; k < half; ++k) {
      const int e = p == 0 ? k : n - 2 - k;
      ends.insert(ends.end(), {local(e), local(e + 1)});
      weights.push_back(e + 1);
    }
    for (int k = 0; k <= half; ++k) start.push_back(p == 0 ? k : n - 1 - k);
    found[p] = run(mesh, edges, nodes, ends, weights, start);
  };
  std::thread other([&] { part(1); });
  part(0);
  other.join();
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(i < half ? found[0][static_cast<std::size_t>(i)]
                       : found[1][static_cast<std::size_t>(n - 1 - i)],
              whole[static_cast<std::size_t>(i)])
        << i;
}

TEST_F(ProductHaloTest, rows_that_were_computed_before_an_exchange_failed_to_end_are_known) {
  fill();
  // Of this layout the host's copy is another one than the device's.
  const Map pairs = mesh.map("pairs", edges, nodes, 2, Indices{0, 1, 1, 2, 2, 3, 3, 4});
  const Mat wide = mesh.mat<double>("W", mesh.sparsity(pairs, pairs, 2, 1));
  for (double& value : Mat(wide).write<double>()) value = 1;
  const Dat z = zeros<double>("z", nodes, 2, DataLayout::soa);
  par_loop(set_one, nodes, arg(x, WRITE));
  exchange->fails_in = 2;
  EXPECT_EQ(refusal([&] { multiply(wide, x, z); }, Errc::io), "the wire is cut");
  EXPECT_EQ(read<double>(z)[2], 3.0);
  EXPECT_TRUE(z.is_halo_stale());
}

TEST_F(ProductHaloTest, boundary_conditions_take_copies_as_their_owners_have_them) {
  for (const auto& form : matrix_forms) {
    use_matrix_form(mesh, form);
    mat = mesh.mat<double>("A", mat.sparsity());
    fill();
    exchange->calls.clear();
    par_loop(set_one, nodes, arg(x, WRITE));
    const Dat b = zeros<double>("b", nodes);
    mat.zero_rows_columns(Indices{0, 4}, x, b, 3);
    // Node 1 is next to 0, which is to be 1, and 3 next to the copy, which is 77.
    EXPECT_EQ(read<double>(b), list({3.0, -1.0, 0.0, -77.0, 0.0, 0.0}));
    EXPECT_EQ(exchange->calls, "begin x 1; end x; ");
    EXPECT_TRUE(b.is_halo_stale());
    multiply(mat, x, y);
    EXPECT_EQ(read<double>(y), list({3.0, 2.0, 3.0, 2.0, 0.0, 0.0}));
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
