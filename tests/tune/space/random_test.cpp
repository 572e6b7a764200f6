#include <gtest/gtest.h>

#include <vector>

#include "tune/space/search_space.hpp"

namespace kiln::tune {
namespace {

TEST(Random, gives_the_same_numbers_for_a_seed_for_ever) {
  // A journal of last year must give the same search.
  Random random(42);
  const std::uint64_t first = random.next(), second = random.next();
  Random again(42);
  EXPECT_EQ(again.next(), first);
  EXPECT_EQ(again.next(), second);
  EXPECT_NE(Random(43).next(), first);
  EXPECT_EQ(Random(0).next(), 0x6E789E6AA1B965F4u);  // published for SplitMix64, seed 0, second
}

TEST(Random, spreads_evenly_below_a_bound) {
  Random random(1);
  std::vector<int> count(7);
  for (int i = 0; i < 70'000; ++i) ++count[random.below(7)];
  for (const int each : count) EXPECT_NEAR(each, 10'000, 500);
}

TEST(Random, unit_is_at_least_0_and_below_1) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double unit = random.unit();
    ASSERT_GE(unit, 0);
    ASSERT_LT(unit, 1);
    sum += unit;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

}  // namespace
}  // namespace kiln::tune
