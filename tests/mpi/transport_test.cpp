#include <random>

#include "mpi/mpirun.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

class Transport : public MpiTest, public ::testing::WithParamInterface<int> {};

std::string new_seed() { return std::to_string(std::random_device()() % 1'000'000); }

TEST_P(Transport, BringsWhatWasSent) {
  expect_passed(run_ranks(GetParam(), {"random_messages", new_seed()}));
}
TEST_P(Transport, StartsTheSameExchangeAgain) {
  expect_passed(run_ranks(GetParam(), {"repeated_starts"}));
}
TEST_P(Transport, CutsMessagesThatMpiCannotCount) {
  expect_passed(run_ranks(GetParam(), {"large_messages"}));
}
TEST_P(Transport, DeliversToWhomIsNamed) {
  expect_passed(run_ranks(GetParam(), {"deliveries", new_seed()}));
}
TEST_P(Transport, GathersInTheOrderOfRanks) { expect_passed(run_ranks(GetParam(), {"gathers"})); }
TEST_P(Transport, GoesOnOneRankSoonerThanOnOthers) {
  expect_passed(run_ranks(GetParam(), {"early_ends"}));
}
TEST_P(Transport, KnowsItsPlace) { expect_passed(run_ranks(GetParam(), {"places"})); }

INSTANTIATE_TEST_SUITE_P(Ranks, Transport, ::testing::Values(1, 2, 3, 4));

class MessageSize : public MpiTest {};

TEST_F(MessageSize, OfAnotherRankIsHeldAgainstTheExpectedOne) {
  const Ranks smaller = run_ranks(2, {"wrong_size", "60"});
  EXPECT_EQ(smaller.first_line(),
            "kiln: rank 1: halo of q before res_calc: rank 0 sent 60 bytes, expected 100");
  EXPECT_EQ(smaller.result.exit_code, 1);
  const Ranks larger = run_ranks(2, {"wrong_size", "140"});
  EXPECT_EQ(larger.first_line(),
            "kiln: rank 1: halo of q before res_calc: rank 0 sent 140 bytes, expected 100");
  EXPECT_EQ(larger.result.exit_code, 1);
}

}  // namespace
}  // namespace kiln::testing
