// Meshes that are cut again: each part holds what it would if they had been cut that way at once.
#include <cstdlib>

#include "mesh/distributed/part_mesh.hpp"
#include "mesh/distributed/partition_case.hpp"

namespace kiln::mesh::testing {
namespace {

/// Adds a number to each component of a Dat on its Set's owned elements, so that copies are stale.
void add(const Dat& dat, int number) {
  const Kernel kernel(
      fmt::format("void add(double *x) {{ for (int k = 0; k < {}; ++k) x[k] += {}; }}", dat.dim(),
                  number),
      "add");
  par_loop(kernel, dat.set(), arg(dat, RW));
}

/// Of so many cases, a third where a run is not to be long.
unsigned cases(unsigned all) { return std::getenv("KILN_LONG") == nullptr ? all / 3 : all; }

TEST(PartitionAgain, each_part_holds_what_the_definitions_say) {
  for (unsigned seed = 1; seed <= cases(150); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PartitionCase one(seed);
    const auto held = one.run([&](Mesh& mesh, const DeclaredMesh& declared) {
      for (unsigned time = 0; time < 1 + seed % 2; ++time) {
        mesh.partition(one.at_random(declared, *mesh.transport(), 7 * seed + time));
        for (const Dat& dat : declared.dats) add(dat, 1);
        for (const Dat& dat : declared.dats) add(dat, -1);
      }
    });
    const PlainCheck plain(one.whole, one.parts, one.starts, one.primary, one.cut);
    plain.check(held);
    if (!one.adjacency.empty()) plain.check_graph(held, one.primary, one.adjacency, one.common);
    if (HasFailure()) return;
  }
}

/// Loops through maps: what they leave on owned elements, with the original numbers.
TEST(PartitionAgain, loops_find_fresh_halos_and_new_lists) {
  const Kernel copy("void copy(const double *x, double *y) { *y = *x; }", "copy"),
      spread("void spread(double *x) { *x += 1; }", "spread");
  for (unsigned seed = 1; seed <= cases(36); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PartitionCase one(seed);
    in_parts(one.parts, [&](const auto& transport) {
      Mesh mesh = part_mesh(transport);
      const DeclaredMesh declared(mesh, one.whole, one.starts, transport->rank());
      const Global count = mesh.global("count", std::int64_t{0});
      std::vector<Dat> numbers;  // of each set's elements, plus the round
      for (unsigned round = 0; round < 3; ++round) {
        mesh.partition(one.at_random(declared, *transport, 11 * seed + round));
        if (round == 0)  // made afterwards: they follow, too
          for (const Set& set : declared.sets) {
            const auto& part = mesh.part(set);
            const std::vector<double> values(part.numbers.begin(), part.numbers.end());
            numbers.push_back(mesh.dat<double>("numbers", set, 1, values));
          }
        for (const Dat& dat : numbers) add(dat, 1);
        for (std::size_t m = 0; m < declared.maps.size(); ++m) {
          const auto& whole = one.whole.maps[m];
          const Map& map = declared.maps[m];
          const Dat found = mesh.dat<double>("found", map.from(), 1),
                    met = mesh.dat<double>("met", map.to(), 1);
          par_loop(copy, map.from(), arg(numbers[whole.to], map[0], READ), arg(found, WRITE));
          par_loop(spread, map.from(), arg(met, map[0], INC));
          const auto values = found.template read<double>(), times = met.template read<double>();
          std::vector<double> expected(one.whole.sizes[whole.to]);
          for (std::size_t e = 0; e < one.whole.sizes[whole.from]; ++e)
            expected[static_cast<std::size_t>(whole.values[e * whole.arity])] += 1;
          const auto &from = mesh.part(map.from()).numbers, &to = mesh.part(map.to()).numbers;
          for (std::size_t e = 0; e < map.from().size(); ++e)
            ASSERT_EQ(values[e], static_cast<double>(one.whole.row(whole, from[e])[0] + round + 1));
          for (std::size_t t = 0; t < map.to().size(); ++t)
            ASSERT_EQ(times[t], expected[static_cast<std::size_t>(to[t])]);
        }
        if (!numbers.empty())
          par_loop(Kernel("void one(const double *x, long *n) { *n += *x >= 0; }", "one"),
                   declared.sets[0], arg(numbers[0], READ), arg(count, INC));
      }
      EXPECT_EQ(count.template value<std::int64_t>(),
                3 * static_cast<std::int64_t>(one.whole.sizes[0]));
    });
    if (HasFatalFailure()) return;
  }
}

TEST(PartitionAgain, that_is_refused_leaves_the_mesh_as_it_was) {
  const PartitionCase one(3);
  in_parts(one.parts, [&](const auto& transport) {
    Mesh mesh = part_mesh(transport);
    const DeclaredMesh declared(mesh, one.whole, one.starts, transport->rank());
    mesh.partition(one.at_random(declared, *transport, 1));
    HeldPart before, after, cut;
    before.take(mesh, declared);
    EXPECT_EQ(refused([&] {
                mesh.partition({.name = "none", .primary = declared.sets[0], .adjacency = {}});
              }),
              "partitioner none: no function that cuts");
    after.take(mesh, declared);
    EXPECT_EQ(before.maps, after.maps);
    EXPECT_EQ(before.dats, after.dats);
    EXPECT_EQ(before.sizes, after.sizes);
    {
      const Subset some = declared.sets[0].subset(Indices());
      EXPECT_EQ(
          refused([&] { mesh.partition(one.at_random(declared, *transport, 2)); }),
          "set set0: it has subsets already, expected Mesh::partition() before they are made");
    }
    mesh.partition(one.at_random(declared, *transport, 2));
    cut.take(mesh, declared);
    EXPECT_EQ(before.fetched_dats, cut.fetched_dats);
    EXPECT_EQ(before.fetched_maps, cut.fetched_maps);
  });
}

}  // namespace
}  // namespace kiln::mesh::testing
