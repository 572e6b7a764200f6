// What loops over parts execute, read of others, and bring together; and that parts agree.
#include <cmath>
#include <limits>

#include "mesh/distributed/part_mesh.hpp"

namespace kiln::mesh::testing::distributed {
namespace {

/// A ring of cells with an edge between any two neighbours, which reads two nodes, and a far map
/// that nothing is written through.
struct Ring {
  enum SetNumber : std::size_t { cells, edges };
  enum MapNumber : std::size_t { ends, far };
  PlainMesh whole;
  explicit Ring(std::size_t size = 24) {
    whole.sizes = {size, size};
    PlainMap both{edges, cells, 2, {}}, across{edges, cells, 1, {}};
    for (std::size_t e = 0; e < size; ++e) {
      both.values.push_back(static_cast<std::int32_t>(e));
      both.values.push_back(static_cast<std::int32_t>((e + 1) % size));
      across.values.push_back(static_cast<std::int32_t>((e + size / 2) % size));
    }
    whole.maps = {both, across};
  }
  /// Cells in blocks, an edge with its first cell.
  Owners blocks(int parts) const {
    Owners owners(2);
    for (std::size_t set = 0; set < 2; ++set)
      for (std::size_t k = 0; k < whole.sizes[set]; ++k)
        owners[set].push_back(
            static_cast<int>(k * static_cast<std::size_t>(parts) / whole.sizes[set]));
    return owners;
  }
};

struct RingPart {
  Set cells, edges;
  Map ends, far;
  RingPart(Mesh& mesh, const PlainPart& part)
      : cells(mesh.set("cells", SetPart(part.sets[Ring::cells]))),
        edges(mesh.set("edges", SetPart(part.sets[Ring::edges]))),
        ends(mesh.map("ends", edges, cells, 2, part.maps[Ring::ends])),
        far(mesh.map("far", edges, cells, 1, part.maps[Ring::far])) {}
};

const Kernel& one() {
  static const Kernel kernel("void one(double *x) { *x = 1; }", "one");
  return kernel;
}
const Kernel& spread() {
  static const Kernel kernel(
      "void spread(const double *a, const double *b, double *c, double *d) {\n"
      "  *c += *a + *b; *d += *a + *b; }",
      "spread");
  return kernel;
}
const Kernel& take() {
  static const Kernel kernel("void take(const double *a, double *e) { *e = *a; }", "take");
  return kernel;
}

class LoopsInParts : public ::testing::TestWithParam<std::tuple<int, Staging>> {
 protected:
  int parts() const { return std::get<0>(GetParam()); }
  Staging staging() const { return std::get<1>(GetParam()); }
  void on_ring(const std::function<void(const std::shared_ptr<ThreadTransport>&, PartMesh&,
                                        const PlainPart&, RingPart&)>& run) const {
    const Ring ring;
    const PlainParts plain(ring.whole, ring.blocks(parts()), parts());
    in_parts(parts(), [&](const auto& transport) {
      PartMesh mesh(transport, staging());
      const PlainPart& part = plain[transport->rank()];
      RingPart objects(mesh, part);
      run(transport, mesh, part, objects);
      mesh.finish();
    });
  }
};

TEST_P(LoopsInParts, execute_what_their_own_written_maps_need_and_no_more) {
  on_ring([&](const auto&, PartMesh& mesh, const PlainPart&, RingPart& ring) {
    const Dat a = mesh.dat<double>("a", ring.cells, 1), c = mesh.dat<double>("c", ring.cells, 1);
    const Dat e = mesh.dat<double>("e", ring.edges, 1);
    par_loop(spread(), ring.edges, arg(a, ring.ends[0], READ), arg(a, ring.ends[1], READ),
             arg(c, ring.ends[0], INC), arg(c, ring.ends[1], INC));
    par_loop(take(), ring.edges, arg(a, ring.far[0], READ), arg(e, WRITE));
    // One edge reaches into a part from each side: the owner of the cell before it has it.
    EXPECT_EQ(mesh.of("spread").redundant, parts() > 1 ? 1u : 0u);
    EXPECT_EQ(mesh.of("take").redundant, 0u);
    // The exec halo of all maps together is larger.
    if (parts() > 1) {
      EXPECT_GT(ring.edges.exec_size() - ring.edges.size(), 1u);
    }
  });
}

TEST_P(LoopsInParts, exchange_what_is_stale_and_only_the_elements_that_they_read) {
  on_ring([&](const auto& transport, PartMesh& mesh, const PlainPart&, RingPart& ring) {
    Dat a = mesh.dat<double>("a", ring.cells, 1), c = mesh.dat<double>("c", ring.cells, 1);
    const Dat e = mesh.dat<double>("e", ring.edges, 1);
    const auto near = [&] {
      par_loop(spread(), ring.edges, arg(a, ring.ends[0], READ), arg(a, ring.ends[1], READ),
               arg(c, ring.ends[0], INC), arg(c, ring.ends[1], INC));
    };
    const auto far = [&] {
      par_loop(take(), ring.edges, arg(a, ring.far[0], READ), arg(e, WRITE));
    };
    near();
    far();
    mesh.finish();
    EXPECT_EQ(transport->sent.size(), 0u);  // nothing was ever changed
    par_loop(one(), ring.cells, arg(a, WRITE));
    EXPECT_EQ(a.is_halo_stale(), parts() > 1);
    near();
    near();
    mesh.finish();
    if (parts() == 1) return;
    // Its two neighbours have a copy each: of its first cell, which the edge before needs, and of
    // the last one, which the edge after it needs.
    std::size_t bytes = 0;
    for (const auto& sent : transport->sent) bytes += sent.bytes;
    EXPECT_EQ(bytes, 2 * sizeof(double));
    EXPECT_EQ(transport->sent.size(), parts() == 2 ? 1u : 2u);
    EXPECT_EQ(mesh.of("spread").halo.exchanges, 1u);
    transport->sent.clear();
    far();  // other elements, which are stale still
    mesh.finish();
    EXPECT_EQ(mesh.of("take").halo.exchanges, 1u);
    EXPECT_GT(mesh.of("take").halo.bytes, 2 * sizeof(double));
    transport->sent.clear();
    far();
    near();
    a.exchange_halo();  // all of it, where it is not known to be there
    transport->sent.clear();
    EXPECT_FALSE(a.is_halo_stale());
    far();
    near();
    mesh.finish();
    EXPECT_EQ(transport->sent.size(), 0u);
    for (const double value : e.read<double>().first(ring.edges.size())) EXPECT_EQ(value, 1);
  });
}

TEST_P(LoopsInParts, find_what_a_larger_exchange_brought) {
  on_ring([&](const auto& transport, PartMesh& mesh, const PlainPart&, RingPart& ring) {
    const Dat a = mesh.dat<double>("a", ring.cells, 1), e = mesh.dat<double>("e", ring.edges, 1);
    const Dat c = mesh.dat<double>("c", ring.cells, 1);
    const Kernel all(
        "void all(const double *a, const double *b, const double *f, double *e) {\n"
        "  *e = *a + *b + *f; }",
        "all");
    const auto large = [&] {
      par_loop(all, ring.edges, arg(a, ring.ends[0], READ), arg(a, ring.ends[1], READ),
               arg(a, ring.far[0], READ), arg(e, WRITE));
    };
    const auto small = [&] {
      par_loop(take(), ring.edges, arg(a, ring.far[0], READ), arg(e, WRITE));
    };
    large();
    small();
    par_loop(one(), ring.cells, arg(a, WRITE));
    large();
    mesh.finish();
    transport->sent.clear();
    small();
    mesh.finish();
    EXPECT_EQ(transport->sent.size(), 0u);
    for (const double value : e.read<double>().first(ring.edges.size())) EXPECT_EQ(value, 1);
  });
}

TEST_P(LoopsInParts, put_all_stale_dats_of_any_type_and_layout_into_one_message) {
  on_ring([&](const auto& transport, PartMesh& mesh, const PlainPart& part, RingPart& ring) {
    const auto& numbers = part.sets[Ring::cells].numbers;
    const auto dat = [&]<class T>(const char* name, std::size_t dim, DataLayout layout, T) {
      Dat made = mesh.dat<T>(name, ring.cells, dim, {}, layout);
      auto values = made.template write<T>();
      for (std::size_t e = 0; e < ring.cells.size(); ++e)
        for (std::size_t k = 0; k < dim; ++k)
          values[e * dim + k] = static_cast<T>(3 * numbers[e] + static_cast<std::int64_t>(k));
      return made;
    };
    const Dat a = dat("a", 3, DataLayout::aos, std::int8_t{}),
              b = dat("b", 2, DataLayout::soa, double{}),
              c = dat("c", 1, DataLayout::aos, std::uint16_t{}),
              d = dat("d", 3, DataLayout::soa, float{});
    const Dat e = mesh.dat<std::int64_t>("e", ring.edges, 9);
    const Kernel gather(
        "void gather(const char *a, const double *b, const unsigned short *c, const float *d,\n"
        "            long *e) {\n"
        "  for (int k = 0; k < 3; ++k) e[k] = a[k];\n"
        "  for (int k = 0; k < 2; ++k) e[3 + k] = (long)b[k];\n"
        "  e[5] = c[0];\n  for (int k = 0; k < 3; ++k) e[6 + k] = (long)d[k]; }",
        "gather");
    transport->sent.clear();
    par_loop(gather, ring.edges, arg(a, ring.far[0], READ), arg(b, ring.far[0], READ),
             arg(c, ring.far[0], READ), arg(d, ring.far[0], READ), arg(e, WRITE));
    const auto found = e.read<std::int64_t>();
    for (std::size_t k = 0; k < ring.edges.size(); ++k) {
      const std::int64_t cell = (part.sets[Ring::edges].numbers[k] + 12) % 24;
      const std::vector<std::int64_t> expected{3 * cell, 3 * cell + 1, 3 * cell + 2,
                                               3 * cell, 3 * cell + 1, 3 * cell,
                                               3 * cell, 3 * cell + 1, 3 * cell + 2};
      EXPECT_EQ(std::vector<std::int64_t>(found.begin() + static_cast<std::ptrdiff_t>(9 * k),
                                          found.begin() + static_cast<std::ptrdiff_t>(9 * k + 9)),
                expected);
    }
    std::set<int> ranks;
    for (const auto& sent : transport->sent) {
      EXPECT_TRUE(ranks.insert(sent.to).second) << "two messages to part " << sent.to;
      EXPECT_EQ(sent.bytes % (3 + 16 + 2 + 12), 0u);
    }
  });
}

TEST_P(LoopsInParts, leave_copies_that_show_where_they_are_stale) {
  if (parts() == 1) GTEST_SKIP() << "there are no copies";
  on_ring([&](const auto&, PartMesh& mesh, const PlainPart&, RingPart& ring) {
    const Dat a = mesh.dat<double>("a", ring.cells, 1), b = mesh.dat<double>("b", ring.cells, 1);
    const Dat i = mesh.dat<int>("i", ring.cells, 1), k = mesh.dat<int>("k", ring.cells, 1);
    par_loop(one(), ring.cells, arg(a, WRITE));
    par_loop(Kernel("void seven(int *x) { *x = 7; }", "seven"), ring.cells, arg(i, WRITE));
    // Read of owned elements alone, so that nothing is exchanged.
    par_loop(take(), ring.cells, arg(a, READ), arg(b, WRITE));
    par_loop(Kernel("void copy(const int *x, int *y) { *y = *x; }", "copy"), ring.cells,
             arg(i, READ), arg(k, WRITE));
    mesh.finish();
    const auto values = a.read<double>();
    const auto integers = i.read<int>();
    for (std::size_t e = 0; e < ring.cells.total_size(); ++e) {
      const bool is_owned = e < ring.cells.size();
      EXPECT_EQ(std::isnan(values[e]), !is_owned) << e;
      EXPECT_EQ(integers[e], is_owned ? 7 : 0x5A5A5A5A) << e;
    }
  });
}

TEST_P(LoopsInParts, bring_globals_together_when_they_are_asked_for) {
  on_ring([&](const auto& transport, PartMesh& mesh, const PlainPart& part, RingPart& ring) {
    std::vector<double> values;
    for (const std::int64_t number : part.sets[Ring::cells].numbers)
      values.push_back(0.1 + static_cast<double>(number));
    const Dat a = mesh.dat<double>("a", ring.cells, 1, values);
    Global sum = mesh.global("sum", 5.0), least = mesh.global("least", 3.5),
           most = mesh.global("most", -1.0);
    Global count = mesh.global("count", std::int8_t{100});
    const Kernel reduce(
        "void reduce(const double *a, double *sum, double *least, double *most, char *count) {\n"
        "  *sum += *a; *least = fmin(*least, *a); *most = fmax(*most, *a); *count += 1; }",
        "reduce");
    const auto run = [&] {
      par_loop(reduce, ring.cells, arg(a, READ), arg(sum, INC), arg(least, MIN), arg(most, MAX),
               arg(count, INC));
    };
    run();
    run();
    mesh.finish();
    const std::size_t gathers = transport->gathers;
    const double all = 24 * 0.1 + 23 * 24 / 2.0;
    EXPECT_NEAR(sum.value<double>(), 5 + 2 * all, 1e-11);
    // All at once.
    EXPECT_EQ(least.value<double>(), 0.1);
    EXPECT_EQ(most.value<double>(), 23.1);
    EXPECT_EQ(count.value<std::int8_t>(), static_cast<std::int8_t>(148));
    EXPECT_LE(transport->gathers, gathers + 2);  // more than fits the first message
    run();
    EXPECT_NEAR(sum.value<double>(), 5 + 3 * all, 1e-11);
    sum.set(0.0);
    run();
    EXPECT_NEAR(sum.value<double>(), all, 1e-11);
    // What a loop reads is that of all parts; what it adds to then begins anew.
    const Dat b = mesh.dat<double>("b", ring.cells, 1);
    run();
    par_loop(take(), ring.cells, arg(sum, READ), arg(b, WRITE));
    run();
    for (const double value : b.read<double>().first(ring.cells.size()))
      EXPECT_NEAR(value, 2 * all, 1e-11);
    EXPECT_NEAR(sum.value<double>(), 3 * all, 1e-11);
    // From one way to another.
    least.set(1000.0);
    run();
    par_loop(Kernel("void add(double *x) { *x += 1; }", "add"), ring.cells, arg(least, INC));
    EXPECT_NEAR(least.value<double>(), 24.1, 1e-12);
    EXPECT_NEAR(
        a.inner(a),
        [] {
          double squares = 0;
          for (int k = 0; k < 24; ++k) squares += (k + 0.1) * (k + 0.1);
          return squares;
        }(),
        1e-9);
    EXPECT_NEAR(a.norm() * a.norm(), a.inner(a), 1e-9);
  });
}

TEST_P(LoopsInParts, tell_all_parts_of_a_nan_that_one_met) {
  on_ring([&](const auto&, PartMesh& mesh, const PlainPart& part, RingPart& ring) {
    std::vector<double> values;
    for (const std::int64_t number : part.sets[Ring::cells].numbers)
      values.push_back(number == 7 ? std::numeric_limits<double>::quiet_NaN() : 1.0);
    const Dat a = mesh.dat<double>("a", ring.cells, 1, values);
    const Global most = mesh.global("most", 0.0);
    par_loop(
        Kernel("void most(const double *a, double *m) { *m = *a > *m || isnan(*a) ? *a : *m; }",
               "most"),
        ring.cells, arg(a, READ), arg(most, MAX));
    EXPECT_EQ(refused([&] { most.value<double>(); }), "global most: MIN or MAX met a NaN");
  });
}

TEST_P(LoopsInParts, over_columns_read_and_add_above_each_other) {
  // Columns of cells over the ring's edges; nodes are lines over its cells, `layers` of them.
  constexpr std::size_t layers = 4;
  const Ring ring;
  const PlainParts plain(ring.whole, ring.blocks(parts()), parts());
  in_parts(parts(), [&](const auto& transport) {
    PartMesh mesh(transport, staging());
    const PlainPart& part = plain[transport->rank()];
    // A line's nodes have numbers one behind the other.
    const SetPart& lines = part.sets[Ring::cells];
    SetPart nodes;
    nodes.global_size = lines.global_size * static_cast<std::int64_t>(layers);
    const auto each = [&](auto& to, const auto& from) {
      for (const auto one : from)
        for (std::size_t layer = 0; layer < layers; ++layer)
          to.push_back(static_cast<std::int32_t>(layers) * one + static_cast<std::int32_t>(layer));
    };
    for (std::size_t k = 0; k < 4; ++k) nodes.sizes[k] = layers * lines.sizes[k];
    for (const std::int64_t line : lines.numbers)
      for (std::size_t layer = 0; layer < layers; ++layer)
        nodes.numbers.push_back(line * static_cast<std::int64_t>(layers) +
                                static_cast<std::int64_t>(layer));
    for (const HaloNeighbour& line : lines.neighbours) {
      auto& made = nodes.neighbours.emplace_back(HaloNeighbour{line.rank, {}, {}});
      each(made.exports, line.exports);
      each(made.imports, line.imports);
    }
    for (const std::uint64_t bits : lines.exec_maps)
      nodes.exec_maps.insert(nodes.exec_maps.end(), layers, bits);
    std::vector<std::int32_t> lowest;
    for (const std::int32_t line : part.maps[Ring::ends])
      lowest.push_back(static_cast<std::int32_t>(layers) * line);
    const Set on_nodes = mesh.set("nodes", SetPart(nodes));
    const Set base = mesh.set("base", SetPart(part.sets[Ring::edges]));
    const Map ends = mesh.map("ends", base, on_nodes, 2, lowest, Indices{1, 1});
    std::vector<double> values;
    for (const std::int64_t number : nodes.numbers) values.push_back(static_cast<double>(number));
    Dat a = mesh.dat<double>("a", on_nodes, 1, values), c = mesh.dat<double>("c", on_nodes, 1);
    a.write<double>();
    par_loop(spread(), base.extruded(layers), arg(a, ends[0], READ), arg(a, ends[1], READ),
             arg(c, ends[0], INC), arg(c, ends[1], INC));
    const auto found = c.read<double>();
    for (std::size_t n = 0; n < nodes.sizes[1]; ++n) {
      const std::int64_t line = nodes.numbers[n] / static_cast<std::int64_t>(layers),
                         layer = nodes.numbers[n] % static_cast<std::int64_t>(layers);
      // The edges on both sides, each where there is a cell above this level.
      const auto at = [&](std::int64_t of) {
        return static_cast<double>((of + 24) % 24 * static_cast<std::int64_t>(layers) + layer);
      };
      const double expected = layer + 1 < static_cast<std::int64_t>(layers)
                                  ? 2 * at(line) + at(line - 1) + at(line + 1)
                                  : 0;
      EXPECT_EQ(found[n], expected) << nodes.numbers[n];
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Parts, LoopsInParts,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(Staging::host, Staging::device)),
                         parts_name);

/// Does not look at what is waited for, as MPI does not.
class PlainTransport : public ThreadTransport {
 public:
  using ThreadTransport::ThreadTransport;
  void gather(std::span<const std::byte> mine, std::span<std::byte> all,
              std::string_view) override {
    ThreadTransport::gather(mine, all, "something");
  }
};

/// What each of two parts is told where they do not do the same.
std::string told(const std::function<void(int rank, PartMesh& mesh, RingPart& ring)>& run) {
  const Ring ring;
  const PlainParts plain(ring.whole, ring.blocks(2), 2);
  const auto post = std::make_shared<ThreadPost>(2);
  std::vector<std::string> said(2);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      PartMesh mesh(std::make_shared<PlainTransport>(post, rank));
      RingPart objects(mesh, plain[rank]);
      said[static_cast<std::size_t>(rank)] = refused([&] { run(rank, mesh, objects); });
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(said[0], said[1]);
  return said[0];
}

TEST(PartsThatDiffer, are_told_which_loops_they_are_at) {
  EXPECT_EQ(told([](int rank, PartMesh& mesh, RingPart& ring) {
              const Dat a = mesh.dat<double>("a", ring.cells, 1);
              const Dat e = mesh.dat<double>("e", ring.edges, 1);
              if (rank == 0) par_loop(one(), ring.cells, arg(a, WRITE));
              par_loop(take(), ring.edges, arg(a, ring.far[0], READ), arg(e, WRITE));
            }),
            "parts of a mesh differ: rank 0 is at loop one over cells, rank 1 at loop take over "
            "edges, expected the same calls in the same order");
}

TEST(PartsThatDiffer, in_a_loops_arguments_are_told) {
  EXPECT_EQ(told([](int rank, PartMesh& mesh, RingPart& ring) {
              const Dat a = mesh.dat<double>("a", ring.cells, 1);
              const Dat e = mesh.dat<double>("e", ring.edges, 1);
              par_loop(take(), ring.edges, arg(a, ring.ends[rank], READ), arg(e, WRITE));
            }),
            "parts of a mesh differ: rank 0 and rank 1 are at loop take over edges, with different "
            "arguments, expected the same calls in the same order");
}

TEST(PartsThatDiffer, in_what_they_ask_for_are_told) {
  EXPECT_EQ(told([](int rank, PartMesh& mesh, RingPart& ring) {
              const Dat a = mesh.dat<double>("a", ring.cells, 1);
              const Global sum = mesh.global("sum", 0.0);
              par_loop(Kernel("void add(const double *a, double *s) { *s += *a; }", "add"),
                       ring.cells, arg(a, READ), arg(sum, INC));
              if (rank == 0) sum.value<double>();
              if (rank == 1) par_loop(one(), ring.cells, arg(a, WRITE));
            }),
            "parts of a mesh differ: rank 0 is at global sum, rank 1 at loop one over cells, "
            "expected the same calls in the same order");
}

TEST(SetPart, that_contradicts_itself_is_refused) {
  in_parts(1, [](const auto& transport) {
    PartMesh mesh(transport);
    SetPart part{.global_size = 3, .sizes = {2, 2, 2, 3}, .numbers = {0, 1, 2}};
    EXPECT_EQ(refused([&] { mesh.set("s", SetPart(part)); }),
              "set s: 0 imports of a halo of 1 elements, expected each of them once");
    part.neighbours = {{1, {}, {2}}};
    EXPECT_EQ(refused([&] { mesh.set("s", SetPart(part)); }),
              "set s: neighbour 1 after -1, expected rising ranks below 1 other than 0");
    part.numbers[1] = 3;
    EXPECT_EQ(refused([&] { mesh.set("s", SetPart(part)); }),
              "set s: global number 3, expected 0 to 2");
    part.numbers.pop_back();
    EXPECT_EQ(refused([&] { mesh.set("s", SetPart(part)); }),
              "set s: 2 global numbers, expected 3, one for each element");
    Mesh alone(quiet_options());
    EXPECT_EQ(refused([&] { alone.set("s", SetPart(part)); }),
              "set s: a part of it, expected a Mesh with a Transport");
  });
}

}  // namespace
}  // namespace kiln::mesh::testing::distributed
