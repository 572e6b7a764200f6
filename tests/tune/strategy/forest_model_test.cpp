#include "tune/strategy/forest_model.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "../support.hpp"

namespace kiln::tune {
namespace {

using testing::space;

TEST(Features, hold_values_twos_products_and_quotients) {
  const SearchSpace made = space({"A=8,24,32", "B=2,4,8", "P=0,1", "S=row,column,tile"});
  const Features features(made);
  std::vector<float> point;
  features.append(*made.find(Positions{1, 2, 1, 2}), point);
  // A B P S, how often 2 divides A (not all powers of two), B * A, B / A (in the pair's order)
  EXPECT_EQ(point, (std::vector<float>{24, 8, 1, 2, 3, 192, 3}));
  EXPECT_EQ(features.count(), point.size());
}

TEST(Features, never_divide_by_zero) {
  const SearchSpace made = space({"A=0,1,2", "B=0,1,2"});
  const Features features(made);
  for (ConfigurationId id = 0; id < made.size(); ++id) {
    std::vector<float> point;
    features.append(id, point);
    for (const float number : point) EXPECT_EQ(number - number, 0) << made.text(id);
  }
}

/// Samples of a function on a grid of 8 * 8.
struct Grid {
  std::vector<float> samples, targets;
  Grid() {
    for (int x = 0; x < 8; ++x) {
      for (int y = 0; y < 8; ++y) {
        samples.insert(samples.end(), {static_cast<float>(x), static_cast<float>(y)});
        targets.push_back(static_cast<float>((x - 3) * (x - 3) + y));
      }
    }
  }
};

TEST(ExtraTrees, give_the_samples_back) {
  const Grid grid;
  Random random(3);
  ExtraTrees forest;
  forest.fit(grid.samples, 2, grid.targets, {}, random);
  for (std::size_t i = 0; i < grid.targets.size(); ++i) {
    const Estimate estimate = forest.estimate(&grid.samples[2 * i]);
    EXPECT_NEAR(estimate.mean, grid.targets[i], 1e-4);
    EXPECT_NEAR(estimate.deviation, 0, 1e-2);
  }
}

TEST(ExtraTrees, differ_where_nothing_was_measured) {
  std::vector<float> samples = {0, 1, 2, 13, 14, 15}, targets = {0, 0, 0, 9, 9, 9};
  Random random(3);
  ExtraTrees forest;
  forest.fit(samples, 1, targets, {}, random);
  const float inside = 1, between = 7;
  EXPECT_GT(forest.estimate(&between).deviation, forest.estimate(&inside).deviation + 1);
}

TEST(ExtraTrees, take_equal_points_with_different_targets) {
  std::vector<float> samples = {1, 1, 1}, targets = {0, 3, 6};
  Random random(3);
  ExtraTrees forest;
  forest.fit(samples, 1, targets, {}, random);
  const float point = 1;
  EXPECT_FLOAT_EQ(static_cast<float>(forest.estimate(&point).mean), 3);
}

RC_GTEST_PROP(ExtraTrees, never_leave_the_range_of_their_targets, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 40);
  std::vector<float> samples, targets;
  for (std::size_t i = 0; i < count; ++i) {
    for (int f = 0; f < 3; ++f) samples.push_back(static_cast<float>(*rc::gen::inRange(0, 6)));
    targets.push_back(static_cast<float>(*rc::gen::inRange(-9, 9)));
  }
  Random random(1);
  ExtraTrees forest;
  forest.fit(samples, 3, targets, {}, random);
  const auto [least, most] = std::minmax_element(targets.begin(), targets.end());
  const std::vector<float> point = {static_cast<float>(*rc::gen::inRange(-3, 9)), 2, 5};
  const double mean = forest.estimate(point.data()).mean;
  RC_ASSERT(mean >= *least - 1e-4 && mean <= *most + 1e-4);
}

}  // namespace
}  // namespace kiln::tune
