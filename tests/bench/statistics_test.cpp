#include "frame/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kiln::bench {
namespace {

TEST(Statistics, a_median_lies_between_the_middle_samples) {
  EXPECT_DOUBLE_EQ(median(std::vector<double>{9, 1, 4}), 4);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{4, 1, 2, 9}), 3);
  EXPECT_TRUE(std::isnan(median(std::vector<double>{})));
}

TEST(Statistics, quantiles_reach_both_ends) {
  const std::vector<double> samples{5, 1, 3};
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 5);
}

TEST(Statistics, pairs_alternate_which_side_goes_first_and_keep_the_sides_apart) {
  std::string order;
  auto pairs = interleave(
      [&] {
        order += 'a';
        return 1.0;
      },
      [&] {
        order += 'b';
        return 2.0;
      },
      3, 1);
  ASSERT_TRUE(pairs);
  EXPECT_EQ(order, "baabbaab");
  EXPECT_EQ(pairs->first, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(pairs->second, (std::vector<double>{2, 2, 2}));
}

TEST(Statistics, a_side_that_cannot_run_ends_the_measurement_with_its_reason) {
  auto pairs = interleave([] { return 1.0; }, [] { return not_measured("no such device"); }, 3);
  ASSERT_FALSE(pairs);
  EXPECT_EQ(pairs.error(), "no such device");
}

TEST(Statistics, ratios_and_differences_are_taken_pair_by_pair) {
  // The middle of the ratios is not the ratio of the middles: a slow spell hits both sides.
  const Pairs pairs{{2, 100, 3}, {1, 50, 6}};
  EXPECT_DOUBLE_EQ(ratio(pairs, "ms").value, 2);
  EXPECT_DOUBLE_EQ(difference(pairs, "ms").value, 1);
}

}  // namespace
}  // namespace kiln::bench
