// Partitions in files.
#include <fstream>

#include "base/os/file.hpp"
#include "mesh/distributed/whole_mesh.hpp"

namespace kiln::mesh::testing {
namespace {

class SavedPartition : public ::testing::Test {
 protected:
  SavedPartition() {
    std::mt19937 random(3);
    whole_.sizes = {31, 20};
    WholeMesh::OneMap map{0, 1, 2, {}};
    for (int at = 0; at < 62; ++at) map.values.push_back(static_cast<std::int64_t>(random() % 20));
    whole_.maps = {map};
    for (int at = 0; at < 31; ++at) cut_.push_back(static_cast<std::int32_t>(random() % 3));
  }

  /// The numbers that each part owns and copies, after a cut by hand that is saved, or by the file.
  std::vector<std::vector<std::int64_t>> numbers(bool is_saved, unsigned blocks) const {
    std::vector<std::vector<std::int64_t>> all(3);
    std::mt19937 random(blocks);
    const auto starts = random_starts(whole_, 3, random);
    in_parts(3, [&](const auto& transport) {
      Mesh mesh = part_mesh(transport);
      const DeclaredMesh declared(mesh, whole_, starts, transport->rank());
      const Set& cells = declared.sets[0];
      const auto rank = static_cast<std::size_t>(transport->rank());
      if (is_saved) {
        mesh.partition(saved_partition(cells, path_));
      } else {
        mesh.partition(
            owners(cells, {cut_.begin() + starts[0][rank], cut_.begin() + starts[0][rank + 1]}));
        mesh.save_partition(cells, path_);
      }
      all[rank] = mesh.part(cells).numbers;
    });
    return all;
  }

  /// What two parts hear that take the file for this mesh.
  std::string refused(const WholeMesh& whole, int parts, Errc expected = Errc::bad_input) const {
    std::string said;
    std::mt19937 random(9);
    const auto starts = random_starts(whole, parts, random);
    in_parts(parts, [&](const auto& transport) {
      Mesh mesh = part_mesh(transport);
      const DeclaredMesh declared(mesh, whole, starts, transport->rank());
      const std::string line =
          refusal([&] { mesh.partition(saved_partition(declared.sets[0], path_)); }, expected);
      if (transport->rank() == 0) said = line;
    });
    return said.substr(said.find(": ") + 2);
  }

  void damage(std::size_t at) const {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(old ^ 1));
  }

  WholeMesh whole_;
  std::vector<std::int32_t> cut_;
  const TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create());
  const std::filesystem::path path_ = folder_.path() / "cells.part";
};

TEST_F(SavedPartition, comes_back_whatever_the_blocks) {
  const auto cut = numbers(false, 1);
  EXPECT_EQ(std::filesystem::file_size(path_), 40u + 31 * 4);
  EXPECT_EQ(numbers(true, 1), cut);
  EXPECT_EQ(numbers(true, 2), cut);
}

TEST_F(SavedPartition, of_another_mesh_is_refused) {
  numbers(false, 1);
  WholeMesh other = whole_;
  other.maps[0].values[5] = (other.maps[0].values[5] + 1) % 20;
  EXPECT_EQ(refused(other, 3),
            "the partition of another mesh than that of set set0: sizes of sets or values of maps "
            "differ");
  other = whole_;
  other.sizes[0] = 30;
  other.maps[0].values.resize(60);
  EXPECT_EQ(refused(other, 3), "the partition of a set with 31 elements, expected 30 (set set0)");
  EXPECT_EQ(refused(whole_, 2), "a partition into 3 parts, expected 2");
}

TEST_F(SavedPartition, of_a_damaged_file_is_refused) {
  EXPECT_EQ(refused(whole_, 3, Errc::not_found), "No such file or directory");
  numbers(false, 1);
  damage(50);
  EXPECT_EQ(refused(whole_, 3, Errc::corrupt), "its checksum does not hold");
  damage(50);
  damage(2);
  EXPECT_EQ(refused(whole_, 3),
            "no partition of a mesh, expected a file of Mesh::save_partition()");
  damage(2);
  damage(8);
  EXPECT_EQ(refused(whole_, 3), "format 0, expected 1");
  damage(8);
  std::filesystem::resize_file(path_, 100);
  EXPECT_EQ(refused(whole_, 3), "the file ends within the parts of 31 elements");
  std::filesystem::resize_file(path_, 10);
  EXPECT_EQ(refused(whole_, 3),
            "no partition of a mesh, expected a file of Mesh::save_partition()");
}

TEST_F(SavedPartition, that_cannot_be_written_is_an_error_of_all_parts) {
  in_parts(3, [&](const auto& transport) {
    Mesh mesh = part_mesh(transport);
    std::mt19937 random(4);
    const DeclaredMesh declared(mesh, whole_, random_starts(whole_, 3, random), transport->rank());
    const auto rank = transport->rank();
    mesh.partition(
        owners(declared.sets[0], std::vector<std::int32_t>(declared.sets[0].size(), rank)));
    EXPECT_THAT(
        refusal([&] { mesh.save_partition(declared.sets[0], path_ / "x"); }, Errc::not_found),
        ::testing::HasSubstr("cells.part"));
  });
}

}  // namespace
}  // namespace kiln::mesh::testing
