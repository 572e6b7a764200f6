// KILN_MPI_CHECK: copies that are not what their owners have are found and named.
#include <gmock/gmock.h>

#include "mesh/distributed/part_mesh.hpp"
#include "mesh/loop/random_loop.hpp"

namespace kiln::mesh::testing {
namespace {

/// Three cells a part in a row, each part with a copy of its neighbours' nearest ones.
struct Row {
  Set cells, faces;
  Map ends;
  Dat a, b;
  Row(Mesh& mesh, const PlainPart& part)
      : cells(mesh.set("cells", SetPart(part.sets[0]))),
        faces(mesh.set("faces", SetPart(part.sets[1]))),
        ends(mesh.map("ends", faces, cells, 2, part.maps[0])),
        a(mesh.dat<double>("a", cells, 2, {}, DataLayout::soa)),
        b(mesh.dat<double>("b", faces, 1)) {}
  static PlainParts parts(int count) {
    PlainMesh whole;
    const auto cells = static_cast<std::size_t>(3 * count);
    whole.sizes = {cells, cells - 1};
    PlainMap ends{1, 0, 2, {}};
    Owners owners(2);
    for (std::size_t k = 0; k < cells; ++k) {
      owners[0].push_back(static_cast<int>(k / 3));
      if (k + 1 == cells) continue;
      owners[1].push_back(static_cast<int>(k / 3));
      ends.values.push_back(static_cast<std::int32_t>(k));
      ends.values.push_back(static_cast<std::int32_t>(k + 1));
    }
    whole.maps = {ends};
    return {whole, owners, count};
  }
  void change() {
    static const Kernel kernel("void change(double *a) { a[0] += 1; a[1] += 2; }", "change");
    par_loop(kernel, cells, arg(a, RW));
  }
  void sum() {
    static const Kernel kernel(
        "void sum(const double *a, const double *c, double *b) { *b = a[0] + c[1]; }", "sum");
    par_loop(kernel, faces, arg(a, ends[0], READ), arg(a, ends[1], READ), arg(b, WRITE));
  }
};

class HaloCheckOf : public ::testing::TestWithParam<Staging> {
 protected:
  /// What part 0, which has a copy of cell 3, is told in the end.
  std::string told(const std::function<void(PartMesh&, Row&, int rank)>& run) const {
    const PlainParts plain = Row::parts(2);
    std::string said = "(nothing)";
    in_parts(2, [&](const auto& transport) {
      PartMesh mesh(transport, GetParam());
      Handles::session(mesh)->checks_halos = true;
      Row row(mesh, plain[transport->rank()]);
      const auto all = [&] { run(mesh, row, transport->rank()), mesh.finish(); };
      if (transport->rank() == 0)
        said = refused(all, Errc::internal);
      else
        all();
    });
    return said;
  }
};

TEST_P(HaloCheckOf, fresh_copies_says_nothing) {
  EXPECT_EQ(told([](PartMesh&, Row& row, int) {
              for (int round = 0; round < 3; ++round) row.change(), row.sum(), row.sum();
            }),
            "(nothing was refused)");
}

TEST_P(HaloCheckOf, copies_that_are_said_to_be_fresh_names_the_first_that_is_not) {
  EXPECT_EQ(
      told([](PartMesh& mesh, Row& row, int) {
        row.change();
        mesh.finish();
        row.a.halo_is_fresh();
        row.sum();
      }),
      "halo of a before sum: the copy of element 3 of set cells is not what rank 1 has; so are "
      "1 of 1 copies of its elements");
}

TEST_P(HaloCheckOf, copies_that_were_written_over_is_told) {
  EXPECT_THAT(told([](PartMesh&, Row& row, int rank) {
                row.change();
                row.sum();
                auto values = row.a.write<double>();
                if (rank == 0) values[2 * row.cells.size()] = 77;
                row.a.halo_is_fresh();
                row.sum();
              }),
              ::testing::HasSubstr("halo of a before sum: the copy of element 3"));
}

INSTANTIATE_TEST_SUITE_P(By, HaloCheckOf, ::testing::Values(Staging::host, Staging::device),
                         [](const auto& by) {
                           return by.param == Staging::host ? "the_host" : "the_device";
                         });

TEST(HaloCheck, finds_nothing_wrong_with_any_loop_on_any_partition) {
  RandomLoop::Limits limits;
  limits.parts = limits.extruded = false;
  for (unsigned seed = 201; seed <= 220; ++seed) {
    const RandomLoop loop(seed, 20 + seed * 7 % 90, limits);
    const int parts = 2 + static_cast<int>(seed % 3);
    const PlainMesh whole = loop.whole();
    std::mt19937 random(seed);
    const PlainParts plain(whole, random_owners(whole, parts, random), parts);
    in_parts(parts, [&](const auto& transport) {
      PartMesh mesh(transport, seed % 2 == 0 ? Staging::host : Staging::device);
      Handles::session(mesh)->checks_halos = true;
      EXPECT_NO_THROW(loop.run_on_part(mesh, plain[transport->rank()])) << "seed " << seed;
    });
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
