// How `kiln mesh` tries foreign code that a damaged file may kill.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "cli/mesh_program/program.hpp"

namespace kiln::cli {
namespace {

TEST(MeshTrial, says_nothing_of_work_that_ends) {
  EXPECT_EQ(died_of([] {}), "");
  EXPECT_EQ(died_of([] { ::_exit(7); }), "");
}

TEST(MeshTrial, names_the_signal_of_work_that_dies) {
  // Raised, since sanitizers turn what the processor would raise into a report and an exit.
  EXPECT_EQ(died_of([] { ::kill(::getpid(), SIGABRT); }), "SIGABRT");
  EXPECT_EQ(died_of([] { ::kill(::getpid(), SIGXCPU); }), "SIGXCPU");
}

TEST(MeshTrial, leaves_what_was_stopped_from_outside_to_the_real_run) {
  EXPECT_EQ(died_of([] { ::kill(::getpid(), SIGTERM); }), "");
}

TEST(MeshTrial, is_unheard_and_changes_nothing) {
  int changed = 0;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(died_of([&] {
              changed = 1;
              (void)!::write(STDOUT_FILENO, "out", 3);
              (void)!::write(STDERR_FILENO, "err", 3);
            }),
            "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(changed, 0);
}

}  // namespace
}  // namespace kiln::cli
