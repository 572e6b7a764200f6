#include "mesh/io/mesh_io.hpp"

#include <gtest/gtest.h>

#include "base/os/file.hpp"
#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh {
namespace {

using testing::refusal;
using testing::same;
using testing::two_squares;

class MeshFiles : public ::testing::Test {
 protected:
  std::filesystem::path path(const char* name) const { return folder_.path() / name; }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-mesh"));
};

TEST_F(MeshFiles, are_written_by_extension_and_read_by_content) {
  for (const char* name : {"a.h5", "a.hdf5", "a.dat"}) {
    ASSERT_TRUE(write_mesh(path(name), two_squares())) << name;
    const auto mesh = read_mesh(path(name));
    ASSERT_TRUE(mesh) << mesh.error().message();
    EXPECT_TRUE(same(*mesh, two_squares()));
  }
  EXPECT_EQ(read_file(path("a.h5")).value(), read_file(path("a.hdf5")).value());
  std::filesystem::rename(path("a.h5"), path("b.dat"));
  EXPECT_TRUE(read_mesh(path("b.dat")));
  ASSERT_TRUE(write_mesh(path("c.txt"), two_squares(), FileKind::text));
  EXPECT_TRUE(read_mesh(path("c.txt")));
}

TEST_F(MeshFiles, have_errors_with_the_path) {
  EXPECT_EQ(refusal(write_mesh(path("a.xyz"), two_squares())),
            path("a.xyz").string() +
                ": found the extension '.xyz', expected .h5 or .hdf5 (HDF5), .dat (text)");
  EXPECT_EQ(refusal(write_mesh(path("a.dat"), MeshFile{})).find(path("a.dat").string() + ": no "),
            0u);
  EXPECT_FALSE(std::filesystem::exists(path("a.dat")));
  ASSERT_TRUE(write_file(path("t.dat"), as_bytes("1 2\n")));
  EXPECT_EQ(refusal(read_mesh(path("t.dat"))).find(path("t.dat").string() + ": line 1: "), 0u);
  ASSERT_TRUE(write_file(path("t.h5"), as_bytes("1 0 0\n0 0\n")));
  EXPECT_EQ(refusal(read_mesh(path("t.h5"))),
            path("t.h5").string() + ": no HDF5 file: its signature is missing");
  EXPECT_EQ(read_mesh(path("absent.h5")).error().code(), Errc::not_found);
  EXPECT_EQ(read_mesh(folder_.path()).error().code(), Errc::bad_input);
}

TEST_F(MeshFiles, replace_a_file_only_by_a_whole_one) {
  ASSERT_TRUE(write_mesh(path("a.h5"), two_squares()));
  MeshFile broken = two_squares();
  broken.maps[0].values[0] = 100;
  EXPECT_FALSE(write_mesh(path("a.h5"), broken));
  EXPECT_TRUE(same(read_mesh(path("a.h5")).value(), two_squares()));
  EXPECT_EQ(write_mesh(path("no/folder/a.h5"), two_squares()).error().code(), Errc::not_found);
}

TEST_F(MeshFiles, in_hdf5_are_those_that_the_disk_has) {
  ASSERT_TRUE(write_mesh(path("a.h5"), two_squares()));
  EXPECT_EQ(read_file(path("a.h5")).value(), write_hdf5(two_squares()).value());
}

}  // namespace
}  // namespace kiln::mesh
