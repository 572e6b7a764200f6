// Loops in colours on parts of a mesh: what waits for others is launched with the core's later
// colours.
#include <random>

#include "mesh/distributed/part_mesh.hpp"
#include "mesh/loop/prepared_loop.hpp"

namespace kiln::mesh::testing::distributed {
namespace {

/// A ring of cells in parts one behind the other, edges between near ones, and for each edge a
/// third cell, which for some leads into another part though both ends are elsewhere.
struct Ring {
  enum SetNumber : std::size_t { cells, edges };
  enum MapNumber : std::size_t { ends, far };
  PlainMesh whole;
  Owners owners;

  Ring(unsigned seed, int parts) {
    std::mt19937 random(seed);
    const std::size_t count = 40 * static_cast<std::size_t>(parts) + random() % 30;
    whole.sizes = {count, 2 * count};
    const auto cell = [&](std::size_t number) { return static_cast<std::int32_t>(number % count); };
    whole.maps = {{edges, cells, 2, {}}, {edges, cells, 1, {}}};
    owners.resize(2);
    for (std::size_t c = 0; c < count; ++c) {
      owners[cells].push_back(static_cast<int>(c * static_cast<std::size_t>(parts) / count));
      for (const std::size_t step : {1, 2}) {
        auto& both = whole.maps[ends].values;
        both.insert(both.end(), {cell(c), cell(c + step)});
        whole.maps[far].values.push_back(cell(c + (step == 1 ? 4 : random() % 5)));
        owners[edges].push_back(owners[cells].back());
      }
    }
  }
  std::size_t target(MapNumber map, std::size_t edge, std::size_t component = 0) const {
    return static_cast<std::size_t>(
        whole.maps[map].values[edge * whole.maps[map].arity + component]);
  }
};

/// Rounds of a loop that adds the ends' values and those of the third cell to the ends, and with
/// `three` to the third cell.
struct Rounds {
  bool three = false, by_subset = false, checks_halos = false;
  static constexpr int count = 3;

  std::vector<double> expected(const Ring& ring) const {
    std::vector<double> sums(ring.whole.sizes[Ring::cells]);
    for (int round = 0; round < count; ++round)
      for (std::size_t e = 0; e < ring.whole.sizes[Ring::edges]; ++e) {
        if (by_subset && e % 3 == 0) continue;
        const std::size_t one = ring.target(Ring::ends, e), other = ring.target(Ring::ends, e, 1),
                          third = ring.target(Ring::far, e);
        const auto value = [&](std::size_t cell) {
          return static_cast<double>(cell + grown(round));
        };
        sums[one] += value(other);
        sums[other] += value(third);
        if (three) sums[third] += value(one);
      }
    return sums;
  }
  /// By how much: nothing is stale in the second round.
  static std::size_t grown(int round) { return round < 2 ? 1 : 2; }
};

class LatePart {
 public:
  Mesh mesh;

  LatePart(const Runtime& runtime, const std::shared_ptr<Transport>& transport,
           const PlainPart& part, const Rounds& rounds)
      : mesh(runtime, transport, options()), part_(part), rounds_(rounds) {
    Handles::session(mesh)->stages_halos = true;  // as on a GPU
    Handles::session(mesh)->checks_halos = rounds.checks_halos;
  }

  /// The sums of local cells.
  std::vector<double> run() {
    const SetPart &cells = part_.sets[Ring::cells], &edges = part_.sets[Ring::edges];
    const Set at_cells = mesh.set("cells", SetPart(cells)),
              at_edges = mesh.set("edges", SetPart(edges));
    const Map ends = mesh.map("ends", at_edges, at_cells, 2, part_.maps[Ring::ends]),
              far = mesh.map("far", at_edges, at_cells, 1, part_.maps[Ring::far]);
    const std::vector<double> numbers(cells.numbers.begin(), cells.numbers.end());
    const Dat a = mesh.dat<double>("a", at_cells, 1, numbers),
              sums = mesh.dat<double>("sums", at_cells, 1);
    Indices most;
    for (std::size_t e = 0; e < edges.numbers.size(); ++e)
      if (edges.numbers[e] % 3 != 0) most.push_back(static_cast<std::int32_t>(e));
    const Subset some = at_edges.subset(most);
    const Kernel next("void next(double *a) { *a += 1; }", "next"),
        two("void add(const double *a, const double *b, const double *c, double *s, double *t) {\n"
            "  *s += *b; *t += *c; }",
            "add"),
        three(
            "void add(const double *a, const double *b, const double *c, double *s, double *t,\n"
            "         double *u) { *s += *b; *t += *c; *u += *a; }",
            "add");
    const Iteration over = rounds_.by_subset ? Iteration(some) : Iteration(at_edges);
    for (int round = 0; round < Rounds::count; ++round) {
      if (round != 1) par_loop(next, at_cells, arg(a, RW));
      const Arg first = arg(a, ends[0], READ), second = arg(a, ends[1], READ),
                third = arg(a, far[0], READ), to_first = arg(sums, ends[0], INC),
                to_second = arg(sums, ends[1], INC);
      if (rounds_.three)
        par_loop(three, over, first, second, third, to_first, to_second, arg(sums, far[0], INC));
      else
        par_loop(two, over, first, second, third, to_first, to_second);
      mesh.finish();
      note_plans();
    }
    return read<double>(sums);
  }

  std::vector<MeshPlan> plans;
  std::size_t core = 0;  ///< elements

  /// How many runs of the loop have a name.
  std::ptrdiff_t runs(const std::string& name) {
    return std::ranges::count(mesh.timeline(), name, &TimelineSpan::name);
  }

 private:
  static Mesh::Options options() {
    Mesh::Options options;
    options.check = options.timeline = true;
    return options;
  }
  void note_plans() {
    for (const auto& loop : LoopSession::of(*Handles::session(mesh)).loops.all()) {
      if (loop->name() != "add") continue;
      plans.clear();
      for (const auto& plan : loop->plans()) plans.push_back(plan->plan);
      core = loop->over().sizes()[0];
    }
  }
  const PlainPart& part_;
  const Rounds& rounds_;
};

class LateColours : public ::testing::TestWithParam<Rounds> {};

TEST_P(LateColours, hold_what_waits_for_others_together_with_the_core) {
  const Runtime runtime({.store = "off"});
  use_form(Mesh(runtime), {{"FORM", 2}, {"GROUP", 16}});
  const Rounds rounds = GetParam();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const int parts = 2 + static_cast<int>(seed % 2);
    const Ring ring(seed, parts);
    const PlainParts plain(ring.whole, ring.owners, parts);
    const auto expected = rounds.expected(ring);
    in_parts(parts, [&](const auto& transport) {
      const PlainPart& part = plain[transport->rank()];
      LatePart late(runtime, transport, part, rounds);
      const auto found = late.run();
      const SetPart& cells = part.sets[Ring::cells];
      for (std::size_t k = 0; k < cells.sizes[1]; ++k)
        ASSERT_EQ(found[k], expected[static_cast<std::size_t>(cells.numbers[k])])
            << "seed " << seed << ", cell " << cells.numbers[k];
      EXPECT_EQ(late.runs("add (core)"), 2);
      EXPECT_EQ(late.runs("add (rest)"), 2);
      EXPECT_EQ(late.runs("add"), 1);

      // What a loop writes through all Maps lies together; else a part of the exec halo is left
      // out, and a run behind it goes by itself.
      ASSERT_EQ(late.plans.size(), rounds.three ? 1u : 2u);
      const MeshPlan& joined = late.plans[0];
      const std::size_t first = joined.first_late_colour();
      EXPECT_EQ(joined.begin(), 0u);
      EXPECT_GT(joined.size(), late.core);
      ASSERT_GE(first, 1u);
      for (const auto place :
           joined.order.first(static_cast<std::size_t>(joined.color_offs[first])))
        EXPECT_LT(static_cast<std::size_t>(place), late.core);
      // The core needs 2 * first or one more.
      EXPECT_LE(joined.ncolors(), 2 * first + 3) << "seed " << seed;
      if (!rounds.three) {
        EXPECT_EQ(late.plans[1].first_late_colour(), 0u);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, LateColours,
    ::testing::Values(Rounds{}, Rounds{.three = true}, Rounds{.by_subset = true},
                      Rounds{.three = true, .by_subset = true}, Rounds{.checks_halos = true},
                      Rounds{.three = true, .by_subset = true, .checks_halos = true}),
    [](const ::testing::TestParamInfo<Rounds>& one) {
      return std::string(one.param.three ? "all_maps" : "one_map") +
             (one.param.by_subset ? "_of_a_subset" : "") +
             (one.param.checks_halos ? "_with_checks" : "");
    });

}  // namespace
}  // namespace kiln::mesh::testing::distributed
