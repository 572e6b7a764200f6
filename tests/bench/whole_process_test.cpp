#include "frame/whole_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::bench {
namespace {

TEST(WholeProcess, a_run_takes_time_and_its_arguments_arrive) {
  const auto took = time_process({"/bin/sh", {"-c", "test \"$1\" = 'a b'", "sh", "a b"}, {}});
  ASSERT_TRUE(took) << took.error();
  EXPECT_GT(*took, 0);
}

TEST(WholeProcess, a_run_that_fails_is_no_sample) {
  const auto exits = time_process({"/bin/sh", {"-c", "exit 3"}, {}});
  ASSERT_FALSE(exits);
  EXPECT_EQ(exits.error(), "sh exits 3");
  const auto dies = time_process({"/bin/sh", {"-c", "kill -9 $$"}, {}});
  ASSERT_FALSE(dies);
  EXPECT_EQ(dies.error(), "sh dies of signal 9");
}

TEST(WholeProcess, a_program_that_is_absent_says_so) {
  const auto took = time_process({"/nonexistent/program", {}, {}});
  ASSERT_FALSE(took);
  EXPECT_THAT(took.error(), testing::StartsWith("cannot start program: "));
}

TEST(WholeProcess, names_of_the_environment_are_replaced_and_the_rest_stays) {
  ::setenv("KILN_BENCH_KEPT", "kept", 1);
  ::setenv("KILN_BENCH_REPLACED", "old", 1);
  const auto took =
      time_process({"/bin/sh",
                    {"-c", "test $KILN_BENCH_KEPT = kept && test $KILN_BENCH_REPLACED = new"},
                    {{"KILN_BENCH_REPLACED", "new"}}});
  EXPECT_TRUE(took) << took.error();
}

}  // namespace
}  // namespace kiln::bench
