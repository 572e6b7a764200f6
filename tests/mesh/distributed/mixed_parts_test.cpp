// Mixed sets, maps and Dats on parts: loops whose kernel gets several parts as one, and loops over
// each part.
#include "mesh/distributed/part_mesh.hpp"

namespace kiln::mesh::testing {
namespace {

/// Cells that lead to nodes and to faces, whose numbers are those of one space.
struct MixedWhole {
  enum SetNumber : std::size_t { cells, nodes, faces };
  PlainMesh whole;
  Owners owners;
  MixedWhole(unsigned seed, int parts) {
    std::mt19937 random(seed);
    whole.sizes = {60 + random() % 40, 20 + random() % 30, 30 + random() % 30};
    whole.maps = {{cells, nodes, 2, {}}, {cells, faces, 3, {}}};
    for (PlainMap& map : whole.maps)
      for (std::size_t k = 0; k < whole.sizes[cells] * map.arity; ++k)
        map.values.push_back(static_cast<std::int32_t>(random() % whole.sizes[map.to]));
    owners = random_owners(whole, parts, random);
  }
};

struct MixedValues {
  std::vector<std::vector<double>> u, r;  ///< of nodes, of faces
  explicit MixedValues(const MixedWhole& of) {
    for (const std::size_t set : {MixedWhole::nodes, MixedWhole::faces}) {
      auto& values = u.emplace_back(of.whole.sizes[set]);
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k % 9);
      r.emplace_back(values.size());
    }
  }
  void bump() {
    for (auto& part : u)
      for (double& value : part) value += 1;
  }
  void spread(const MixedWhole& of) {
    for (std::size_t cell = 0; cell < of.whole.sizes[MixedWhole::cells]; ++cell) {
      double sum = 0;
      const auto each = [&](const auto& call) {
        std::size_t place = 0;
        for (std::size_t part = 0; part < 2; ++part)
          for (std::size_t c = 0; c < of.whole.maps[part].arity; ++c)
            call(part,
                 static_cast<std::size_t>(
                     of.whole.maps[part].values[cell * of.whole.maps[part].arity + c]),
                 static_cast<double>(place++));
      };
      each([&](std::size_t part, std::size_t at, double) { sum += u[part][at]; });
      each([&](std::size_t part, std::size_t at, double place) { r[part][at] += sum + place; });
    }
  }
  double inner() const {
    double sum = 0;
    for (std::size_t part = 0; part < 2; ++part)
      for (std::size_t k = 0; k < u[part].size(); ++k) sum += u[part][k] * r[part][k];
    return sum;
  }
};

class MixedInParts : public ::testing::TestWithParam<std::tuple<int, Staging>> {};

TEST_P(MixedInParts, are_read_and_added_to_as_on_the_whole_mesh) {
  const auto [parts, staging] = GetParam();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const MixedWhole of(seed, parts);
    const PlainParts plain(of.whole, of.owners, parts);
    MixedValues expected(of);
    const MixedValues begun = expected;
    constexpr int rounds = 4;
    for (int round = 0; round < rounds; ++round) {
      expected.bump();
      expected.spread(of);
    }
    in_parts(parts, [&](const auto& transport) {
      PartMesh mesh(transport, staging);
      const PlainPart& part = plain[transport->rank()];
      std::vector<Set> sets;
      for (std::size_t set = 0; set < 3; ++set)
        sets.push_back(mesh.set("set" + std::to_string(set), SetPart(part.sets[set])));
      std::vector<Map> maps;
      std::vector<Dat> u, r;
      for (std::size_t k = 0; k < 2; ++k) {
        maps.push_back(mesh.map("map" + std::to_string(k), sets[0], sets[k + 1],
                                of.whole.maps[k].arity, part.maps[k]));
        u.push_back(mesh.dat<double>("u" + std::to_string(k), sets[k + 1], 1,
                                     local_values(begun.u[k], part.sets[k + 1], 1)));
        r.push_back(mesh.dat<double>("r" + std::to_string(k), sets[k + 1], 1));
      }
      const MixedSet space({sets[1], sets[2]});
      const MixedMap to(maps);
      MixedDat all_u(u), all_r(r);
      const Kernel bump("void bump(double *u) { *u += 1; }", "bump"),
          spread(
              "void spread(double **u, double **r) {\n"
              "  double sum = 0;\n"
              "  for (int k = 0; k < 5; ++k) sum += u[k][0];\n"
              "  for (int k = 0; k < 5; ++k) r[k][0] += sum + k;\n}",
              "spread");
      for (int round = 0; round < rounds; ++round) {
        par_loop(bump, space, arg(all_u, RW));
        par_loop(spread, sets[0], arg(all_u, to, READ), arg(all_r, to, INC));
      }
      EXPECT_EQ(all_u.inner(all_r), expected.inner());
      for (std::size_t k = 0; k < 2; ++k) {
        const auto found = all_r[k].template read<double>();
        for (std::size_t e = 0; e < sets[k + 1].size(); ++e)
          ASSERT_EQ(found[e], expected.r[k][static_cast<std::size_t>(part.sets[k + 1].numbers[e])])
              << "seed " << seed << ", part " << k;
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, MixedInParts,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(Staging::host, Staging::device)),
                         parts_name);

}  // namespace
}  // namespace kiln::mesh::testing
