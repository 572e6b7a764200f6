// kiln/mesh/file.hpp: from a file to a Mesh and back.
#include <gtest/gtest.h>

#include <functional>

#include "base/os/file.hpp"
#include "kiln/mesh.hpp"
#include "kiln/mesh/file.hpp"
#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh {
namespace {

using testing::same;
using testing::two_squares;

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.message();
  }
  return "nothing was thrown";
}

TEST(PublicMeshFile, is_written_and_read_by_its_name) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-mesh-file"));
  for (const char* name : {"mesh.h5", "mesh.dat"}) {
    const auto path = folder.path() / name;
    two_squares().write(path);
    EXPECT_TRUE(same(MeshFile::read(path), two_squares())) << name;
  }
  two_squares().write_vtu(folder.path() / "mesh.vtu");
  EXPECT_NE(value_or_throw(kiln::read_text(folder.path() / "mesh.vtu")).find("<UnstructuredGrid>"),
            std::string::npos);
  EXPECT_NE(message_of([&] { two_squares().write(folder.path() / "mesh.msh"); }).find("'.msh'"),
            std::string::npos);
  EXPECT_NE(message_of([&] { MeshFile::read(folder.path() / "none.h5"); }).find("none.h5"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              two_squares().write_vtu(folder.path() / "mesh.vtu", {"", "none", {}});
            }).find("mesh.vtu: there is no map 'none'"),
            std::string::npos);
}

TEST(PublicMeshFile, of_naca0012_has_its_sets) {
  const MeshFile file = MeshFile::make({20, 30, Naca0012::Variant::aero});
  EXPECT_EQ(file.find_set("cells")->size, 1800);
  EXPECT_NE(message_of([] { MeshFile::make({1, 1}); }), "nothing was thrown");
}

TEST(FileObjects, become_a_mesh_that_loops_run_on_and_go_back_into_a_file) {
  Mesh mesh({.store = "off"});
  FileObjects parts(mesh, two_squares());
  const Set cells = parts.set("cells");
  const Map corners = parts.map("pcell");
  const Dat x = parts.dat("p_x");
  EXPECT_EQ(corners.from(), cells) << "one Set, whoever asks first";
  EXPECT_EQ(corners.to(), x.set());
  EXPECT_EQ(parts.dat("p_x"), x);
  const Dat centre = mesh.dat<double>("centre", cells, 2);
  par_loop(
      Kernel("void mean(const double *x[4], double *m) {\n"
             "  for (int k = 0; k < 4; k++) { m[0] += x[k][0] / 4.0; m[1] += x[k][1] / 4.0; }\n"
             "}",
             "mean"),
      cells, arg(x, corners, READ), arg(centre, INC));

  MeshFile out;
  out.store(corners);
  out.store(x);
  out.store(centre);
  EXPECT_EQ(out.find_set("nodes")->size, 6);
  EXPECT_EQ(out.find_map("pcell")->values, two_squares().find_map("pcell")->values);
  const auto values = values_of<double>(*out.find_dat("centre"));
  EXPECT_EQ(std::vector<double>(values.begin(), values.end()),
            (std::vector<double>{0.5, 0.5, 1.5, 0.5}));

  Dat changed = centre;
  changed *= 2;
  out.store(changed);
  EXPECT_EQ(out.dats.size(), 2u) << "in place of the one of its name";
  EXPECT_EQ(values_of<double>(*out.find_dat("centre"))[2], 3);
}

TEST(FileObjects, keep_constants_and_layouts) {
  Mesh mesh({.store = "off"});
  MeshFile file = two_squares();
  file.constants.push_back({"gam", ScalarType::f64, 1, testing::bytes_from<double>({1.4})});
  FileObjects parts(mesh, std::move(file));
  EXPECT_EQ(parts.constant("gam").dim(), 1u);
  const Dat x = parts.dat("p_x", DataLayout::soa);
  EXPECT_EQ(x.layout(), DataLayout::soa);
  EXPECT_EQ(x.read<double>()[2], 1) << "element by element all the same";
  EXPECT_EQ(message_of([&] { parts.dat("p_x"); }),
            "dat 'p_x': it was asked for in another layout before");
}

TEST(FileObjects, say_which_name_is_absent_and_why) {
  Mesh mesh({.store = "off"});
  MeshFile file = two_squares();
  file.left_out = {"ends: nothing says which sets it joins"};
  FileObjects parts(mesh, std::move(file));
  EXPECT_EQ(message_of([&] { parts.map("pcel"); }),
            "the file has no map 'pcel'; did you mean 'pcell'?");
  EXPECT_EQ(message_of([&] { parts.map("ends"); }),
            "left out when the file was read: ends: nothing says which sets it joins");
  EXPECT_EQ(message_of([&] { parts.set("elements"); }), "the file has no set 'elements'");
  MeshFile broken = two_squares();
  broken.maps[0].values[0] = 6;
  EXPECT_NE(message_of([&] { FileObjects(mesh, std::move(broken)); }).find("map 'pcell'"),
            std::string::npos);
}

}  // namespace
}  // namespace kiln::mesh
