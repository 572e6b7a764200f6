#include "mpi/mpirun.hpp"

namespace kiln::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Failure : public MpiTest, public ::testing::WithParamInterface<int> {
 protected:
  static int last() { return GetParam() - 1; }
  static std::string last_rank() { return "rank " + std::to_string(last()); }
};

TEST_P(Failure, AnErrorOfARankEndsAllWithItsExitCode) {
  const Ranks bad = run_ranks(GetParam(), {"throwing", "bad_input"});
  EXPECT_EQ(bad.first_line(),
            "kiln: " + last_rank() +
                ": res_calc: argument 2: found a dat of nodes, expected one of cells");
  EXPECT_EQ(bad.result.exit_code, 2);
  EXPECT_EQ(bad.lines().size(), 1);
  expect_gone(bad, GetParam());
  const Ranks device = run_ranks(GetParam(), {"throwing", "device"});
  EXPECT_EQ(device.first_line(), "kiln: " + last_rank() + ": res_calc: the device is gone");
  EXPECT_EQ(device.result.exit_code, 1);
}

TEST_P(Failure, AnExceptionOfAnotherKindIsNamed) {
  EXPECT_EQ(run_ranks(GetParam(), {"throwing", "foreign"}).first_line(),
            "kiln: " + last_rank() + ": something else");
  EXPECT_EQ(run_ranks(GetParam(), {"throwing", "a number"}).first_line(),
            "kiln: " + last_rank() + ": an exception of an unknown type");
}

TEST_P(Failure, AnErrorOfAllRanksIsOneLine) {
  const Ranks ranks = run_ranks(GetParam(), {"all_throwing"});
  EXPECT_THAT(ranks.lines(), ElementsAre(HasSubstr(": grid.h5: the file has no set 'cells'")))
      << ranks.all();
  EXPECT_EQ(ranks.result.exit_code, 2);
  expect_gone(ranks, GetParam());
}

TEST_P(Failure, AbortEndsAll) {
  const Ranks ranks = run_ranks(GetParam(), {"aborting"});
  EXPECT_EQ(ranks.result.exit_code, 7) << ranks.all();
  expect_gone(ranks, GetParam());
}

TEST_P(Failure, AKilledRankEndsAll) {
  const Ranks ranks = run_ranks(GetParam(), {"killed"});
  EXPECT_EQ(ranks.result.exit_code, 137) << ranks.all();
  EXPECT_THAT(ranks.result.errors, HasSubstr("signal 9"));
  expect_gone(ranks, GetParam());
}

TEST_P(Failure, AStalledRankEndsAllAtTheLimit) {
  const std::pair<const char*, std::string> cases[] = {
      {"exchange", "halo of q, adt before res_calc: waited 1 s for " + last_rank() +
                       "; no sign of life from " + last_rank()},
      {"gather", "sum rms: waited 1 s for rank [0-9]; no sign of life from " + last_rank()},
      {"deliver", "neighbours of cells: waited 1 s for " + last_rank() + "; no sign of life from " +
                      last_rank()}};
  for (const auto& [kind, text] : cases) {
    const auto begin = std::chrono::steady_clock::now();
    const Ranks ranks = run_ranks(GetParam(), {"stalling", kind}, {{"KILN_MPI_STALL", "1"}});
    EXPECT_THAT(ranks.first_line(), ::testing::MatchesRegex("kiln: rank [0-9]: " + text))
        << ranks.all();
    EXPECT_EQ(ranks.lines().size(), 1) << ranks.all();
    EXPECT_EQ(ranks.result.exit_code, 1);
    expect_gone(ranks, GetParam());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Failure, ::testing::Values(2, 3, 4));

class Stall : public MpiTest {};

TEST_F(Stall, NamesWhatOthersWaitForInstead) {
  const Ranks ranks = run_ranks(2, {"elsewhere"}, {{"KILN_MPI_STALL", "1"}});
  EXPECT_THAT(ranks.lines(), ElementsAre(HasSubstr("waits for something else: "))) << ranks.all();
  EXPECT_THAT(ranks.first_line(), HasSubstr("halo of q before res_calc"));
  EXPECT_THAT(ranks.first_line(), HasSubstr("neighbours of cells"));
}

TEST_F(Stall, HasNoLimitWhileADebuggerHoldsARank) {
  for (const char* from : {"exchange", "meeting"}) {
    const Ranks ranks = run_ranks(2, {"traced", from}, {{"KILN_MPI_STALL", "1"}});
    if (ranks.result.output.find("no ptrace here") != std::string::npos)
      GTEST_SKIP() << "this system lets no process trace another one";
    expect_passed(ranks);
  }
}

TEST_F(Stall, LimitIsANumberOfSeconds) {
  const Ranks ranks = run_ranks(1, {"gathers"}, {{"KILN_MPI_STALL", "soon"}});
  EXPECT_EQ(ranks.first_line(),
            "kiln: rank 0: KILN_MPI_STALL: found 'soon', expected seconds or 'off'");
  EXPECT_EQ(ranks.result.exit_code, 2);
  expect_passed(run_ranks(1, {"gathers"}, {{"KILN_MPI_STALL", "off"}}));
}

/// A rank that does not come on within a call of another library.
class StalledCall : public MpiTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(StalledCall, EndsAllAtTheLimit) {
  const std::string library = GetParam();
  for (const std::string way : {"stops", "loops"}) {
    auto folder = TemporaryFolder::create("kiln-mpi");
    ASSERT_TRUE(folder) << folder.error().message();
    const std::string path = (folder->path() / "grid.h5").string();
    const std::vector<std::string> make{"mesh", "naca0012", "-I", "4", "-J", "4", "-o", path};
    ASSERT_EQ(run_program(1, KILN_COMMAND, make).result.exit_code, 0);
    const Ranks ranks = run_program(
        3, "-x",
        {"LD_PRELOAD=" KILN_MPI_STALL_LIBRARY, KILN_MPI_RANKS, "stalled_call", library, way, path},
        {{"KILN_MPI_STALL", "0.2"}});
    if (ranks.result.output.find("no " + library) != std::string::npos)
      GTEST_SKIP() << "Kiln was built without it";
    const std::string what = library == "scotch" ? "partitioning by scotch" : "reading " + path;
    ASSERT_EQ(ranks.lines().size(), 1) << ranks.all();
    EXPECT_THAT(ranks.first_line(), HasSubstr(": " + what + ": not done after 2 s"));
    EXPECT_EQ(ranks.first_line().ends_with("; rank 1 is stopped"), way == "stops") << ranks.all();
    EXPECT_EQ(ranks.result.exit_code, 1) << ranks.all();
    expect_gone(ranks, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, StalledCall, ::testing::Values("scotch", "hdf5"));

/// A rank that is stopped before a call of MPI that waits for it.
struct Stop {
  const char* before;  ///< the call, and which one
  const char* says;
};
void PrintTo(const Stop& stop, std::ostream* out) { *out << stop.before; }

class StoppedRank : public MpiTest, public ::testing::WithParamInterface<Stop> {};

TEST_P(StoppedRank, EndsAllAtTheLimit) {
  const auto& [before, says] = GetParam();
  const Ranks ranks =
      run_program(3, "-x", {"LD_PRELOAD=" KILN_MPI_STALL_LIBRARY, KILN_MPI_RANKS, "collectives"},
                  {{"KILN_MPI_STALL", "2"}, {"KILN_MPI_STALL_BEFORE", before}});
  EXPECT_THAT(ranks.first_line(), ::testing::MatchesRegex(std::string("kiln: rank [01]: ") + says))
      << ranks.all();
  EXPECT_EQ(ranks.result.exit_code, 1) << ranks.all();
  expect_gone(ranks, 3);
}

constexpr const char* meeting =
    "meeting all 3 ranks: not done after 2 s; process [0-9]* is stopped";
constexpr const char* writing =
    "writing never.h5: waited 2 s( for rank 2)?; no sign of life from rank 2";

INSTANTIATE_TEST_SUITE_P(
    Calls, StoppedRank,
    ::testing::Values(
        Stop{"MPI_Init_thread", "MPI_Init: not done after 20 s; process [0-9]* is stopped"},
        Stop{"MPI_Comm_dup", meeting}, Stop{"MPI_Comm_split_type", meeting},
        Stop{"MPI_Barrier:2", meeting},  // of another communicator
        Stop{"MPI_Iallgather",
             "finding the cores of the ranks: waited 2 s; no sign of life from rank 2"},
        Stop{"MPI_Comm_idup", "making a transport: waited 2 s; no sign of life from rank 2"},
        Stop{"MPI_Iallgather:2", writing}, Stop{"MPI_Ibcast", writing},
        Stop{"MPI_Ibarrier", "the end of all ranks: waited 2 s; no sign of life from rank 2"},
        Stop{"MPI_Finalize", "MPI_Finalize: not done after 2 s; rank 2 is stopped"}));

}  // namespace
}  // namespace kiln::testing
