// What is planned, compiled and kept, and by what it is found again: through par_loop, with the
// store's own list as evidence.
#include <algorithm>
#include <fstream>

#include "base/os/file.hpp"
#include "mesh/model/mesh_fixture.hpp"
#include "store/local/local_store.hpp"

namespace kiln::mesh::testing {
namespace {

/// Meshes that share a store, as processes would.
class LoopCacheTest : public ::testing::Test {
 protected:
  TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-mesh"));
  std::filesystem::path place() const { return folder.path() / "store"; }
  Mesh::Options options() const {
    Mesh::Options made = quiet_options();
    made.store = place().string();
    return made;
  }
  /// Entries of a kind in the store.
  std::size_t stored(Kind kind) const {
    const auto list = value_or_throw(LocalStore(place().string()).list());
    return static_cast<std::size_t>(std::count_if(
        list.begin(), list.end(), [&](const auto& entry) { return entry.kind == kind; }));
  }

  struct Parts {
    int count = 300;        ///< edges
    bool reversed = false;  ///< other values of the map
    double scale = 2;
    std::string text =
        "void spread(const double *w, double *a, double *b) { *a += scale * *w; *b -= *w; }";
    bool swapped = false;
  };
  /// One loop over a ring of edges; its report, and the first value that it leaves.
  struct Outcome {
    LoopReport report;
    double first = 0;
  };
  Outcome ring(const Parts& parts, const Mesh::Options& with) {
    Mesh mesh(with);
    const auto n = static_cast<std::size_t>(parts.count);
    const Set edges = mesh.set("edges", n), nodes = mesh.set("nodes", n);
    Indices ends;
    for (int e = 0; e < parts.count; ++e) {
      const int at = parts.reversed ? parts.count - 1 - e : e;
      ends.insert(ends.end(), {at, (at + 1) % parts.count});
    }
    const Map links = mesh.map("links", edges, nodes, 2, ends);
    const auto weights = counting<double>(n, 1.0);
    const Dat w = mesh.dat<double>("w", edges, 1, weights), x = mesh.dat<double>("x", nodes, 1);
    mesh.constant("scale", parts.scale);
    par_loop(Kernel(parts.text, "spread"), edges, arg(w, READ),
             arg(x, links[parts.swapped ? 1 : 0], INC), arg(x, links[parts.swapped ? 0 : 1], INC));
    const double first = x.read<double>()[0];
    return {mesh.report().at(0), first};
  }
  Outcome ring(const Parts& parts) { return ring(parts, options()); }
};

TEST_F(LoopCacheTest, a_second_process_plans_and_compiles_nothing) {
  const auto first = ring({});
  EXPECT_EQ(first.report.plan_hits, 0u);
  EXPECT_EQ(first.report.program_hits, 0u);
  EXPECT_EQ(stored(Kind::plan), 1u);
  EXPECT_EQ(stored(Kind::artifact), 1u);
  const auto second = ring({});
  EXPECT_EQ(second.report.plan_hits, 1u);
  EXPECT_EQ(second.report.program_hits, 1u);
  EXPECT_EQ(second.first, first.first);
  EXPECT_EQ(stored(Kind::plan), 1u);
  EXPECT_EQ(stored(Kind::artifact), 1u);
}

TEST_F(LoopCacheTest, another_mesh_of_equal_structure_compiles_nothing) {
  ring({});
  Parts larger;
  larger.count = 500;
  const auto second = ring(larger);
  EXPECT_EQ(second.report.plan_hits, 0u);
  EXPECT_EQ(second.report.program_hits, 1u);
  EXPECT_EQ(second.first, 2 * 1.0 - 500.0);
  EXPECT_EQ(stored(Kind::plan), 2u);
  EXPECT_EQ(stored(Kind::artifact), 1u);
}

TEST_F(LoopCacheTest, other_values_of_a_map_are_another_plan) {
  ring({});
  Parts reversed;
  reversed.reversed = true;
  const auto second = ring(reversed);
  EXPECT_EQ(second.report.plan_hits, 0u);
  EXPECT_EQ(second.first, 2 * 300.0 - 1.0);
}

TEST_F(LoopCacheTest, a_constants_value_is_in_no_key) {
  ring({});
  Parts changed;
  changed.scale = 5;
  const auto second = ring(changed);
  EXPECT_EQ(second.report.program_hits, 1u);
  EXPECT_EQ(second.report.plan_hits, 1u);
  EXPECT_EQ(second.first, 5 * 1.0 - 300.0);
}

TEST_F(LoopCacheTest, another_kernel_on_the_same_maps_shares_the_plan) {
  ring({});
  Parts other;
  other.text = "void spread(const double *w, double *a, double *b) { *a += *w; *b += scale; }";
  const auto second = ring(other);
  EXPECT_EQ(second.report.program_hits, 0u);
  EXPECT_EQ(second.report.plan_hits, 1u);
  EXPECT_EQ(second.first, 1.0 + 2.0);
}

TEST_F(LoopCacheTest, components_in_another_order_are_another_program_but_no_other_plan) {
  ring({});
  Parts swapped;
  swapped.swapped = true;
  const auto second = ring(swapped);
  EXPECT_EQ(second.report.program_hits, 0u);
  EXPECT_EQ(second.report.plan_hits, 1u);
  EXPECT_EQ(second.first, 2 * 300.0 - 1.0);
}

TEST_F(LoopCacheTest, a_damaged_store_costs_a_recompile_and_no_more) {
  const auto first = ring({});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place())) {
    if (!entry.is_regular_file()) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::streamoff>(entry.file_size());
    for (std::streamoff at = 0; at < size; at += 64) {
      file.seekp(at);
      file.put('\xa5');
    }
  }
  const auto second = ring({});
  EXPECT_EQ(second.first, first.first);
  EXPECT_EQ(second.report.program_hits, 0u);
  EXPECT_EQ(second.report.plan_hits, 0u);
  const auto third = ring({});
  EXPECT_EQ(third.first, first.first);
  EXPECT_EQ(third.report.program_hits, 1u);
  EXPECT_EQ(third.report.plan_hits, 1u);
}

TEST_F(LoopCacheTest, a_store_that_cannot_be_written_is_no_obstacle) {
  std::ofstream(folder.path() / "file") << "no folder";
  Mesh::Options made = quiet_options();
  made.store = (folder.path() / "file" / "store").string();
  EXPECT_EQ(ring({}, made).first, 2 * 1.0 - 300.0);
}

/// In one Mesh, without a store.
class MemoryCacheTest : public MeshTest {
 protected:
  static constexpr int count = 400;
  MemoryCacheTest() { use_form({{"FORM", 2}}); }
  Set edges = mesh.set("edges", count), nodes = mesh.set("nodes", count);
  static Indices ring() {
    Indices ends;
    for (int e = 0; e < count; ++e) ends.insert(ends.end(), {e, (e + 1) % count});
    return ends;
  }
  Map links = mesh.map("links", edges, nodes, 2, ring());
  Dat x = zeros<double>("x", nodes);
  LoopReport report(const std::string& name) {
    for (auto& one : mesh.report())
      if (one.name == name) return one;
    return {};
  }
};

TEST_F(MemoryCacheTest, loops_that_need_the_same_plan_share_it) {
  par_loop(Kernel("void one(double *a) { *a += 1; }", "one"), edges, arg(x, links[0], INC));
  par_loop(Kernel("void two(double *a) { *a += 2; }", "two"), edges, arg(x, links[0], INC));
  const Dat y = zeros<double>("y", nodes, 3);
  par_loop(Kernel("void three(double *a) { a[2] += 3; }", "three"), edges, arg(y, links[0], INC));
  EXPECT_EQ(report("one").plan_hits, 0u);
  EXPECT_EQ(report("two").plan_hits, 1u);
  EXPECT_EQ(report("three").plan_hits, 1u);
  EXPECT_EQ(read<double>(x), std::vector<double>(count, 3.0));
}

TEST_F(MemoryCacheTest, maps_of_equal_values_share_a_plan) {
  const Map copy = mesh.map("copy", edges, nodes, 2, ring());
  par_loop(Kernel("void one(double *a) { *a += 1; }", "one"), edges, arg(x, links[0], INC));
  par_loop(Kernel("void two(double *a) { *a += 1; }", "two"), edges, arg(x, copy[0], INC));
  EXPECT_EQ(report("two").plan_hits, 1u);
}

TEST_F(MemoryCacheTest, one_kernel_on_other_data_is_one_program) {
  const Kernel one("void one(double *a) { *a += 1; }", "one");
  const Dat y = zeros<double>("y", nodes);
  par_loop(one, edges, arg(x, links[0], INC));
  EXPECT_EQ(report("one").program_hits, 0u);
  par_loop(one, edges, arg(y, links[0], INC));
  mesh.finish();
  std::size_t hits = 0;
  for (const auto& loop : mesh.report()) hits += loop.program_hits;
  EXPECT_EQ(hits, 1u);
}

TEST_F(MemoryCacheTest, direct_loops_have_no_plan) {
  par_loop(Kernel("void one(double *a) { *a += 1; }", "one"), nodes, arg(x, RW));
  EXPECT_EQ(report("one").plan_hits, 0u);
  EXPECT_EQ(report("one").colours, 0u);
}

TEST_F(MemoryCacheTest, each_part_of_a_set_has_its_plan) {
  const Set part = mesh.set("part", {100, 200, 300, 300});
  const Map map = mesh.map("map", part, nodes, 1, Indices(300, 7));
  par_loop(Kernel("void one(double *a) { *a += 1; }", "one"), part, arg(x, map[0], INC));
  EXPECT_EQ(x.read<double>()[7], 300.0);
  EXPECT_EQ(report("one").plan_hits, 0u);
  par_loop(Kernel("void two(double *a) { *a += 1; }", "two"), part, arg(x, map[0], INC));
  EXPECT_EQ(x.read<double>()[7], 600.0);
  EXPECT_EQ(report("two").plan_hits, 3u);
}

TEST_F(MemoryCacheTest, staging_counts_the_size_of_what_is_staged) {
  // PyOP2's key left out the type, on which the local memory depends.
  use_form({{"FORM", 3}, {"BLOCK", 64}, {"GROUP", 8}});
  const Dat small = zeros<std::int8_t>("small", nodes), wide = zeros<double>("wide", nodes, 16);
  par_loop(Kernel("void one(char *a) { *a += 1; }", "one"), edges, arg(small, links[0], INC));
  par_loop(Kernel("void two(double *a) { for (int k = 0; k < 16; ++k) a[k] += k; }", "two"), edges,
           arg(wide, links[0], INC));
  EXPECT_EQ(read<std::int8_t>(small), std::vector<std::int8_t>(count, 1));
  for (std::size_t i = 0; i < 16 * count; ++i) ASSERT_EQ(wide.read<double>()[i], i % 16);
  EXPECT_EQ(report("two").plan_hits, 0u);
}

TEST_F(MemoryCacheTest, blocks_that_stage_more_than_sixteen_bits_number) {
  // PyOP2's positions were of 16 bits, and wrapped round.
  constexpr int many = 100000;
  use_form({{"FORM", 3}, {"BLOCK", many}, {"GROUP", 16}, {"LOC32", 1}});
  const Set big = mesh.set("big", many);
  auto to = counting<std::int32_t>(many);
  std::reverse(to.begin(), to.end());
  const Map map = mesh.map("map", big, big, 1, to);
  const Dat from = dat<std::uint8_t>("from", big, 1, counting<std::uint8_t>(many));
  const Dat got = zeros<std::uint8_t>("got", big);
  par_loop(Kernel("void k(const unsigned char *a, unsigned char *b) { *b = *a; }", "k"), big,
           arg(from, map[0], READ), arg(got, WRITE));
  for (int e = 0; e < many; ++e)
    ASSERT_EQ(got.read<std::uint8_t>()[static_cast<std::size_t>(e)],
              static_cast<std::uint8_t>(many - 1 - e));
}

}  // namespace
}  // namespace kiln::mesh::testing
