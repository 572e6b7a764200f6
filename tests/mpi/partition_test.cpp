#include "mpi/mpirun.hpp"

namespace kiln::testing {
namespace {

class Partition : public MpiTest,
                  public ::testing::WithParamInterface<std::tuple<std::string, int>> {
 protected:
  static std::string library() { return std::get<0>(GetParam()); }
  static int ranks() { return std::get<1>(GetParam()); }
};

std::string digest_of(const Ranks& ranks) {
  const std::string& text = ranks.result.output;
  const auto at = text.find("digest ");
  return at == std::string::npos ? "none" : text.substr(at, text.find('\n', at) - at);
}

TEST_P(Partition, IsAsGoodAsTheLibraryItselfAndTheSameInEachRun) {
  const Ranks first = run_ranks(ranks(), {"partitions", library(), "100", "150", "alone"});
  expect_passed(first);
  // PT-Scotch itself, with threads, takes long where cores are few.
  const Ranks second = run_ranks(ranks(), {"partitions", library(), "100", "150", "compare"},
                                 {{"SCOTCH_PTHREAD_NUMBER", "1"}});
  expect_passed(second);
  EXPECT_EQ(digest_of(first), digest_of(second));
  EXPECT_NE(digest_of(first), "none");
  std::printf("%s", second.result.output.c_str());
}

TEST_P(Partition, OfGraphsThatAreSmallerThanRanks) {
  expect_passed(run_ranks(ranks(), {"small_graphs", library()}));
}

// PT-Scotch takes seconds to cut a mesh on several ranks.
INSTANTIATE_TEST_SUITE_P(Libraries, Partition,
                         ::testing::ValuesIn(long_or<std::tuple<std::string, int>>(
                             {{"scotch", 1},
                              {"scotch", 2},
                              {"scotch", 3},
                              {"scotch", 4},
                              {"metis", 1},
                              {"metis", 2},
                              {"metis", 3},
                              {"metis", 4}},
                             {{"scotch", 1}, {"scotch", 3}, {"metis", 2}, {"metis", 4}})));

}  // namespace
}  // namespace kiln::testing
