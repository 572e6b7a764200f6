#include "tune/strategy/forest_search.hpp"

#include <gmock/gmock.h>

#include "../support.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::tune {
namespace {

using testing::message_of;
using testing::space;
using testing::valley;

TEST(Transfer, brings_trials_over_by_names_and_values) {
  const SearchSpace source = space({"B=x,y", "A=1,2,3"});
  const SearchSpace target = space({"A=3,2,5", "B=y,z,x"});
  const ConfigurationId fast = *source.find(Positions{1, 2});  // B=y A=3
  const ConfigurationId slow = *source.find(Positions{0, 1});  // B=x A=2
  const ConfigurationId absent = *source.find(Positions{0, 0});
  const std::vector<Trial> trials = {
      {slow, Outcome::of_time(4)}, {fast, Outcome::of_time(2)}, {absent, Outcome::of_time(1.5)}};
  const auto transfer = Transfer::make(source, trials, target, 1).value();
  ASSERT_EQ(transfer->fastest().size(), 2u);
  EXPECT_EQ(target.text(transfer->fastest()[0]), "A=3 B='y'");
  EXPECT_EQ(target.text(transfer->fastest()[1]), "A=2 B='x'");
  EXPECT_LT(transfer->expect(transfer->fastest()[0]), transfer->expect(transfer->fastest()[1]));
}

TEST(Transfer, a_parameter_that_the_source_lacks_is_tried_with_each_value) {
  const SearchSpace source = space({"A=1,2"}), target = space({"A=1,2", "NEW=0,1"});
  const std::vector<Trial> trials = {{0, Outcome::of_time(1)}};
  EXPECT_EQ(Transfer::make(source, trials, target, 1).value()->fastest().size(), 2u);
}

TEST(Transfer, refuses_what_has_nothing_in_common) {
  const SearchSpace source = space({"A=1,2"}), other = space({"B=1,2"}), apart = space({"A=3"});
  const std::vector<Trial> trials = {{0, Outcome::of_time(1)}};
  const std::vector<Trial> failed = {{0, Outcome::of(Failure::build)}};
  EXPECT_EQ(message_of(Transfer::make(source, trials, other, 1)),
            "the two spaces have no configuration in common");
  EXPECT_EQ(message_of(Transfer::make(source, trials, apart, 1)),
            "the two spaces have no configuration in common");
  EXPECT_EQ(message_of(Transfer::make(source, failed, source, 1)),
            "the other device has no configuration with a time");
}

TEST(Transfer, from_a_similar_device_finds_the_best_in_a_few_steps) {
  const MeasuredSpace measured = valley(), similar = valley(0.3);
  const auto trials = similar.trials();
  const auto transfer = Transfer::make(similar.space, trials, measured.space, 1).value();
  const auto strategy = make_strategy("", measured.space, 1, transfer).value();
  std::size_t steps = 0;
  for (bool found = false; !found && steps < 100; ++steps) {
    const auto id = strategy->ask().value();
    strategy->tell(id, measured.outcomes[id]);
    found = measured.outcomes[id].time == measured.fastest;
  }
  EXPECT_LE(steps, 10u);
}

TEST(Transfer, from_a_device_where_all_is_the_other_way_round_still_ends_at_the_best) {
  const MeasuredSpace measured = valley();
  MeasuredSpace opposite = valley();
  for (auto& outcome : opposite.outcomes) {
    if (outcome.ok()) outcome.time = 1 / outcome.time;
  }
  const auto trials = opposite.trials();
  const auto transfer = Transfer::make(opposite.space, trials, measured.space, 1).value();
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto strategy = make_strategy("", measured.space, seed, transfer).value();
    for (bool found = false; !found; ++sum) {
      const auto id = strategy->ask().value();
      strategy->tell(id, measured.outcomes[id]);
      found = measured.outcomes[id].time == measured.fastest;
    }
  }
  // Random takes half of the space on average.
  EXPECT_LT(sum / 10, 0.5 * static_cast<double>(measured.space.size()));
}

}  // namespace
}  // namespace kiln::tune
