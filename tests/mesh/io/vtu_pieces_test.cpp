// Pictures of Meshes: one file of one part, pieces of several. That the pieces are right together
// is held by tests/mpi/command_test.cpp.
#include "base/os/file.hpp"
#include "kiln/mesh/file.hpp"
#include "mesh/distributed/part_mesh.hpp"

namespace kiln::mesh::testing::distributed {
namespace {

/// A row of squares, each the next one's neighbour; whole, or the rows of a part.
struct Squares {
  static constexpr std::int64_t count = 6;
  Mesh mesh;
  Set cells, nodes;
  Map corners, next;
  Dat x, q;

  explicit Squares(const std::shared_ptr<Transport>& transport)
      : mesh(transport == nullptr ? Mesh(parts_runtime()) : Mesh(parts_runtime(), transport)),
        cells(mesh.set("cells", rows(transport, count))),
        nodes(mesh.set("nodes", rows(transport, 2 * count + 2))),
        corners(mesh.map("pcell", cells, nodes, 4, corner_rows(transport))),
        next(mesh.map("next", cells, cells, 1, next_rows(transport))),
        x(mesh.dat<double>("p_x", nodes, 2, coordinates(transport))),
        q(mesh.dat<double>("q", nodes, 1)) {}

  static std::int64_t begin(const std::shared_ptr<Transport>& transport, std::int64_t of,
                            int more) {
    return transport == nullptr ? of * more : of * (transport->rank() + more) / transport->size();
  }
  static std::size_t rows(const std::shared_ptr<Transport>& transport, std::int64_t of) {
    return static_cast<std::size_t>(begin(transport, of, 1) - begin(transport, of, 0));
  }
  static Indices corner_rows(const std::shared_ptr<Transport>& transport) {
    Indices all;
    for (auto k = begin(transport, count, 0); k < begin(transport, count, 1); ++k)
      for (const std::int64_t node : {2 * k, 2 * k + 2, 2 * k + 3, 2 * k + 1})
        all.push_back(static_cast<std::int32_t>(node));
    return all;
  }
  static Indices next_rows(const std::shared_ptr<Transport>& transport) {
    Indices all;
    for (auto k = begin(transport, count, 0); k < begin(transport, count, 1); ++k)
      all.push_back(static_cast<std::int32_t>((k + 1) % count));
    return all;
  }
  static std::vector<double> coordinates(const std::shared_ptr<Transport>& transport) {
    std::vector<double> all;
    constexpr std::int64_t of = 2 * count + 2;
    for (auto k = begin(transport, of, 0); k < begin(transport, of, 1); ++k) {
      all.push_back(static_cast<double>(k / 2));
      all.push_back(static_cast<double>(k % 2));
    }
    return all;
  }
  /// Makes copies stale.
  void change() {
    par_loop(Kernel("void place(const double *x, double *q) { *q = x[0] + 10 * x[1]; }", "place"),
             nodes, arg(x, READ), arg(q, WRITE));
  }
};

class Pictures : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  std::string content(const std::string& name) const {
    return value_or_throw(kiln::read_text(path(name)));
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-pieces"));
};

TEST_F(Pictures, of_one_part_are_what_its_content_gives) {
  Squares all(nullptr);
  all.change();
  write_vtu(all.mesh, path("mesh.vtu"), all.corners, all.x, {all.q});
  MeshFile file;
  file.store(all.corners);
  file.store(all.x);
  file.store(all.q);
  file.write_vtu(path("file.vtu"), {.dats = {"q"}});
  EXPECT_EQ(content("mesh.vtu"), content("file.vtu"));
}

TEST_F(Pictures, of_parts_are_pieces_and_a_file_that_names_them) {
  in_parts(3, [&](const auto& transport) {
    Squares part(transport);
    // Part 1 owns no cell.
    std::vector<std::int32_t> chosen;
    for (auto k = Squares::begin(transport, 6, 0); k < Squares::begin(transport, 6, 1); ++k)
      chosen.push_back(k < 2 ? 0 : 2);
    part.mesh.partition(owners(part.cells, chosen));
    part.change();
    write_vtu(part.mesh, path("mesh.vtu"), part.corners, part.x, {part.q});
    EXPECT_FALSE(part.q.is_halo_stale());
  });
  const auto has = [&](const std::string& name, const std::string& text) {
    EXPECT_NE(content(name).find(text), std::string::npos) << text << "\n" << content(name);
  };
  has("mesh_0.vtu", "NumberOfPoints=\"6\" NumberOfCells=\"2\"");
  has("mesh_1.vtu", "NumberOfPoints=\"0\" NumberOfCells=\"0\"");
  has("mesh_2.vtu", "NumberOfPoints=\"10\" NumberOfCells=\"4\"");
  has("mesh.pvtu",
      "<PPointData>\n<PDataArray type=\"Float64\" Name=\"q\" NumberOfComponents=\"1\"/>\n");
  has("mesh.pvtu", "Name=\"partition\"");
  has("mesh.pvtu", "Name=\"cell_number\"");
  has("mesh.pvtu",
      "<Piece Source=\"mesh_0.vtu\"/>\n<Piece Source=\"mesh_1.vtu\"/>\n"
      "<Piece Source=\"mesh_2.vtu\"/>\n");
  EXPECT_FALSE(std::filesystem::exists(path("mesh.vtu")));
}

TEST_F(Pictures, are_refused_on_all_parts) {
  in_parts(2, [&](const auto& transport) {
    Squares part(transport);
    const auto picture = [&](const Map& cells, const Dat& x, const std::vector<Dat>& dats) {
      return refused([&] { write_vtu(part.mesh, path("mesh.vtu"), cells, x, dats); });
    };
    EXPECT_EQ(picture(part.corners, part.x, {}),
              "picture: set cells: not partitioned yet, expected Mesh::partition() before");
    part.mesh.partition(
        owners(part.cells, std::vector<std::int32_t>(part.cells.size(), transport->rank())));
    EXPECT_EQ(picture(part.next, part.x, {}),
              "picture: dat p_x is on nodes, expected coordinates on cells, to which map next "
              "leads");
    const Dat own = part.mesh.template dat<double>("partition", part.cells, 1);
    EXPECT_EQ(picture(part.corners, part.x, {own}),
              "picture: dat partition: the picture has a field of this name by itself");
    Squares other(nullptr);
    EXPECT_EQ(picture(part.corners, part.x, {other.q}),
              "picture: dat q belongs to another Mesh, expected one of this");
    const std::string unwritable =
        refused([&] { write_vtu(part.mesh, path("none/mesh.vtu"), part.corners, part.x); },
                Errc::not_found);
    EXPECT_NE(unwritable.find("mesh_0.vtu"), std::string::npos) << unwritable;
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace kiln::mesh::testing::distributed
