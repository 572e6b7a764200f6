#include "tune/strategy/simple.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "../support.hpp"

namespace kiln::tune {
namespace {

using testing::space;

/// Evaluates what a test says, and notes what came of it.
class Noted : public ScriptedStrategy {
 public:
  Noted(const SearchSpace& space, std::vector<ConfigurationId> wanted)
      : ScriptedStrategy(space, 1), wanted_(std::move(wanted)) {}
  std::vector<double> times;

 private:
  Script search() override {
    for (std::size_t i = 0;; i = (i + 1) % wanted_.size()) {
      if (times.size() > 5000) throw std::runtime_error("went round too long");
      const Outcome outcome = co_await evaluate(wanted_[i]);
      times.push_back(outcome.time);
    }
  }
  std::vector<ConfigurationId> wanted_;
};

TEST(ScriptedStrategy, is_answered_at_once_what_is_known) {
  const SearchSpace made = space({"A=1..9"});
  Noted strategy(made, {3, 3, 5, 3, 8});
  EXPECT_EQ(strategy.ask(), 3u);
  strategy.tell(3, Outcome::of_time(30));
  EXPECT_EQ(strategy.ask(), 5u);
  strategy.tell(5, Outcome::of_time(50));
  EXPECT_EQ(strategy.ask(), 8u);
  EXPECT_EQ(strategy.times, (std::vector<double>{30, 30, 50, 30}));
}

TEST(ScriptedStrategy, waits_until_it_is_told) {
  const SearchSpace made = space({"A=1..9"});
  Noted strategy(made, {1, 2});
  EXPECT_EQ(strategy.ask(), 1u);
  EXPECT_EQ(strategy.ask(), std::nullopt);
  strategy.tell(1, Outcome::of(Failure::crash));
  EXPECT_EQ(strategy.ask(), 2u);
}

TEST(ScriptedStrategy, measures_something_new_where_the_script_goes_round_in_what_it_knows) {
  const SearchSpace made = space({"A=1..4"});
  Noted strategy(made, {0, 1});
  std::size_t asked = 0;
  while (const auto id = strategy.ask()) {
    strategy.tell(*id, Outcome::of_time(1));
    ++asked;
  }
  EXPECT_EQ(asked, 4u);
}

TEST(ScriptedStrategy, hands_on_what_its_script_throws) {
  const SearchSpace made = space({"A=1..50"});
  Noted strategy(made, {0});
  EXPECT_THROW(
      {
        while (const auto id = strategy.ask()) strategy.tell(*id, Outcome::of_time(1));
      },
      std::runtime_error);
}

TEST(Shuffle, keeps_all_and_depends_on_the_seed) {
  std::vector<ConfigurationId> ids(50);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  auto one = ids, same = ids, other = ids;
  Random a(1), b(1), c(2);
  a.shuffle(one);
  b.shuffle(same);
  c.shuffle(other);
  EXPECT_EQ(one, same);
  EXPECT_NE(one, other);
  EXPECT_TRUE(std::is_permutation(one.begin(), one.end(), ids.begin()));
}

TEST(Genetic, finds_children_where_hardly_any_combination_is_valid) {
  const SearchSpace made = space({"A=1..30", "B=1..30", "C=1..30"}, {"A + B == 31", "B == C"});
  ASSERT_EQ(made.size(), 30u);
  const auto strategy = value_or_throw(make_strategy("genetic", made, 3));
  std::size_t asked = 0;
  while (const auto id = strategy->ask()) {
    strategy->tell(*id, Outcome::of_time(1 + static_cast<double>(*id)));
    ++asked;
  }
  EXPECT_EQ(asked, 30u);
}

}  // namespace
}  // namespace kiln::tune
