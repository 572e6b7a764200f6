#include "tune/strategy/strategy.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "../support.hpp"

namespace kiln::tune {
namespace {

using testing::space;
using testing::valley;

std::unique_ptr<Strategy> make(std::string_view name, const SearchSpace& space,
                               std::uint64_t seed) {
  return make_strategy(name, space, seed).value();
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& info : strategies()) all.emplace_back(info.name);
  return all;
}

/// Asks until nothing is left; at most `most` times.
std::vector<ConfigurationId> search(Strategy& strategy, const MeasuredSpace& measured,
                                    std::size_t most = ~std::size_t{0}) {
  std::vector<ConfigurationId> asked;
  while (asked.size() < most) {
    const auto id = strategy.ask();
    if (!id) break;
    asked.push_back(*id);
    strategy.tell(*id, measured.outcomes[*id]);
  }
  return asked;
}

class EachStrategy : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Strategies, EachStrategy, ::testing::ValuesIn(names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EachStrategy, asks_for_every_configuration_once_and_then_ends) {
  const MeasuredSpace measured = valley();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto strategy = make(GetParam(), measured.space, seed);
    const auto asked = search(*strategy, measured);
    EXPECT_EQ(asked.size(), measured.space.size());
    EXPECT_EQ(std::set<ConfigurationId>(asked.begin(), asked.end()).size(), asked.size());
    EXPECT_EQ(strategy->ask(), std::nullopt);
    EXPECT_EQ(strategy->history().best()->outcome.time, measured.fastest);
  }
}

TEST_P(EachStrategy, does_the_same_for_the_same_seed_and_outcomes) {
  const MeasuredSpace measured = valley();
  const auto first = make(GetParam(), measured.space, 5),
             second = make(GetParam(), measured.space, 5);
  EXPECT_EQ(search(*first, measured, 60), search(*second, measured, 60));
}

TEST_P(EachStrategy, goes_on_from_a_journal_as_if_it_had_not_stopped) {
  const MeasuredSpace measured = valley();
  const auto whole = make(GetParam(), measured.space, 9);
  const auto all = search(*whole, measured, 50);
  const auto stopped = make(GetParam(), measured.space, 9);
  const auto journal = search(*stopped, measured, 23);
  const auto resumed = make(GetParam(), measured.space, 9);
  for (const ConfigurationId id : journal) {
    ASSERT_EQ(resumed->ask(), id);
    resumed->tell(id, measured.outcomes[id]);
  }
  const auto rest = search(*resumed, measured, 27);
  EXPECT_EQ(rest, std::vector<ConfigurationId>(all.begin() + 23, all.end()));
}

TEST_P(EachStrategy, never_asks_for_what_it_was_told_before) {
  const MeasuredSpace measured = valley();
  const auto strategy = make(GetParam(), measured.space, 2);
  std::set<ConfigurationId> told;
  for (ConfigurationId id = 0; id < measured.space.size(); id += 2) {
    strategy->tell(id, measured.outcomes[id]);
    told.insert(id);
  }
  for (const ConfigurationId id : search(*strategy, measured)) EXPECT_FALSE(told.contains(id));
  EXPECT_TRUE(strategy->history().all_asked());
}

TEST_P(EachStrategy, survives_a_space_where_nothing_works) {
  MeasuredSpace measured = valley();
  for (auto& outcome : measured.outcomes) outcome = Outcome::of(Failure::build);
  const auto strategy = make(GetParam(), measured.space, 1);
  EXPECT_EQ(search(*strategy, measured).size(), measured.space.size());
  EXPECT_EQ(strategy->history().best(), nullptr);
}

TEST_P(EachStrategy, takes_a_space_of_one_configuration) {
  const SearchSpace one = space({"A=1", "B=row"});
  const auto strategy = make(GetParam(), one, 1);
  EXPECT_EQ(strategy->ask(), 0u);
  strategy->tell(0, Outcome::of_time(1));
  EXPECT_EQ(strategy->ask(), std::nullopt);
}

TEST_P(EachStrategy, asks_ahead_or_waits_to_be_told) {
  const MeasuredSpace measured = valley();
  const auto strategy = make(GetParam(), measured.space, 4);
  std::vector<ConfigurationId> ahead;
  for (int i = 0; i < 40; ++i) {
    if (const auto id = strategy->ask()) ahead.push_back(*id);
  }
  EXPECT_EQ(ahead.size(), strategy->asks_ahead() ? 40u : 1u);
  EXPECT_EQ(std::set<ConfigurationId>(ahead.begin(), ahead.end()).size(), ahead.size());
  EXPECT_EQ(strategy->history().waiting(), ahead.size());
  for (const ConfigurationId id : ahead) strategy->tell(id, measured.outcomes[id]);
  EXPECT_EQ(search(*strategy, measured).size(), measured.space.size() - ahead.size());
}

/// Mean evaluations until the best of the valley over some seeds.
double mean_to_best(std::string_view name, const MeasuredSpace& measured,
                    std::shared_ptr<const Transfer> transfer = nullptr) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto strategy = make_strategy(name, measured.space, seed, transfer).value();
    for (bool found = false; !found; ++sum) {
      const auto id = strategy->ask().value();
      strategy->tell(id, measured.outcomes[id]);
      found = measured.outcomes[id].time == measured.fastest;
    }
  }
  return sum / 20;
}

TEST(Strategies, with_a_model_need_less_than_half_of_random) {
  const MeasuredSpace measured = valley();
  EXPECT_LT(mean_to_best("forest", measured), 0.5 * mean_to_best("random", measured));
}

TEST(Strategies, that_follow_neighbours_need_less_than_random) {
  const MeasuredSpace measured = valley();
  const double random = mean_to_best("random", measured);
  for (const char* const name : {"multi-start", "iterated-local", "annealing", "genetic"}) {
    EXPECT_LT(mean_to_best(name, measured), random) << name;
  }
}

TEST(Strategies, of_an_unknown_name_are_an_error_with_the_nearest) {
  const SearchSpace one = space({"A=1"});
  EXPECT_EQ(make_strategy("forrest", one, 1).error().message(),
            "no strategy is named 'forrest'; did you mean 'forest'?");
}

TEST(History, a_second_outcome_replaces_the_first) {
  const SearchSpace made = space({"A=1..4"});
  History history(made);
  history.tell(2, Outcome::of_time(1));
  history.tell(1, Outcome::of_time(3));
  EXPECT_EQ(history.best()->id, 2u);
  history.tell(2, Outcome::of_time(5));
  EXPECT_EQ(history.best()->id, 1u);
  history.tell(1, Outcome::of(Failure::wrong_result));
  EXPECT_EQ(history.best()->id, 2u);
  EXPECT_EQ(history.trials().size(), 2u);
}

}  // namespace
}  // namespace kiln::tune
