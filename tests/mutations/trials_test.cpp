// That the trials of commands notice what they are for.
#include "mutations/trials.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>

namespace kiln::mutations {
namespace {

/// Trials of `kiln --version` in which input 7 does something else.
Trials with_input_7(const std::function<void()>& work,
                    std::chrono::milliseconds longest = std::chrono::minutes(1)) {
  return {.name = "self-test",
          .seeds = corpus("format_kdb"),
          .words = [](std::uint64_t, const std::string&) -> std::vector<std::string> {
            return {"--version"};
          },
          .place =
              [=](const Bytes&, std::uint64_t number) {
                if (number == 7) work();
              },
          .batch = 10,
          .few = 20,
          .many = 20,
          .longest = longest};
}

TEST(MutationTrials, name_the_input_that_ends_its_process) {
  const Trials trials = with_input_7([] { std::raise(SIGSEGV); });
  EXPECT_NONFATAL_FAILURE(expect_endings(trials), "KILN_MUTATION_FIRST=7 ");
  const Trials others = with_input_7([] { ::_exit(3); });
  EXPECT_NONFATAL_FAILURE(expect_endings(others), "gives exit code 3");
}

TEST(MutationTrials, name_the_input_that_does_not_end) {
  const Trials trials = with_input_7([] { ::pause(); }, std::chrono::milliseconds(500));
  EXPECT_NONFATAL_FAILURE(expect_endings(trials), "does not end");
}

TEST(MutationTrials, go_on_where_nothing_is_wrong) {
  expect_endings(with_input_7([] {}));
}

TEST(Mutator, gives_the_same_input_for_the_same_number_and_others_for_others) {
  const Mutator one(corpus("spec_load"), Form::text, 1), same(corpus("spec_load"), Form::text, 1),
      other(corpus("spec_load"), Form::text, 2);
  std::set<Bytes> inputs;
  std::size_t differ = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    EXPECT_EQ(one.input(number), same.input(number)) << number;
    differ += one.input(number) != other.input(number);
    inputs.insert(one.input(number));
  }
  EXPECT_GT(differ, 150u);
  EXPECT_GT(inputs.size(), 150u);
}

}  // namespace
}  // namespace kiln::mutations
