#include <random>

#include "mpi/mpirun.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

/// Ranks above a layer that counts what they send, and lets messages come late (tests/mpi/delay).
Ranks run_above_layer(int count, const std::vector<std::string>& words) {
  std::vector<std::string> all{"LD_PRELOAD=" KILN_MPI_DELAY, KILN_MPI_RANKS};
  all.insert(all.end(), words.begin(), words.end());
  static const auto folder = value_or_throw(TemporaryFolder::create("kiln-mpi"));
  // Ranks and runs share what they compile.
  const std::string store = (folder.path() / "store").string();
  return run_program(count, "-x", all, unoptimised({{"KILN_STORE", store}}));
}

class Messages : public MpiTest, public ::testing::WithParamInterface<int> {};

TEST_P(Messages, OfAirfoilAreThoseOfThePartition) {
  const Ranks ranks = run_above_layer(GetParam(), {"airfoil_messages", "scotch"});
  expect_passed(ranks);
  if (GetParam() == 2) {
    EXPECT_THAT(ranks.result.output, HasSubstr("messages of a step: 4\n"));
  }
}

TEST_P(Messages, OfAirfoilAreThoseOfARandomPartition) {
  const std::string seed = std::to_string(std::random_device()() % 1'000'000);
  SCOPED_TRACE("seed " + seed);
  const Ranks ranks = run_above_layer(GetParam(), {"airfoil_messages", "random", seed});
  expect_passed(ranks);
  // Each part reads of each other one.
  const std::string expected =
      "messages of a step: " + std::to_string(2 * GetParam() * (GetParam() - 1)) + "\n";
  EXPECT_THAT(ranks.result.output, HasSubstr(expected));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Messages, ::testing::Values(2, 3, 4));

class LateMessages : public MpiTest {};

TEST_F(LateMessages, DoNotCompleteBeforeTheirTime) {
  expect_passed(run_above_layer(2, {"late_messages"}));
}

}  // namespace
}  // namespace kiln::testing
