#include "cli/command/interrupt.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(Interrupt, a_command_that_ends_by_itself_gets_the_time_that_it_asks_for) {
  EXPECT_EXIT(
      {
        handle_signals();
        end_in_good_order(std::chrono::seconds(1000));
        std::raise(SIGINT);
        const unsigned first = ::alarm(0);  // what was left of the clock's time
        end_in_good_order(std::chrono::seconds(5000));
        std::exit(first > 500 && ::alarm(0) > 2000 ? 42 : 1);
      },
      ::testing::ExitedWithCode(42), "");
}

TEST(Interrupt, a_second_signal_does_not_wait_for_good_order) {
  EXPECT_EXIT(
      {
        handle_signals();
        end_in_good_order(std::chrono::seconds(1000));
        std::raise(SIGINT);
        std::raise(SIGINT);
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

TEST(Interrupt, a_step_that_only_reads_ends_at_once) {
  EXPECT_EXIT(
      {
        handle_signals();
        const EndsAtOnce reading;
        std::raise(SIGTERM);
        std::exit(1);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(Interrupt, behind_such_a_step_a_signal_only_sets_the_flag) {
  EXPECT_EXIT(
      {
        handle_signals();
        { const EndsAtOnce reading; }
        std::raise(SIGINT);
        if (!interrupted() || received_signal() != SIGINT) std::exit(1);
        try {
          const EndsAtOnce too_late;
        } catch (const Interrupted&) {
          std::exit(42);
        }
        std::exit(2);
      },
      ::testing::ExitedWithCode(42), "");
}

TEST(Interrupt, nothing_stops_without_a_signal) {
  EXPECT_FALSE(interrupted());
  EXPECT_NO_THROW(stop_if_interrupted());
}

}  // namespace
}  // namespace kiln::cli
