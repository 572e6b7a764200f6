#include "mpi/mpirun.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

class RankRuntime : public MpiTest {};

TEST_F(RankRuntime, CompilesEachLoopOnceForAllRanksOfAMachine) {
  for (const int count : {1, 2, 4}) {
    auto folder = TemporaryFolder::create("kiln-mpi");
    ASSERT_TRUE(folder) << folder.error().message();
    const std::string store = (folder->path() / "store").string();
    const Ranks cold = run_ranks(count, {"herd", store});
    expect_passed(cold);
    EXPECT_THAT(cold.result.output, HasSubstr("compiled 3\n"));
    const Ranks warm = run_ranks(count, {"herd", store});
    expect_passed(warm);
    EXPECT_THAT(warm.result.output, HasSubstr("compiled 0\n"));
  }
}

TEST_F(RankRuntime, ComputesOnItsShareOfTheCores) {
  const std::size_t cores = usable_processors();
  const Ranks ranks = run_ranks(2, {"threads", "0"});
  expect_passed(ranks);
  const auto share = std::to_string(std::max<std::size_t>(cores / 2, 1));
  const std::string expected = "units " + share + " busy " + share + "\n";
  const auto first = ranks.result.output.find(expected);
  EXPECT_NE(first, std::string::npos) << ranks.all();
  EXPECT_NE(ranks.result.output.find(expected, first + 1), std::string::npos) << ranks.all();
}

TEST_F(RankRuntime, HasAsManyThreadsAsAreAskedFor) {
  const Ranks ranks = run_ranks(1, {"threads", "1"});
  expect_passed(ranks);
  EXPECT_THAT(ranks.result.output, HasSubstr("units 1 busy 1\n"));
}

TEST_F(RankRuntime, LeavesWhatTheUserSaysOfPoclsThreads) {
  const Ranks ranks = run_ranks(1, {"threads", "1", "2"},
                                {{"POCL_MAX_PTHREAD_COUNT", "2"}, {"POCL_CPU_MAX_CU_COUNT", "2"}});
  expect_passed(ranks);
  EXPECT_THAT(ranks.result.output, HasSubstr("units 1 busy 1 of more\n"));
}

TEST_F(RankRuntime, HasAShareOfTheWorkByItsSpeed) {
  for (const int count : {2, 3}) {
    const Ranks ranks = run_ranks(count, {"shares"});
    // It ends with what is refused.
    EXPECT_THAT(ranks.first_line(),
                ::testing::MatchesRegex("kiln: rank [0-9]: shares of ranks: rank 0 gives -1 "
                                        "elements in 1 s, expected numbers from 0 on"))
        << ranks.all();
    EXPECT_EQ(ranks.result.exit_code, 2);
  }
}

TEST_F(RankRuntime, CutsTheMeshAgainUntilPartsFit) {
  for (const int count : {1, 2, 3}) {
    const Ranks ranks = run_ranks(count, {"balancing"});
    expect_passed(ranks);
    EXPECT_THAT(ranks.result.output, HasSubstr("balanced\n"));
  }
}

TEST_F(RankRuntime, ComputesWhereTheLauncherBoundIt) {
  const Ranks ranks =
      run_ranks(1, {"threads", "0"}, {{"OMPI_MCA_hwloc_base_binding_policy", "core"}});
  expect_passed(ranks);
  EXPECT_THAT(ranks.result.output, HasSubstr("units 1 busy 1\n"));
}

}  // namespace
}  // namespace kiln::testing
