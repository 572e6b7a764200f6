// Any loop on any partition is what it is on the undivided mesh.
#include <cmath>
#include <cstdlib>

#include "mesh/distributed/part_mesh.hpp"
#include "mesh/loop/random_loop.hpp"

namespace kiln::mesh::testing::distributed {
namespace {

RandomLoop::Limits limits(bool real) {
  RandomLoop::Limits limits;
  limits.parts = limits.extruded = false;
  limits.real = real;
  return limits;
}

/// All Dats of the whole mesh, put together of what the parts own, then the Globals of each part.
template <class Number, class Run>
std::vector<std::vector<Number>> in_parts_of(const RandomLoop& loop, int parts, unsigned seed,
                                             const Run& run,
                                             const Runtime& runtime = parts_runtime(),
                                             std::optional<Staging> always = {}) {
  const PlainMesh whole = loop.whole();
  std::mt19937 random(seed);
  const PlainParts plain(whole, random_owners(whole, parts, random), parts);
  std::vector<std::vector<std::vector<Number>>> found(static_cast<std::size_t>(parts));
  in_parts(parts, [&](const auto& transport) {
    const auto rank = transport->rank();
    const Staging by_seed = seed % 2 == 0 ? Staging::host : Staging::device;
    PartMesh mesh(transport, always.value_or(by_seed), false, runtime);
    found[static_cast<std::size_t>(rank)] = run(mesh, plain[rank]);
  });
  const auto dats = loop.dats();
  std::vector<std::vector<Number>> all;
  for (const auto& [set, components] : dats) all.emplace_back(whole.sizes[set] * components);
  for (int rank = 0; rank < parts; ++rank)
    for (std::size_t d = 0; d < dats.size(); ++d)
      collect_owned<Number>(all[d], found[static_cast<std::size_t>(rank)][d],
                            plain[rank].sets[dats[d].first], dats[d].second);
  for (const auto& values : found)
    for (std::size_t g = dats.size(); g < values.size(); ++g) {
      if (all.size() <= g) all.push_back(values[g]);
      EXPECT_EQ(values[g], all[g]) << "a Global has other bits on another part";
    }
  return all;
}

/// How many of so many seeds: each is a program that takes a while to make.
unsigned most(unsigned seeds) {
  return std::getenv("KILN_LONG") == nullptr ? seeds * 2 / 5 : seeds;
}

TEST(RandomLoopsInParts, that_move_or_count_are_the_same_to_the_last_bit) {
  for (unsigned seed = 1; seed <= most(60); ++seed) {
    const RandomLoop loop(seed, 20 + seed * 7 % 90, limits(false));
    const int parts = 1 + static_cast<int>(seed % 4);
    const auto found = in_parts_of<std::int64_t>(
        loop, parts, seed,
        [&](Mesh& mesh, const PlainPart& part) { return loop.run_on_part(mesh, part); });
    ASSERT_EQ(found, loop.expected()) << "seed " << seed << ", parts " << parts << "\n"
                                      << loop.describe();
  }
}

TEST(RandomLoopsInParts, in_colours_are_the_same_to_the_last_bit) {
  const Runtime runtime({.store = "off"});
  use_form(Mesh(runtime), {{"FORM", 2}, {"GROUP", 16}});
  for (unsigned seed = 101; seed <= 100 + most(40); ++seed) {
    const RandomLoop loop(seed, 20 + seed * 7 % 90, limits(false));
    const int parts = 2 + static_cast<int>(seed % 3);
    const auto found = in_parts_of<std::int64_t>(
        loop, parts, seed,
        [&](Mesh& mesh, const PlainPart& part) { return loop.run_on_part(mesh, part); }, runtime,
        Staging::device);
    ASSERT_EQ(found, loop.expected()) << "seed " << seed << ", parts " << parts << "\n"
                                      << loop.describe();
  }
}

TEST(RandomLoopsInParts, over_real_numbers_are_within_rounding) {
  for (unsigned seed = 1; seed <= most(30); ++seed) {
    const RandomLoop loop(seed, 20 + seed * 7 % 90, limits(true));
    const int parts = 2 + static_cast<int>(seed % 3);
    const auto expected = loop.expected_reals();
    const auto found = in_parts_of<double>(
        loop, parts, seed,
        [&](Mesh& mesh, const PlainPart& part) { return loop.run_reals_on_part(mesh, part); });
    for (std::size_t data = 0; data < expected.size(); ++data)
      for (std::size_t k = 0; k < expected[data].size(); ++k)
        ASSERT_LE(std::abs(found[data][k] - expected[data][k].value), expected[data][k].bound)
            << "seed " << seed << ", parts " << parts << ", data " << data << "\n"
            << loop.describe();
  }
}

}  // namespace
}  // namespace kiln::mesh::testing::distributed
