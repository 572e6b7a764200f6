#include <cstdlib>
#include <optional>

#include "mpi/mpirun.hpp"

namespace kiln::testing {
namespace {

class RankSolve : public MpiTest {};

std::string line_of(const Ranks& ranks) {
  const std::string& text = ranks.result.output;
  const auto at = text.find("iterations ");
  EXPECT_NE(at, std::string::npos) << ranks.all();
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

int iterations_of(const std::string& line) {
  return line.empty() ? -1 : std::atoi(line.c_str() + std::string("iterations ").size());
}

// On one rank the method is the classical one, on several that with one sum an iteration.
TEST_F(RankSolve, TakesAsManyIterationsOnAnyNumberOfRanks) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-mpi"));
  const std::string grid = (folder.path() / "grid.h5").string();
  ASSERT_EQ(run_program(1, KILN_COMMAND,
                        {"mesh", "naca0012", "-I", "20", "-J", "30", "--aero", "-o", grid})
                .result.exit_code,
            0);
  // Ranks and runs share what they compile.
  const Variables store{{"KILN_STORE", (folder.path() / "store").string()}};
  const Ranks alone = run_ranks(1, {"solves", grid}, store);
  expect_passed(alone);
  const int expected = iterations_of(line_of(alone));
  EXPECT_GT(expected, 20);
  for (const int count : {2, 3, 4}) {
    const Ranks ranks = run_ranks(count, {"solves", grid}, store);
    expect_passed(ranks);
    EXPECT_NEAR(iterations_of(line_of(ranks)), expected, 1) << count;
    EXPECT_EQ(line_of(run_ranks(count, {"solves", grid}, store)), line_of(ranks))
        << "not the same twice";
  }
}

}  // namespace
}  // namespace kiln::testing
