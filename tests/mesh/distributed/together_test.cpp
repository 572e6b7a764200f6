// Loops on a mesh that was cut by Mesh::partition(); work that goes on while messages travel;
// searches and graphs on parts.
#include <cmath>
#include <cstdlib>

#include "kiln/mesh/graph.hpp"
#include "mesh/distributed/part_mesh.hpp"

namespace kiln::mesh::testing::distributed {
namespace {

constexpr std::int64_t cells_of_ring = 40;

/// A ring of cells with edges between neighbours, declared in blocks of rows and cut at random.
struct CutRing {
  Set cells, edges;
  Map ends;
  Dat a, c;
  CutRing(Mesh& mesh, int rank, int parts)
      : cells(mesh.set("cells", count(rank, parts))),
        edges(mesh.set("edges", count(rank, parts))),
        ends(map_of(mesh, rank, parts)),
        a(mesh.dat<double>("a", cells, 1, numbers(rank, parts))),
        c(mesh.dat<double>("c", cells, 1)) {
    std::vector<std::int32_t> owner;
    for (std::int64_t k = first(rank, parts); k < first(rank + 1, parts); ++k)
      owner.push_back(static_cast<std::int32_t>(k * k % 7 % parts));
    mesh.partition(owners(cells, owner));
  }
  static std::int64_t first(int rank, int parts) { return cells_of_ring * rank / parts; }
  static std::size_t count(int rank, int parts) {
    return static_cast<std::size_t>(first(rank + 1, parts) - first(rank, parts));
  }
  Map map_of(Mesh& mesh, int rank, int parts) const {
    std::vector<std::int64_t> values;
    for (std::int64_t e = first(rank, parts); e < first(rank + 1, parts); ++e) {
      values.push_back(e);
      values.push_back((e + 1) % cells_of_ring);
    }
    return mesh.map("ends", edges, cells, 2, values);
  }
  static std::vector<double> numbers(int rank, int parts) {
    return counting<double>(count(rank, parts), static_cast<double>(first(rank, parts)));
  }
};

const Kernel& meet() {
  static const Kernel kernel(
      "void meet(const double *a, const double *b, double *c, double *d) {\n"
      "  *c += *a + *b; *d += *a + *b; }",
      "meet");
  return kernel;
}
const Kernel& move() {
  static const Kernel kernel("void move(double *c, double *a) { *a = *c; *c = 0; }", "move");
  return kernel;
}

class LoopsAfterPartition : public ::testing::TestWithParam<std::tuple<int, Staging>> {};

TEST_P(LoopsAfterPartition, are_those_of_the_whole_mesh) {
  const auto [parts, staging] = GetParam();
  constexpr int steps = 4;
  std::vector<double> expected = counting<double>(cells_of_ring);
  for (int step = 0; step < steps; ++step) {
    std::vector<double> next(cells_of_ring);
    for (std::size_t e = 0; e < next.size(); ++e) {
      const std::size_t other = (e + 1) % next.size();
      next[e] += expected[e] + expected[other];
      next[other] += expected[e] + expected[other];
    }
    expected = next;
  }
  in_parts(parts, [&, parts = parts, staging = staging](const auto& transport) {
    PartMesh mesh(transport, staging);
    CutRing ring(mesh, transport->rank(), parts);
    for (int step = 0; step < steps; ++step) {
      par_loop(meet(), ring.edges, arg(ring.a, ring.ends[0], READ), arg(ring.a, ring.ends[1], READ),
               arg(ring.c, ring.ends[0], INC), arg(ring.c, ring.ends[1], INC));
      par_loop(move(), ring.cells, arg(ring.c, RW), arg(ring.a, WRITE));
    }
    const auto found = ring.a.template fetch<double>();
    const auto first = CutRing::first(transport->rank(), parts);
    ASSERT_EQ(found.size(), CutRing::count(transport->rank(), parts));
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_EQ(found[k], expected[static_cast<std::size_t>(first) + k]);
    EXPECT_EQ(mesh.of("meet").halo.exchanges, parts > 1 ? steps - 1 : 0);
  });
}

/// A search measures for a second or so, however short it is to be.
class SearchesAfterPartition : public LoopsAfterPartition {};

TEST_P(SearchesAfterPartition, are_by_each_part_alone) {
  const auto [parts, staging] = GetParam();
  in_parts(parts, [&, parts = parts, staging = staging](const auto& transport) {
    PartMesh mesh(transport, staging);
    CutRing ring(mesh, transport->rank(), parts);
    Global sum = mesh.global("sum", 1.0);
    const Kernel add("void add(const double *a, double *s) { *s += *a; }", "add");
    const auto step = [&] {
      par_loop(meet(), ring.edges, arg(ring.a, ring.ends[0], READ), arg(ring.a, ring.ends[1], READ),
               arg(ring.c, ring.ends[0], INC), arg(ring.c, ring.ends[1], INC));
      par_loop(move(), ring.cells, arg(ring.c, RW), arg(ring.a, WRITE));
      par_loop(add, ring.cells, arg(ring.a, READ), arg(sum, INC));
    };
    step();
    // One part stops sooner than another: they do not wait for each other.
    mesh.tune(0.001 * (1 + transport->rank()));
    step();
    // Each step makes the sum of all cells four times as large.
    EXPECT_EQ(sum.value<double>(), 1 + 780 * (4 + 16));
  });
}

INSTANTIATE_TEST_SUITE_P(Parts, LoopsAfterPartition,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(Staging::host, Staging::device)),
                         parts_name);

std::vector<std::tuple<int, Staging>> searched() {
  std::vector<std::tuple<int, Staging>> all;
  for (const int parts : {1, 2, 3, 4})
    for (const Staging staging : {Staging::host, Staging::device})
      if (std::getenv("KILN_LONG") != nullptr || (staging == Staging::host) == (parts % 2 == 1))
        all.emplace_back(parts, staging);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Parts, SearchesAfterPartition, ::testing::ValuesIn(searched()),
                         parts_name);

/// Looks, before it waits for messages, at what the device has done meanwhile.
class LookingTransport : public ThreadTransport {
 public:
  using ThreadTransport::ThreadTransport;
  void finish(std::string_view what) override {
    if (look) look();
    ThreadTransport::finish(what);
  }
  std::function<void()> look;
};

TEST(ExchangesOfParts, travel_while_the_core_is_computed) {
  const auto post = std::make_shared<ThreadPost>(2);
  const auto run = [&](int rank, Staging staging) {
    const auto transport = std::make_shared<LookingTransport>(post, rank);
    PartMesh mesh(transport, staging);
    // In two halves, so that there is a core.
    SetPart part{.global_size = 40, .sizes = {18, 20, 20, 22}};
    for (int k = 0; k < 20; ++k) part.numbers.push_back(20 * rank + k);
    part.numbers.insert(part.numbers.end(), {20 * (1 - rank), 20 * (1 - rank) + 1});
    part.neighbours = {{1 - rank, {0, 1}, {20, 21}}};
    const Set cells = mesh.set("cells", SetPart(part));
    Indices other = counting<std::int32_t>(18);
    other.insert(other.end(), {20, 21, 0, 0});
    const Map map = mesh.map("other", cells, cells, 1, other);
    const Dat a = mesh.dat<double>("a", cells, 1), b = mesh.dat<double>("b", cells, 1);
    const Kernel one("void one(double *x) { *x = 1; }", "one");
    const Kernel take("void take(const double *a, double *e) { *e = *a; }", "take");
    par_loop(one, cells, arg(a, WRITE));
    const double* values = b.read<double>().data();  // where the device works, too
    std::vector<double> seen;
    transport->look = [&] {
      clFinish(mesh.queue());
      seen.assign(values, values + 20);
    };
    par_loop(take, cells, arg(a, map[0], READ), arg(b, WRITE));
    mesh.finish();
    transport->look = {};
    ASSERT_EQ(seen.size(), 20u);
    for (std::size_t k = 0; k < 20; ++k) EXPECT_EQ(seen[k], k < 18 ? 1 : 0) << k;
    EXPECT_EQ(read<double>(b)[19], 1);
  };
  for (const Staging staging : {Staging::host, Staging::device}) {
    std::thread other([&] { run(1, staging); });
    run(0, staging);
    other.join();
  }
}

TEST(GraphsOfParts, are_refused) {
  for (const int parts : {1, 2})
    in_parts(parts, [&](const auto& transport) {
      PartMesh mesh(transport);
      CutRing ring(mesh, transport->rank(), parts);
      Graph graph(parts_runtime());
      const std::array arguments{arg(ring.c, RW), arg(ring.a, WRITE)};
      EXPECT_EQ(
          refused([&] { par_loop(graph, move(), ring.cells, arguments, {}); }, Errc::unsupported),
          "loop move of a graph: found halos to exchange, or a Transport, expected a Mesh that is "
          "not distributed");
    });
}

}  // namespace
}  // namespace kiln::mesh::testing::distributed
