#include "cli/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace kiln::cli {
namespace {

// In child processes, so that this one's handlers stay as they are.

TEST(Interrupt, first_signal_only_sets_the_flag) {
  EXPECT_EXIT(
      {
        handle_signals();
        if (interrupted()) std::exit(1);
        std::raise(SIGINT);
        if (!interrupted()) std::exit(2);
        try {
          stop_if_interrupted();
        } catch (const Interrupted&) {
          std::exit(42);
        }
        std::exit(3);
      },
      ::testing::ExitedWithCode(42), "");
}

TEST(Interrupt, second_signal_ends_the_process) {
  EXPECT_EXIT(
      {
        handle_signals();
        std::raise(SIGTERM);
        std::raise(SIGTERM);
        std::exit(1);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(Interrupt, a_step_that_hangs_is_ended_by_the_signal_when_the_time_is_up) {
  EXPECT_EXIT(
      {
        handle_signals();
        std::raise(SIGINT);
        std::raise(SIGALRM);  // what the clock sends while a driver's call does not return
        std::exit(1);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupt, the_process_ends_by_the_signal_it_received) {
  EXPECT_EXIT(
      {
        handle_signals();
        std::raise(SIGINT);
        end_by_signal();
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupt, nothing_stops_without_a_signal) {
  EXPECT_FALSE(interrupted());
  EXPECT_NO_THROW(stop_if_interrupted());
}

}  // namespace
}  // namespace kiln::cli
