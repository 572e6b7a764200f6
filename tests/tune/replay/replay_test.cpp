#include "tune/replay/replay.hpp"

#include <gmock/gmock.h>

#include "../support.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::tune {
namespace {

using testing::space;
using testing::valley;

/// A space of one parameter with these times; 0: fails.
MeasuredSpace line(const std::vector<double>& times) {
  MeasuredSpace measured{"", "", space({"A=1.." + std::to_string(times.size())}), {}, 0};
  for (const double time : times) {
    measured.outcomes.push_back(time > 0 ? Outcome::of_time(time) : Outcome::of(Failure::build));
    if (time > 0 && (measured.fastest == 0 || time < measured.fastest)) measured.fastest = time;
  }
  return measured;
}

Search in_order(const MeasuredSpace& measured, std::size_t least = 0, std::size_t most = 1000) {
  const auto strategy = make_strategy("exhaustive", measured.space, 1).value();
  return replay(measured, *strategy, 0.95, least, most);
}

TEST(Replay, counts_failures_and_ends_at_the_aim) {
  const Search search = in_order(line({0, 0, 5, 0, 1.05, 1, 2}));
  EXPECT_EQ(search.reached, 5u);  // 1 / 1.05 > 0.95
  EXPECT_EQ(search.trials.size(), 5u);
}

TEST(Replay, a_speed_just_below_the_share_is_not_there) {
  EXPECT_EQ(in_order(line({1.06, 1})).reached, 2u);
}

TEST(Replay, goes_on_for_as_long_as_it_is_told) {
  EXPECT_EQ(in_order(line({1.01, 5, 5, 1, 5, 5}), 3).trials.size(), 3u);
  EXPECT_EQ(in_order(line({5, 5, 5, 1}), 0, 2).reached, 0u);
}

TEST(Replay, a_seed_that_never_gets_there_counts_as_the_whole_space) {
  const MeasuredSpace measured = line({5, 4, 3, 2, 1});
  ReplayOptions options;
  options.seeds = 4;
  options.most = 3;
  const auto figures = replay_seeds(
      measured,
      [&](auto seed) { return make_strategy("exhaustive", measured.space, seed).value(); },
      options);
  EXPECT_EQ(figures.median_evaluations, 5);
  EXPECT_EQ(figures.not_reached, 4u);
}

TEST(Replay, figures_do_not_depend_on_the_threads) {
  const MeasuredSpace measured = valley();
  const auto figures = [&](std::size_t threads) {
    ReplayOptions options;
    options.seeds = 12;
    options.threads = threads;
    return replay_seeds(
        measured, [&](auto seed) { return make_strategy("", measured.space, seed).value(); },
        options);
  };
  const auto one = figures(1), four = figures(4);
  EXPECT_EQ(one.evaluations, four.evaluations);
  EXPECT_EQ(one.score, four.score);
  EXPECT_GT(one.score, 0.2);
}

TEST(Replay, hands_on_what_a_maker_throws) {
  const MeasuredSpace measured = valley();
  ReplayOptions options;
  options.threads = 3;
  const auto make = [](std::uint64_t) -> std::unique_ptr<Strategy> {
    throw Error(Errc::bad_input, "none");
  };
  EXPECT_THROW(replay_seeds(measured, make, options), Error);
}

TEST(Replay, leaves_out_the_rest_when_told_to_stop) {
  const MeasuredSpace measured = valley();
  ReplayOptions options;
  std::size_t calls = 0;
  options.after_seed = [&] { return ++calls < 3; };
  const auto make = [&](auto seed) { return make_strategy("", measured.space, seed).value(); };
  replay_seeds(measured, make, options);
  EXPECT_EQ(calls, 3u);
}

TEST(RandomBaseline, is_the_mean_of_the_least_of_so_many_draws) {
  // Of {1, 2, 4} two are drawn: {1,2}, {1,4}, {2,4}.
  const MeasuredSpace measured = line({2, 4, 1});
  const RandomBaseline baseline(measured.outcomes);
  EXPECT_NEAR(baseline.expected_best(1), 7.0 / 3, 1e-12);
  EXPECT_NEAR(baseline.expected_best(2), 4.0 / 3, 1e-12);
  EXPECT_NEAR(baseline.expected_best(3), 1, 1e-12);
  EXPECT_EQ(baseline.budget(), 3u);
}

TEST(RandomBaseline, agrees_with_random_search) {
  const MeasuredSpace measured = valley();
  ReplayOptions options;
  options.seeds = 300;
  const auto figures = replay_seeds(
      measured, [&](auto seed) { return make_strategy("random", measured.space, seed).value(); },
      options);
  EXPECT_NEAR(figures.score, 0, 0.1);
}

TEST(RandomBaseline, scores_the_optimum_at_once_as_one) {
  const MeasuredSpace measured = line({5, 3, 1, 4, 2, 6});
  const RandomBaseline baseline(measured.outcomes);
  EXPECT_DOUBLE_EQ(baseline.score(std::vector<Trial>{{2, measured.outcomes[2]}}), 1);
  EXPECT_LT(baseline.score(std::vector<Trial>{{5, measured.outcomes[5]}}), 0);
}

}  // namespace
}  // namespace kiln::tune
