// A mesh in two parts with halos, each on a thread and a Mesh of its own: together they are the
// undivided mesh.
#include <stdexcept>
#include <thread>

#include "base/log.hpp"
#include "mesh/model/exchanges.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

/// A row of cells with nodes between them, cell c between nodes c and c + 1, dealt out to two
/// parts: part 0 owns the first half, node `middle` included.
struct Row {
  int cells = 0;
  int middle() const { return cells / 2; }  ///< first cell of part 1; last node of part 0
};

/// What a solver does with a row, or a part of one: nodes gather from cells, cells from nodes.
struct Solver {
  Solver(Mesh& mesh, const Set& cells, const Set& nodes, const Indices& corners,
         const std::vector<int>& cell_numbers, const std::vector<int>& node_numbers,
         DataLayout layout)
      : cells_(cells),
        nodes_(nodes),
        corners_(mesh.map("corners", cells, nodes, 2, corners)),
        u_(mesh.dat<int>("u", cells, 2, with_squares(cell_numbers), layout)),
        w_(mesh.dat<int>("w", cells, 1, cell_numbers)),
        f_(mesh.dat<int>("f", nodes, 2, {}, layout)),
        x_(mesh.dat<int>("x", nodes, 1, node_numbers)),
        sum_(mesh.global("sum", 0)) {}
  static std::vector<int> with_squares(const std::vector<int>& numbers) {
    std::vector<int> both;
    for (const int n : numbers) both.insert(both.end(), {n, n * n % 13});
    return both;
  }
  void step() {
    // nodes gain from the cells at their sides; halo cells are computed redundantly
    par_loop(scatter_, cells_, arg(u_, READ), arg(w_, READ), arg(f_, corners_[0], INC),
             arg(f_, corners_[1], INC));
    // cells look at their nodes, of which the outer ones may be others'
    par_loop(gather_, cells_, arg(f_, corners_, READ), arg(x_, corners_[1], READ), arg(u_, RW),
             arg(sum_, INC));
    par_loop(change_, nodes_, arg(f_, RW), arg(x_, RW));
  }
  Set cells_, nodes_;
  Map corners_;
  Dat u_, w_, f_, x_;
  Global sum_;
  Kernel scatter_{
      "void scatter(const int *u, const int *w, int *a, int *b) {\n"
      "  a[0] += u[0] + *w; b[0] += 2 * u[1]; a[1] += 1; b[1] += u[0] % 7; }",
      "scatter"};
  Kernel gather_{
      "void gather(int **f, const int *x, int *u, int *sum) {\n"
      "  u[0] = (u[0] + f[0][0] - f[1][1] + *x) % 1009; u[1] = (u[1] + f[1][0] + f[0][1]) % 1013;\n"
      "  *sum += u[0]; }",
      "gather"};
  Kernel change_{"void change(int *f, int *x) { f[0] %= 17; f[1] %= 19; *x += f[0]; }", "change"};
};

class HaloTest : public ::testing::TestWithParam<DataLayout> {
 protected:
  static constexpr int steps = 6;
};

TEST_P(HaloTest, two_parts_are_the_undivided_mesh) {
  const Row row{40};
  const int m = row.middle(), n = row.cells;
  // the whole
  std::vector<int> whole_u, whole_x;
  int whole_sum = 0;
  {
    Mesh mesh(quiet_options());
    Indices corners;
    for (int c = 0; c < n; ++c) corners.insert(corners.end(), {c, c + 1});
    Solver all(mesh, mesh.set("cells", static_cast<std::size_t>(n)),
               mesh.set("nodes", static_cast<std::size_t>(n + 1)), corners,
               counting<int>(static_cast<std::size_t>(n)),
               counting<int>(static_cast<std::size_t>(n + 1)), GetParam());
    for (int i = 0; i < steps; ++i) all.step();
    whole_u = read<int>(all.u_);
    whole_x = read<int>(all.x_);
    whole_sum = all.sum_.value<int>();
  }
  // Part 0 owns cells 0 … m-1 and nodes 0 … m; its exec halo is cell m, which adds to node m, and
  // needs node m+1. Part 1 owns cells m … n-1 and nodes m+1 … n; it reads node m, and has no
  // foreign cell that adds to its own nodes: m-1 touches m-1 and m.
  Channel to_1, to_0, cells_to_1, cells_to_0;
  std::vector<int> u0, x0, u1, x1;
  int sum0 = 0, sum1 = 0;
  std::vector<std::string> calls;
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  std::thread first([&] {
    Mesh mesh(quiet_options());
    auto nodes = std::make_shared<PairExchange>(to_1, to_0, std::vector<std::size_t>{size(m)});
    auto cells = std::make_shared<PairExchange>(cells_to_1, cells_to_0, std::vector<std::size_t>{});
    const Set cell_set = mesh.set("cells", {size(m), size(m), size(m + 1), size(m + 1)}, cells);
    const Set node_set = mesh.set("nodes", {size(m), size(m + 1), size(m + 1), size(m + 2)}, nodes);
    Indices corners;
    for (int c = 0; c <= m; ++c) corners.insert(corners.end(), {c, c + 1});
    Solver part(mesh, cell_set, node_set, corners, counting<int>(size(m + 1)),
                counting<int>(size(m + 2)), GetParam());
    for (int i = 0; i < steps; ++i) part.step();
    u0 = read<int>(part.u_);
    x0 = read<int>(part.x_);
    sum0 = part.sum_.value<int>();
    calls = nodes->calls;
    mesh.finish();
  });
  std::thread second([&] {
    Mesh mesh(quiet_options());
    auto nodes = std::make_shared<PairExchange>(to_0, to_1, std::vector<std::size_t>{0});
    // local cell k is m + k, but the first needs the halo: cores come first, so it goes last
    std::vector<int> cell_numbers, node_numbers = counting<int>(size(n - m), m + 1);
    for (int c = m + 1; c < n; ++c) cell_numbers.push_back(c);
    cell_numbers.push_back(m);
    node_numbers.push_back(m);
    Indices corners;
    for (const int c : cell_numbers)
      corners.insert(corners.end(), {c == m ? n - m : c - m - 1, c - m});
    // no copies of its own, but others have copies of its elements
    auto cells = std::make_shared<PairExchange>(cells_to_0, cells_to_1,
                                                std::vector<std::size_t>{size(n - m - 1)});
    const Set cell_set =
        mesh.set("cells", {size(n - m - 1), size(n - m), size(n - m), size(n - m)}, cells);
    const Set node_set =
        mesh.set("nodes", {size(n - m), size(n - m), size(n - m), size(n - m + 1)}, nodes);
    Solver part(mesh, cell_set, node_set, corners, cell_numbers, node_numbers, GetParam());
    for (int i = 0; i < steps; ++i) part.step();
    u1 = read<int>(part.u_);
    x1 = read<int>(part.x_);
    sum1 = part.sum_.value<int>();
    mesh.finish();
  });
  first.join();
  second.join();
  for (int c = 0; c < m; ++c) {
    ASSERT_EQ(u0[size(2 * c)], whole_u[size(2 * c)]) << c;
    ASSERT_EQ(u0[size(2 * c + 1)], whole_u[size(2 * c + 1)]) << c;
  }
  for (int k = 0; k < n - m; ++k) {
    const int c = k == n - m - 1 ? m : m + 1 + k;
    ASSERT_EQ(u1[size(2 * k)], whole_u[size(2 * c)]) << c;
    ASSERT_EQ(u1[size(2 * k + 1)], whole_u[size(2 * c + 1)]) << c;
  }
  for (int v = 0; v <= n; ++v)
    ASSERT_EQ(v <= m ? x0[size(v)] : x1[size(v - m - 1)], whole_x[size(v)]);
  EXPECT_EQ(sum0 + sum1, whole_sum);
  // f and x are exchanged together, once a step; f alone before x was ever changed
  EXPECT_EQ(calls.size(), static_cast<std::size_t>(2 * (2 * steps - 1)));
  EXPECT_EQ(calls[0], "begin f");
  EXPECT_EQ(calls[1], "end f");
  EXPECT_EQ((std::vector<std::string>(calls.begin() + 2, calls.begin() + 6)),
            (std::vector<std::string>{"begin f", "begin x", "end f", "end x"}));
}
INSTANTIATE_TEST_SUITE_P(Layouts, HaloTest, ::testing::Values(DataLayout::aos, DataLayout::soa),
                         [](const auto& one) {
                           return std::string(one.param == DataLayout::aos ? "aos" : "soa");
                         });

class StaleTest : public MeshTest {
 protected:
  std::shared_ptr<Noting> exchange = std::make_shared<Noting>();
  Set set = mesh.set("set", {2, 3, 4, 5}, exchange);
  Map self = mesh.map("self", set, set, 1, Indices{0, 1, 4, 3, 2});
  Dat x = zeros<int>("x", set), y = zeros<int>("y", set);
  Kernel copy{"void copy(const int *x, int *y) { *y = *x; }", "copy"};
  Kernel set_one{"void set_one(int *x) { *x = 1; }", "set_one"};
  Kernel add{"void add(int *x) { *x += 1; }", "add"};
};

TEST_F(StaleTest, a_halo_is_fresh_until_somebody_changes_the_dat) {
  EXPECT_FALSE(x.is_halo_stale());
  par_loop(copy, set, arg(x, self[0], READ), arg(y, WRITE));
  EXPECT_EQ(read<int>(y), list({0, 0, 0, 0, 0}));
  EXPECT_EQ(exchange->calls, "");
  EXPECT_FALSE(x.is_halo_stale());
  EXPECT_TRUE(y.is_halo_stale());
}

TEST_F(StaleTest, a_stale_halo_is_exchanged_once_before_it_is_read_through_a_map) {
  par_loop(set_one, set, arg(x, WRITE));
  EXPECT_TRUE(x.is_halo_stale());
  for (int i = 0; i < 3; ++i) par_loop(copy, set, arg(x, self[0], READ), arg(y, WRITE));
  EXPECT_EQ(read<int>(y), list({1, 1, 77, 0, 0}));
  EXPECT_EQ(exchange->calls, "begin x 1; end x; ");
  EXPECT_FALSE(x.is_halo_stale());
  EXPECT_EQ(read<int>(x), list({1, 1, 1, 77, 77}));
}

TEST_F(StaleTest, what_the_host_writes_makes_it_stale) {
  x.write<int>()[0] = 5;
  par_loop(copy, set, arg(x, self[0], READ), arg(y, WRITE));
  EXPECT_EQ(read<int>(y), list({5, 0, 77, 0, 0}));
  EXPECT_EQ(exchange->calls, "begin x 5; end x; ");
}

TEST_F(StaleTest, direct_loops_and_increments_need_no_exchange) {
  par_loop(set_one, set, arg(x, WRITE));
  par_loop(copy, set, arg(x, READ), arg(y, WRITE));
  par_loop(add, set, arg(y, self[0], INC));
  EXPECT_EQ(exchange->calls, "");
  // y[self[e]] for e < 4, the exec halo included
  EXPECT_EQ(read<int>(y), list({2, 2, 1, 1, 1}));
  EXPECT_EQ(exchange->calls, "");
}

TEST_F(StaleTest, what_the_exec_halo_reads_directly_is_exchanged) {
  par_loop(set_one, set, arg(x, WRITE));
  const Kernel scatter("void scatter(const int *x, int *y) { *y += *x; }", "scatter");
  par_loop(scatter, set, arg(x, READ), arg(y, self[0], INC));
  EXPECT_EQ(read<int>(y), list({1, 1, 0, 77, 1}));
  EXPECT_EQ(exchange->calls, "begin x 1; end x; ");
}

TEST_F(StaleTest, rw_through_a_map_is_exchanged_and_stale_again) {
  par_loop(set_one, set, arg(x, WRITE));
  par_loop(add, set, arg(x, self[0], RW));
  EXPECT_EQ(read<int>(x), list({2, 2, 1, 78, 78}));
  EXPECT_TRUE(x.is_halo_stale());
}

TEST_F(StaleTest, an_exchange_that_fails_to_begin_runs_nothing) {
  par_loop(set_one, set, arg(x, WRITE));
  mesh.finish();
  exchange->fails_in = 1;
  par_loop(copy, set, arg(x, self[0], READ), arg(y, WRITE));
  EXPECT_EQ(refusal([&] { mesh.finish(); }, Errc::io), "the wire is cut");
  EXPECT_EQ(read<int>(y), list({0, 0, 0, 0, 0}));
  EXPECT_TRUE(x.is_halo_stale());
  exchange->fails_in = 0;
  par_loop(copy, set, arg(x, self[0], READ), arg(y, WRITE));
  EXPECT_EQ(read<int>(y), list({1, 1, 77, 0, 0}));
}

TEST_F(StaleTest, an_exchange_that_fails_to_end_is_told) {
  par_loop(set_one, set, arg(x, WRITE));
  mesh.finish();
  exchange->fails_in = 2;
  par_loop(copy, set, arg(x, self[0], READ), arg(y, WRITE));
  EXPECT_EQ(refusal([&] { mesh.finish(); }, Errc::io), "the wire is cut");
  EXPECT_TRUE(x.is_halo_stale());
}

TEST_F(StaleTest, who_wants_to_read_the_halo_asks_for_it) {
  par_loop(set_one, set, arg(x, WRITE));
  x.exchange_halo();
  x.exchange_halo();
  EXPECT_EQ(read<int>(x), list({1, 1, 1, 77, 77}));
  EXPECT_EQ(exchange->calls, "begin x 1; end x; ");
}

TEST_F(StaleTest, by_hand_without_an_exchange) {
  const Set part = mesh.set("part", {1, 2, 2, 3});
  Dat z = zeros<int>("z", part);
  par_loop(set_one, part, arg(z, WRITE));
  EXPECT_TRUE(z.is_halo_stale());
  EXPECT_EQ(refusal([&] { z.exchange_halo(); }), "dat z: set part has no HaloExchange");
  z.write<int>()[2] = 9;
  z.halo_is_fresh();
  EXPECT_FALSE(z.is_halo_stale());
  EXPECT_EQ(read<int>(z), list({1, 1, 9}));
}

TEST_F(StaleTest, a_set_without_halo_is_never_stale) {
  const Set whole = mesh.set("whole", 3);
  const Dat z = zeros<int>("z", whole);
  par_loop(set_one, whole, arg(z, WRITE));
  EXPECT_FALSE(z.is_halo_stale());
}

TEST_F(StaleTest, loops_with_times_exchange_as_well) {
  Mesh::Options options = quiet_options();
  options.timing = true;
  Mesh timed(options);
  const Set s = timed.set("s", {2, 3, 4, 5}, exchange);
  const Map m = timed.map("m", s, s, 1, Indices{0, 1, 4, 3, 2});
  const Dat a = timed.dat<int>("a", s, 1), b = timed.dat<int>("b", s, 1);
  par_loop(set_one, s, arg(a, WRITE));
  par_loop(copy, s, arg(a, m[0], READ), arg(b, WRITE));
  EXPECT_EQ(read<int>(b), list({1, 1, 77, 0, 0}));
}

TEST_F(StaleTest, what_ran_before_an_exchange_failed_to_end_is_not_forgotten) {
  // Of this layout the host's copy is another one than the device's.
  const Dat z = zeros<int>("z", set, 2, DataLayout::soa);
  const Kernel both("void both(const int *x, int *z) { z[0] = *x; z[1] = 2; }", "both");
  par_loop(set_one, set, arg(x, WRITE));
  mesh.finish();
  EXPECT_FALSE(z.is_halo_stale());
  exchange->fails_in = 2;
  par_loop(both, set, arg(x, self[0], READ), arg(z, WRITE));
  EXPECT_EQ(refusal([&] { mesh.finish(); }, Errc::io), "the wire is cut");
  EXPECT_EQ(read<int>(z), list({1, 2, 1, 2, 0, 0, 0, 0, 0, 0}));  // the core
  EXPECT_TRUE(z.is_halo_stale());
}

/// Fails as a user's own code may.
class Failing : public HaloExchange {
 public:
  void begin(const HaloValues&) override { throw std::runtime_error("the user's own"); }
  void end(const HaloValues&) override {}
};

TEST(HaloFailure, in_the_end_of_a_mesh_is_logged) {
  std::string logged;
  set_log_sink([&](LogLevel, std::string_view line) { logged += line; });
  {
    auto mesh = std::make_unique<Mesh>(quiet_options());
    const Set set = mesh->set("set", {2, 3, 4, 5}, std::make_shared<Failing>());
    const Map self = mesh->map("self", set, set, 1, Indices{0, 1, 4, 3, 2});
    Dat x = mesh->dat<int>("x", set, 1), y = mesh->dat<int>("y", set, 1);
    x.write<int>()[0] = 1;
    par_loop(Kernel("void copy(const int *x, int *y) { *y = *x; }", "copy"), set,
             arg(x, self[0], READ), arg(y, WRITE));
    ASSERT_EQ(mesh->queued(), 1u);
    mesh.reset();
  }
  set_log_sink({});
  EXPECT_EQ(logged, "a Mesh's last loops: the user's own");
}

TEST(HaloFailure, in_a_log_that_fails_as_well_ends_nothing) {
  set_log_sink([](LogLevel, std::string_view) { throw 1; });
  {
    auto mesh = std::make_unique<Mesh>(quiet_options());
    const Set set = mesh->set("set", {2, 3, 4, 5}, std::make_shared<Failing>());
    const Map self = mesh->map("self", set, set, 1, Indices{0, 1, 4, 3, 2});
    Dat x = mesh->dat<int>("x", set, 1), y = mesh->dat<int>("y", set, 1);
    x.write<int>()[0] = 1;
    par_loop(Kernel("void copy(const int *x, int *y) { *y = *x; }", "copy"), set,
             arg(x, self[0], READ), arg(y, WRITE));
    mesh.reset();
  }
  set_log_sink({});
}

}  // namespace
}  // namespace kiln::mesh::testing
