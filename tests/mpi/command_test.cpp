#include <optional>

#include "mpi/mpirun.hpp"

namespace kiln::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// `kiln mesh …` as ranks.
class RankCommand : public MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    auto made = TemporaryFolder::create("kiln-mpi");
    ASSERT_TRUE(made) << made.error().message();
    folder_.emplace(std::move(*made));
    store_ = {{"KILN_STORE", KILN_BINARY_DIR "/mpi-store"}};
  }
  std::string path(const std::string& name) const { return (folder_->path() / name).string(); }
  Ranks kiln(int count, const std::vector<std::string>& words) const {
    return run_program(count, KILN_COMMAND, words, store_);
  }
  std::optional<TemporaryFolder> folder_;
  Variables store_;
};

TEST_F(RankCommand, OfFilesWorksOnOneRank) {
  const std::string file = path("grid.h5");
  const Ranks made = kiln(3, {"mesh", "naca0012", "-I", "10", "-J", "8", "-o", file});
  EXPECT_EQ(made.result.output, file + ": 279 nodes, 452 edges, 56 bedges, 240 cells\n")
      << made.all();
  EXPECT_EQ(made.result.exit_code, 0);
  EXPECT_EQ(kiln(2, {"mesh", "info", file}).result.output,
            kiln(1, {"mesh", "info", file}).result.output);
}

TEST_F(RankCommand, SaysOnceWhatIsWrong) {
  const Ranks option = kiln(3, {"mesh", "airfoil", "--iteration"});
  // By kiln itself, which knows of no ranks: by each until the launcher ends them.
  EXPECT_THAT(option.lines(), ::testing::Each(HasSubstr("--iteration"))) << option.all();
  EXPECT_THAT(option.lines(), ::testing::Not(::testing::IsEmpty()));
  EXPECT_EQ(option.result.exit_code, 2);
  const Ranks file = kiln(3, {"mesh", "airfoil", "--grid", path("absent.h5")});
  EXPECT_THAT(file.lines(), ElementsAre(HasSubstr("absent.h5: no such file"))) << file.all();
  EXPECT_EQ(file.result.exit_code, 2);
}

TEST_F(RankCommand, CountsEachElementOnce) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "-o", file}).result.exit_code, 0);
  for (const int count : {1, 2, 3, 4}) {
    const Ranks ranks = kiln(count, {"mesh", "reduction", "--grid", file});
    EXPECT_THAT(ranks.result.output, HasSubstr("edges: 3530 of 3530 counted\n")) << ranks.all();
    EXPECT_THAT(ranks.result.output, HasSubstr("cells: 1800 of 1800 counted\n")) << ranks.all();
    EXPECT_EQ(ranks.result.exit_code, 0);
  }
}

TEST_F(RankCommand, PrintsTheSameFlowWhateverTheNumberOfRanks) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "-o", file}).result.exit_code, 0);
  const std::string alone = kiln(1, {"mesh", "airfoil", "--grid", file, "-n", "200"}).result.output;
  EXPECT_EQ(alone, "   100  2.07422e-04\n   200  6.04419e-05\n");
  for (const int count : {2, 3, 4}) {
    const Ranks ranks = kiln(count, {"mesh", "airfoil", "--grid", file, "-n", "200"});
    EXPECT_EQ(ranks.result.output, alone) << ranks.all();
  }
}

TEST_F(RankCommand, PrintsTheSameFlowWithPartsByTheSpeedOfTheirDevices) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "-o", file}).result.exit_code, 0);
  const Ranks ranks = kiln(2, {"mesh", "airfoil", "--grid", file, "-n", "200", "--balance"});
  EXPECT_EQ(ranks.result.output, "   100  2.07422e-04\n   200  6.04419e-05\n") << ranks.all();
}

TEST_F(RankCommand, FindsNothingWrongWithItsHalos) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "10", "-J", "15", "-o", file}).result.exit_code, 0);
  const std::vector<std::string> words{"mesh", "airfoil", "--grid", file, "-n", "20"};
  const std::string alone = kiln(1, words).result.output;
  Variables more = store_;
  more.emplace_back("KILN_MPI_CHECK", "1");
  EXPECT_EQ(run_program(3, KILN_COMMAND, words, more).result.output, alone);
  more.back().second = "perhaps";
  const Ranks wrong = run_program(2, KILN_COMMAND, words, more);
  EXPECT_THAT(wrong.first_line(), HasSubstr("KILN_MPI_CHECK: found 'perhaps', expected 0 or 1"));
  EXPECT_EQ(wrong.result.exit_code, 2);
}

TEST_F(RankCommand, SolvesTheSamePotentialWhateverTheNumberOfRanks) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(
      kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "--aero", "-o", file}).result.exit_code,
      0);
  for (const int count : {1, 2, 4}) {
    const Ranks ranks = kiln(count, {"mesh", "aero", "--grid", file, "--steps", "3", "--reference",
                                     "6.86672957241e-06"});
    EXPECT_EQ(ranks.result.exit_code, 0) << ranks.all();
    EXPECT_THAT(ranks.result.output, HasSubstr("check passed: ")) << ranks.all();
  }
}

}  // namespace
}  // namespace kiln::testing
