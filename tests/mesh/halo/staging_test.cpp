// Halos of devices with memory of their own: what crosses the bus, from where, and in which order.
#include <random>

#include "device/transfer.hpp"
#include "mesh/distributed/part_mesh.hpp"

namespace kiln::mesh::testing::distributed {
namespace {

/// Cells, and edges between two random ones, with a third one that they only read.
struct Web {
  enum SetNumber : std::size_t { cells, edges };
  enum MapNumber : std::size_t { ends, far };
  PlainMesh whole;
  Owners owners;

  Web(unsigned seed, int parts) {
    std::mt19937 random(seed);
    whole.sizes = {40 + random() % 40, 90 + random() % 60};
    PlainMap both{edges, cells, 2, {}}, third{edges, cells, 1, {}};
    const auto cell = [&] { return static_cast<std::int32_t>(random() % whole.sizes[cells]); };
    for (std::size_t e = 0; e < whole.sizes[edges]; ++e) {
      both.values.push_back(cell());
      both.values.push_back(cell());
      third.values.push_back(cell());
    }
    whole.maps = {both, third};
    owners = random_owners(whole, parts, random);
  }
  std::size_t target(MapNumber map, std::size_t edge, std::size_t component = 0) const {
    return static_cast<std::size_t>(
        whole.maps[map].values[edge * whole.maps[map].arity + component]);
  }
};

struct WebPart {
  Set cells, edges;
  Map ends, far;
  WebPart(Mesh& mesh, const PlainPart& part)
      : cells(mesh.set("cells", SetPart(part.sets[Web::cells]))),
        edges(mesh.set("edges", SetPart(part.sets[Web::edges]))),
        ends(mesh.map("ends", edges, cells, 2, part.maps[Web::ends])),
        far(mesh.map("far", edges, cells, 1, part.maps[Web::far])) {}
};

/// All parts have come here.
void meet(Transport& transport) {
  std::vector<std::byte> all(static_cast<std::size_t>(transport.size()));
  transport.gather(std::vector<std::byte>(1), all, "meeting");
}

TEST(HaloStaging, brings_exported_and_imported_rows_over_the_bus_and_no_more) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const int parts = 2 + static_cast<int>(seed % 3);
    const Web web(seed, parts);
    const PlainParts plain(web.whole, web.owners, parts);
    // Each part gets a copy of each cell of others that one of its edges reads.
    std::set<std::pair<int, std::size_t>> copies;
    for (std::size_t e = 0; e < web.whole.sizes[Web::edges]; ++e) {
      const std::size_t cell = web.target(Web::far, e);
      if (plain.owner(Web::edges, static_cast<std::int64_t>(e)) != web.owners[Web::cells][cell])
        copies.emplace(web.owners[Web::edges][e], cell);
    }
    constexpr std::size_t row = 3 * sizeof(double) + 2 * sizeof(int), runs = 3;
    TransferTotals before;
    in_parts(parts, [&](const auto& transport) {
      // Dats are checked by the host with Options::check, which brings all of them there.
      Mesh mesh(parts_runtime(), transport);
      Handles::session(mesh)->stages_halos = true;
      WebPart at(mesh, plain[transport->rank()]);
      const Dat a = mesh.dat<double>("a", at.cells, 3, {}, DataLayout::soa),
                b = mesh.dat<int>("b", at.cells, 2), c = mesh.dat<double>("c", at.edges, 1);
      const Kernel change("void change(double *a, int *b) { a[0] += 1; a[2] += 2; b[1] += 3; }",
                          "change");
      const Kernel use(
          "void use(const double *a, const int *b, double *c) { *c = a[0] + a[2] + b[1]; }", "use");
      const auto run = [&] {
        par_loop(change, at.cells, arg(a, RW), arg(b, RW));
        par_loop(use, at.edges, arg(a, at.far[0], READ), arg(b, at.far[0], READ), arg(c, WRITE));
        mesh.finish();
      };
      run();
      meet(*transport);
      if (transport->rank() == 0) before = transfer_totals();
      meet(*transport);
      for (std::size_t k = 0; k < runs; ++k) run();
      meet(*transport);
      if (transport->rank() == 0) {
        const auto after = transfer_totals();
        EXPECT_EQ(after.to_host - before.to_host, runs * row * copies.size()) << "seed " << seed;
        EXPECT_EQ(after.to_devices - before.to_devices, runs * row * copies.size())
            << "seed " << seed;
      }
      meet(*transport);
      for (const double value : c.read<double>().first(at.edges.size())) EXPECT_EQ(value, 24);
    });
  }
}

/// What loops over the web come to, on the whole mesh.
struct WebValues {
  std::vector<double> a, sums;
  std::vector<float> b;
  std::vector<int> c;
  std::int64_t total = 0;

  explicit WebValues(const Web& web)
      : a(web.whole.sizes[Web::cells]), sums(a.size()), b(3 * a.size()), c(2 * a.size()) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      a[k] = static_cast<double>(k % 11);
      for (std::size_t i = 0; i < 3; ++i) b[3 * k + i] = static_cast<float>((k + i) % 7);
      for (std::size_t i = 0; i < 2; ++i) c[2 * k + i] = static_cast<int>((k + i) % 5);
    }
  }
  void change(unsigned which) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      if ((which & 1) != 0) a[k] += 1;
      if ((which & 2) != 0)
        for (std::size_t i = 0; i < 3; ++i) b[3 * k + i] += static_cast<float>(i + 1);
      if ((which & 4) != 0)
        for (std::size_t i = 0; i < 2; ++i) c[2 * k + i] += static_cast<int>(k % 3);
    }
  }
  void spread(const Web& web, std::size_t stride) {
    for (std::size_t e = 0; e < web.whole.sizes[Web::edges]; e += stride) {
      const std::size_t far = web.target(Web::far, e);
      for (std::size_t end = 0; end < 2; ++end) {
        const std::size_t other = web.target(Web::ends, e, 1 - end);
        sums[web.target(Web::ends, e, end)] +=
            a[other] + static_cast<double>(b[3 * far + 2]) + c[2 * other + 1];
      }
      total += c[2 * far];
    }
  }
};

class HaloStagingOrder : public ::testing::TestWithParam<std::tuple<int, Staging>> {};

/// Rounds in which any of three Dats of other types and layouts become stale, so that exchanges of
/// all sorts follow one another in the same memory and nothing waits for the device between them.
TEST_P(HaloStagingOrder, of_exchanges_in_the_same_memory_is_that_of_the_loops) {
  const auto [parts, staging] = GetParam();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Web web(seed, parts);
    const PlainParts plain(web.whole, web.owners, parts);
    std::mt19937 random(100 + seed);
    std::vector<unsigned> rounds(30);
    for (unsigned& which : rounds) which = static_cast<unsigned>(random() % 8);
    WebValues expected(web);
    const WebValues begun = expected;
    for (std::size_t k = 0; k < rounds.size(); ++k) {
      expected.change(rounds[k]);
      expected.spread(web, k % 4 == 3 ? 3 : 1);
    }
    in_parts(parts, [&](const auto& transport) {
      PartMesh mesh(transport, staging);
      const PlainPart& part = plain[transport->rank()];
      const SetPart &cells = part.sets[Web::cells], &edges = part.sets[Web::edges];
      WebPart at(mesh, part);
      const Dat a = mesh.dat<double>("a", at.cells, 1, local_values(begun.a, cells, 1)),
                b = mesh.dat<float>("b", at.cells, 3, local_values(begun.b, cells, 3),
                                    DataLayout::soa),
                c = mesh.dat<int>("c", at.cells, 2, local_values(begun.c, cells, 2));
      std::vector<int> numbers;
      for (const std::int64_t number : cells.numbers) numbers.push_back(static_cast<int>(number));
      const Dat n = mesh.dat<int>("n", at.cells, 1, numbers);
      const Dat sums = mesh.dat<double>("sums", at.cells, 1);
      const Global total = mesh.global("total", std::int64_t{0});
      Indices thirds;
      for (std::size_t e = 0; e < edges.numbers.size(); ++e)
        if (edges.numbers[e] % 3 == 0) thirds.push_back(static_cast<std::int32_t>(e));
      const Subset some = at.edges.subset(thirds);
      const Kernel change_a("void change_a(double *a) { *a += 1; }", "change_a"),
          change_b("void change_b(float *b) { for (int i = 0; i < 3; ++i) b[i] += i + 1; }",
                   "change_b"),
          change_c("void change_c(int *c, const int *n) { c[0] += *n % 3; c[1] += *n % 3; }",
                   "change_c"),
          spread(
              "void spread(const double *a0, const double *a1, const float *b, const int *c0,\n"
              "            const int *c1, const int *c, double *s0, double *s1, long *total) {\n"
              "  *s0 += *a1 + b[2] + c1[1]; *s1 += *a0 + b[2] + c0[1]; *total += c[0]; }",
              "spread");
      const auto run = [&](const Iteration& over) {
        par_loop(spread, over, arg(a, at.ends[0], READ), arg(a, at.ends[1], READ),
                 arg(b, at.far[0], READ), arg(c, at.ends[0], READ), arg(c, at.ends[1], READ),
                 arg(c, at.far[0], READ), arg(sums, at.ends[0], INC), arg(sums, at.ends[1], INC),
                 arg(total, INC));
      };
      for (std::size_t k = 0; k < rounds.size(); ++k) {
        if ((rounds[k] & 1) != 0) par_loop(change_a, at.cells, arg(a, RW));
        if ((rounds[k] & 2) != 0) par_loop(change_b, at.cells, arg(b, RW));
        if ((rounds[k] & 4) != 0) par_loop(change_c, at.cells, arg(c, RW), arg(n, READ));
        if (k % 4 == 3)
          run(some);
        else
          run(at.edges);
      }
      EXPECT_EQ(total.template value<std::int64_t>(), expected.total);
      const auto found = sums.template read<double>();
      for (std::size_t k = 0; k < at.cells.size(); ++k)
        ASSERT_EQ(found[k], expected.sums[static_cast<std::size_t>(cells.numbers[k])])
            << "seed " << seed << ", cell " << cells.numbers[k];
      // What is the same exchange lies at the same place: MPI's persistent requests are kept.
      std::map<std::pair<std::string, int>, std::set<const std::byte*>> places;
      for (const auto& sent : transport->sent) places[{sent.what, sent.to}].insert(sent.from);
      for (const auto& [message, at_places] : places)
        EXPECT_LE(at_places.size(), 2u) << message.first;  // of the loop, and of its subset
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, HaloStagingOrder,
                         ::testing::Combine(::testing::Values(2, 3, 4),
                                            ::testing::Values(Staging::host, Staging::device)),
                         parts_name);

/// With a launch for each colour of the core, and of what waits for halos.
TEST(HaloStaging, is_right_for_loops_in_colours) {
  const Runtime runtime({.store = "off"});
  use_form(Mesh(runtime), {{"FORM", 2}, {"GROUP", 16}});
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const int parts = 2 + static_cast<int>(seed % 2);
    const Web web(seed, parts);
    const PlainParts plain(web.whole, web.owners, parts);
    std::vector<double> expected(web.whole.sizes[Web::cells]);
    for (std::size_t e = 0; e < web.whole.sizes[Web::edges]; ++e)
      for (std::size_t end = 0; end < 2; ++end)
        expected[web.target(Web::ends, e, end)] +=
            2 * static_cast<double>(1 + web.target(Web::ends, e, 1 - end));
    in_parts(parts, [&](const auto& transport) {
      Mesh mesh(runtime, transport);
      Handles::session(mesh)->stages_halos = true;  // as on a GPU
      const SetPart& cells = plain[transport->rank()].sets[Web::cells];
      WebPart at(mesh, plain[transport->rank()]);
      std::vector<double> numbers(cells.numbers.begin(), cells.numbers.end());
      const Dat a = mesh.dat<double>("a", at.cells, 1, numbers),
                sums = mesh.dat<double>("sums", at.cells, 1);
      par_loop(Kernel("void next(double *a) { *a += 1; }", "next"), at.cells, arg(a, RW));
      const Kernel swap(
          "void swap(const double *a, const double *b, double *c, double *d) { *c += *b; *d += *a; "
          "}",
          "swap");
      for (int round = 0; round < 2; ++round)
        par_loop(swap, at.edges, arg(a, at.ends[0], READ), arg(a, at.ends[1], READ),
                 arg(sums, at.ends[0], INC), arg(sums, at.ends[1], INC));
      const auto found = sums.template read<double>();
      for (std::size_t k = 0; k < at.cells.size(); ++k)
        ASSERT_EQ(found[k], expected[static_cast<std::size_t>(cells.numbers[k])])
            << "seed " << seed << ", cell " << cells.numbers[k];
    });
  }
}

}  // namespace
}  // namespace kiln::mesh::testing::distributed
