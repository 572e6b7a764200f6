// Exchanges that begin while the loop before still computes: which ones do, and that what they
// bring is what it was to be.
#include "mesh/distributed/part_mesh.hpp"
#include "mesh/loop/loop_session.hpp"
#include "mesh/loop/prepared_loop.hpp"

namespace kiln::mesh::testing {
namespace {

constexpr int owned = 20, halo = 2;

/// Two parts of 20 cells, each with copies of two cells of the other one. The last two lead there.
class Pair {
 public:
  Mesh mesh;
  Set cells;
  Map other;
  Dat a, b;

  /// `first_sent`: the first of the two cells that the other part copies.
  Pair(const std::shared_ptr<Transport>& transport, int first_sent)
      : mesh(parts_runtime(), transport, timeline()),
        cells(declared(mesh, *transport, first_sent)),
        other(mesh.map("other", cells, cells, 1, targets())),
        a(mesh.dat<double>("a", cells, 1)),
        b(mesh.dat<double>("b", cells, 1)) {}

  /// Sets all that is owned.
  void change(double value) {
    Dat values = a;
    values.fill(value);
    // Runs by itself: what follows are the loops of the test.
    mesh.finish();
    mesh.clear_report();
  }
  void take() { par_loop(take_kernel(), cells, arg(a, other[0], READ), arg(b, WRITE)); }
  void expect_taken(double own, double copied) {
    const auto values = b.read<double>();
    for (int k = 0; k < owned; ++k)
      EXPECT_EQ(values[static_cast<std::size_t>(k)], k < owned - halo ? own : copied) << k;
  }
  /// How many exchanges began while the loop before computed.
  std::size_t early_begins() {
    std::size_t count = 0;
    for (const auto& loop : LoopSession::of(*Handles::session(mesh)).loops.all())
      if (loop->parts().exchange) count += loop->parts().exchange->early_begins();
    return count;
  }
  /// Names of what ran, in the order of its beginning; "exchange" for one.
  std::vector<std::string> spans() {
    auto all = mesh.timeline();
    std::ranges::stable_sort(all, {}, &TimelineSpan::start_ns);
    std::vector<std::string> names;
    for (const auto& span : all)
      if (span.category == "exchange" || span.category == "kernel")
        names.push_back(span.category == "exchange" ? span.category : span.name);
    return names;
  }

 private:
  static Mesh::Options timeline() {
    Mesh::Options options;
    options.check = true;
    options.timeline = true;
    return options;
  }
  static Set declared(Mesh& mesh, const Transport& transport, int first_sent) {
    Handles::session(mesh)->stages_halos = true;
    const int rank = transport.rank();
    SetPart part{.global_size = 2 * owned,
                 .sizes = {owned - halo, owned, owned, owned + halo},
                 .numbers = {},
                 .neighbours = {},
                 .exec_maps = {}};
    for (int k = 0; k < owned; ++k) part.numbers.push_back(owned * rank + k);
    for (int k = 0; k < halo; ++k) part.numbers.push_back(owned * (1 - rank) + first_sent + k);
    part.neighbours = {{1 - rank, {first_sent, first_sent + 1}, {owned, owned + 1}}};
    return mesh.set("cells", std::move(part));
  }
  static Indices targets() {
    Indices all = counting<std::int32_t>(owned - halo);
    all.insert(all.end(), {owned, owned + 1, 0, 0});
    return all;
  }
  static const Kernel& take_kernel() {
    static const Kernel made("void take(const double *a, double *b) { *b = *a; }", "take");
    return made;
  }
};

const Kernel& one() {
  static const Kernel made("void one(double *a) { *a += 1; }", "one");
  return made;
}

bool has(const std::vector<std::string>& names, const std::string& wanted) {
  return std::ranges::find(names, wanted) != names.end();
}

TEST(EarlyExchanges, begin_when_what_they_send_is_computed) {
  in_parts(2, [](const auto& transport) {
    Pair pair(transport, owned - halo);
    pair.change(5);
    for (int round = 1; round <= 3; ++round) {
      par_loop(one(), pair.cells, arg(pair.a, RW));
      pair.take();
      pair.expect_taken(5 + round, 5 + round);
    }
    const auto names = pair.spans();
    EXPECT_TRUE(has(names, "one (rest)"));
    EXPECT_TRUE(has(names, "one (core)"));
    EXPECT_FALSE(has(names, "one"));
    EXPECT_EQ(pair.early_begins(), 3u);
  });
}

TEST(EarlyExchanges, wait_for_the_whole_loop_where_the_core_has_what_they_send) {
  in_parts(2, [](const auto& transport) {
    Pair pair(transport, 3);
    pair.change(5);
    par_loop(one(), pair.cells, arg(pair.a, RW));
    pair.take();
    pair.expect_taken(6, 6);
    EXPECT_TRUE(has(pair.spans(), "one"));
    EXPECT_FALSE(has(pair.spans(), "one (core)"));
    EXPECT_EQ(pair.early_begins(), 0u);
  });
}

/// Places in a subset's list are not numbers of elements.
TEST(EarlyExchanges, wait_for_the_whole_loop_over_a_subset_with_what_they_send_in_its_core) {
  in_parts(2, [](const auto& transport) {
    Pair pair(transport, 3);
    const Subset some = pair.cells.subset({{4, 10, 19}});
    pair.change(5);
    par_loop(one(), some, arg(pair.a, RW));
    pair.take();
    const auto values = pair.b.template read<double>();
    EXPECT_EQ(values[owned - 2], 5);  // the other part's cell 3
    EXPECT_EQ(values[owned - 1], 6);  // and its cell 4
    EXPECT_FALSE(has(pair.spans(), "one (core)"));
    EXPECT_EQ(pair.early_begins(), 0u);
  });
}

TEST(EarlyExchanges, wait_for_loops_that_change_more_than_their_own_elements) {
  in_parts(2, [](const auto& transport) {
    Pair pair(transport, owned - halo);
    pair.change(5);
    const Global sum = pair.mesh.global("sum", 0.0);
    const Kernel count("void count(double *a, double *s) { *a += 1; *s += *a; }", "count");
    par_loop(count, pair.cells, arg(pair.a, RW), arg(sum, INC));
    pair.take();
    pair.expect_taken(6, 6);
    EXPECT_EQ(sum.template value<double>(), 2 * owned * 6);
    const Kernel spread("void spread(double *a) { *a += 1; }", "spread");
    par_loop(spread, pair.cells, arg(pair.a, pair.other[0], INC));
    pair.take();
    const auto names = pair.spans();
    EXPECT_FALSE(has(names, "count (core)"));
    EXPECT_FALSE(has(names, "spread (core)"));
    EXPECT_EQ(pair.early_begins(), 0u);
  });
}

TEST(EarlyExchanges, go_before_a_loop_that_changes_nothing_of_it) {
  in_parts(2, [](const auto& transport) {
    Pair pair(transport, owned - halo);
    const Dat c = pair.mesh.template dat<double>("c", pair.cells, 1);
    pair.change(5);
    par_loop(one(), pair.cells, arg(c, RW));
    pair.take();
    pair.expect_taken(5, 5);
    EXPECT_TRUE(has(pair.spans(), "one"));
    EXPECT_EQ(pair.early_begins(), 1u);
    for (const double value : c.template read<double>().first(owned)) EXPECT_EQ(value, 1);
  });
}

TEST(EarlyExchanges, are_not_taken_for_begun_after_a_failure) {
  const auto post = std::make_shared<ThreadPost>(2);
  const auto run = [&](int rank) {
    const auto transport = std::make_shared<FailingTransport>(post, rank);
    Pair pair(transport, owned - halo);
    pair.change(5);
    transport->fails = true;
    par_loop(one(), pair.cells, arg(pair.a, RW));
    pair.take();
    EXPECT_EQ(refused([&] { pair.mesh.finish(); }, Errc::io), "no cable");
    pair.change(8);
    pair.take();
    pair.expect_taken(8, 8);
    par_loop(one(), pair.cells, arg(pair.a, RW));
    pair.take();
    pair.expect_taken(9, 9);
  };
  std::thread second([&] { run(1); });
  run(0);
  second.join();
}

}  // namespace
}  // namespace kiln::mesh::testing
