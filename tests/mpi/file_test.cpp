#include <fstream>
#include <optional>

#include "mpi/mpirun.hpp"

namespace kiln::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ParallelFile : public MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    auto made = TemporaryFolder::create("kiln-mpi");
    ASSERT_TRUE(made) << made.error().message();
    folder_.emplace(std::move(*made));
  }
  std::string path(const std::string& name) const { return (folder_->path() / name).string(); }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  /// What all ranks say of a file that none can read.
  void expect_refused(const std::string& name, const std::string& why, int exit_code = 2) const {
    for (const int count : long_or<int>({1, 2, 3, 4}, {1, 3})) {
      const Ranks ranks = run_ranks(count, {"copy_file", path(name), path("copy.h5")});
      EXPECT_THAT(ranks.lines(),
                  ElementsAre(::testing::AllOf(HasSubstr(path(name) + ": "), HasSubstr(why))))
          << ranks.all();
      EXPECT_EQ(ranks.result.exit_code, exit_code);
      EXPECT_FALSE(std::filesystem::exists(path("copy.h5")));
    }
  }
  std::optional<TemporaryFolder> folder_;
};

TEST_F(ParallelFile, HasTheSameDataWhateverTheNumberOfRanks) {
  for (const int count : {1, 2, 3, 4})
    expect_passed(
        run_ranks(count, {"write_file", path(std::to_string(count) + ".h5"), path("plain.h5")}));
  // Not the data alone: all of the file.
  for (const int count : {2, 3, 4})
    EXPECT_TRUE(content(std::to_string(count) + ".h5") == content("1.h5")) << count;
}

TEST_F(ParallelFile, IsReadOnAnotherNumberOfRanks) {
  expect_passed(run_ranks(3, {"write_file", path("by3.h5"), path("plain.h5")}));
  for (const int count : {1, 2, 4}) {
    const std::string copy = "copy by " + std::to_string(count);
    expect_passed(run_ranks(count, {"copy_file", path("by3.h5"), path(copy)}));
    expect_passed(run_ranks(count, {"copy_file", path("plain.h5"), path(copy + " of plain")}));
    // Written in the order of the names, as they are read.
    EXPECT_TRUE(content(copy) == content("copy by 1")) << count;
    EXPECT_TRUE(content(copy + " of plain") == content("copy by 1")) << count;
  }
}

TEST_F(ParallelFile, OfAMeshInPartsIsTheSameWhateverThePartition) {
  expect_passed(run_ranks(1, {"write_file", path("whole.h5"), path("plain.h5")}));
  expect_passed(run_ranks(1, {"cut_file", path("whole.h5"), path("blocks.h5"), "blocks"}));
  using Cut = std::pair<int, const char*>;
  std::vector<Cut> all;
  for (const int count : {1, 2, 3, 4})
    for (const char* how : {"blocks", "scotch", "metis"}) all.emplace_back(count, how);
  for (const auto& [count, how] : long_or<Cut>(
           all, {{1, "metis"}, {2, "scotch"}, {3, "blocks"}, {3, "scotch"}, {4, "metis"}})) {
    expect_passed(run_ranks(count, {"cut_file", path("whole.h5"), path("cut.h5"), how}));
    EXPECT_TRUE(content("cut.h5") == content("blocks.h5")) << how << " by " << count;
  }
}

TEST_F(ParallelFile, WithoutAMapThatIsAskedFor) {
  expect_passed(run_ranks(1, {"write_file", path("whole.h5"), path("plain.h5")}));
  for (const int count : long_or<int>({1, 2, 3, 4}, {1, 3})) {
    const Ranks ranks = run_ranks(count, {"missing_parts", path("whole.h5")});
    EXPECT_THAT(ranks.lines(), ElementsAre(HasSubstr(": the file has no map 'pcel'; did you mean "
                                                     "'pcell'?")))
        << ranks.all();
    EXPECT_EQ(ranks.result.exit_code, 2);
  }
}

TEST_F(ParallelFile, AndTheSerialLibraryAreInOneProcess) {
  for (const int count : {1, 2})
    expect_passed(run_ranks(count, {"both_libraries", folder_->path().string()}));
}

TEST_F(ParallelFile, ThatIsNoneIsRefused) {
  expect_refused("absent.h5", "no such file");
  write("text.h5", "720 1 2 3\n");
  expect_refused("text.h5", "no HDF5 file");
  write("empty.h5", "");
  expect_refused("empty.h5", "no HDF5 file");
}

TEST_F(ParallelFile, ThatIsCutOffIsRefused) {
  expect_passed(run_ranks(1, {"write_file", path("whole.h5"), path("plain.h5")}));
  const std::string whole = content("whole.h5");
  for (const double share : {0.1, 0.5, 0.99}) {
    write("cut.h5",
          whole.substr(0, static_cast<std::size_t>(static_cast<double>(whole.size()) * share)));
    expect_refused("cut.h5", "damaged HDF5 file: cannot open it");
  }
}

TEST_F(ParallelFile, WithAMapThatDoesNotFitIsRefused) {
  expect_passed(run_ranks(1, {"write_file", path("whole.h5"), path("plain.h5")}));
  const std::string whole = content("whole.h5");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string bytes = whole;
    std::size_t count = 0;
    for (auto at = bytes.find(from); at != std::string::npos;
         at = bytes.find(from, at + 1), ++count)
      bytes.replace(at, to.size(), to);
    EXPECT_GT(count, 0) << from;
    write("changed.h5", bytes);
  };
  // The values of pcorner: 3 and 1, of nodes.
  const std::string values("\3\0\0\0\1\0\0\0", 8), outside("\3\0\0\0\377\377\0\0", 8);
  changed(values, outside);
  expect_refused("changed.h5", "map 'pcorner': entry 0 of element 1 is 65535, expected 0 to ");
  // A set that a map leads from is called otherwise.
  changed(std::string("corners\0", 8), std::string("coxxers\0", 8));
  const Ranks ranks = run_ranks(2, {"copy_file", path("changed.h5"), path("copy.h5")});
  EXPECT_TRUE(ranks.result.exit_code == 0 || ranks.result.exit_code == 2) << ranks.all();
}

TEST_F(ParallelFile, IntoAFolderThatIsNotThere) {
  const Ranks ranks = run_ranks(2, {"write_file", path("no/folder.h5"), path("plain.h5")});
  EXPECT_THAT(ranks.lines(), ElementsAre(HasSubstr("cannot write a head to an HDF5 file")))
      << ranks.all();
  EXPECT_EQ(ranks.result.exit_code, 1);
}

}  // namespace
}  // namespace kiln::testing
