// Who is let through to a server that has failed, and when. The clock is the test's.
#include "store/redis/breaker.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace kiln::redis {
namespace {

using Pass = Breaker::Pass;
using Change = Breaker::Change;
using ::testing::HasSubstr;

constexpr std::int64_t one_second = 1'000'000'000;
constexpr Breaker::Pauses exact{std::chrono::seconds(1), std::chrono::seconds(60), 0};

TEST(Breaker, lets_everybody_through_while_all_is_well) {
  Breaker breaker(exact);
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(breaker.ask(call), Pass::normal);
    EXPECT_EQ(breaker.succeeded(Pass::normal), Change::none);
  }
  EXPECT_FALSE(breaker.open());
}

TEST(Breaker, turns_everybody_away_after_a_failure_and_says_why) {
  Breaker breaker(exact);
  EXPECT_EQ(breaker.failed(breaker.ask(0), 0, "it is gone"), Change::gone);
  EXPECT_EQ(breaker.ask(0), Pass::refused);
  EXPECT_EQ(breaker.ask(one_second - 1), Pass::refused);
  EXPECT_EQ(breaker.state(one_second / 2), "it is gone; next try in 0.5 s");
}

TEST(Breaker, one_may_try_while_the_others_are_turned_away) {
  Breaker breaker(exact);
  breaker.failed(breaker.ask(0), 0, "gone");
  EXPECT_EQ(breaker.ask(one_second), Pass::trial);
  EXPECT_EQ(breaker.ask(one_second), Pass::refused);
  EXPECT_EQ(breaker.ask(2 * one_second - 1), Pass::refused);
  EXPECT_EQ(breaker.state(one_second), "gone; next try in 1.0 s");
}

TEST(Breaker, a_good_trial_closes_it_and_the_pause_begins_small_again) {
  Breaker breaker(exact);
  breaker.failed(Pass::normal, 0, "gone");
  breaker.failed(breaker.ask(one_second), one_second, "gone");
  EXPECT_EQ(breaker.succeeded(breaker.ask(3 * one_second)), Change::back);
  EXPECT_EQ(breaker.ask(3 * one_second), Pass::normal);
  breaker.failed(Pass::normal, 4 * one_second, "gone");
  EXPECT_EQ(breaker.ask(5 * one_second), Pass::trial);
}

TEST(Breaker, each_failed_trial_doubles_the_pause_up_to_the_longest) {
  Breaker breaker(exact);
  breaker.failed(Pass::normal, 0, "gone");
  std::int64_t now = 0;
  for (const int pause : {1, 2, 4, 8, 16, 32, 60, 60, 60}) {
    EXPECT_EQ(breaker.ask(now + pause * one_second - 1), Pass::refused) << pause;
    now += pause * one_second;
    ASSERT_EQ(breaker.ask(now), Pass::trial) << pause;
    EXPECT_EQ(breaker.failed(Pass::trial, now, "gone"), Change::none);
  }
}

TEST(Breaker, of_many_that_fail_together_the_first_counts) {
  Breaker breaker(exact);
  EXPECT_EQ(breaker.failed(Pass::normal, 0, "first"), Change::gone);
  for (int other = 0; other < 7; ++other)
    EXPECT_EQ(breaker.failed(Pass::normal, 10, "other"), Change::none);
  EXPECT_THAT(breaker.state(0), HasSubstr("first; next try in 1.0 s"));
}

TEST(Breaker, one_that_set_out_before_does_not_close_it) {
  Breaker breaker(exact);
  breaker.failed(Pass::normal, 0, "gone");
  EXPECT_EQ(breaker.succeeded(Pass::normal), Change::none);
  EXPECT_EQ(breaker.ask(1), Pass::refused);
}

TEST(Breaker, a_trial_that_does_not_come_back_is_anothers_after_a_further_pause) {
  Breaker breaker(exact);
  breaker.failed(Pass::normal, 0, "gone");
  EXPECT_EQ(breaker.ask(one_second), Pass::trial);
  EXPECT_EQ(breaker.ask(2 * one_second), Pass::trial);
}

RC_GTEST_PROP(Breaker, a_pause_is_within_its_jitter, (unsigned seed)) {
  Breaker breaker({std::chrono::seconds(10), std::chrono::seconds(60), 0.2}, seed);
  breaker.failed(Pass::normal, 0, "gone");
  RC_ASSERT(breaker.ask(8 * one_second - 1) == Pass::refused);
  RC_ASSERT(breaker.ask(12 * one_second) == Pass::trial);
}

}  // namespace
}  // namespace kiln::redis
