#include "schedule/split.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>

namespace kiln::testing {
namespace {

using Sizes = std::vector<std::size_t>;

Sizes sizes(const std::vector<Part>& parts) {
  Sizes list;
  for (const auto& part : parts) list.push_back(part.groups());
  return list;
}

/// Every group is in exactly one part, and the parts are in order.
void expect_whole(const std::vector<Part>& parts, std::size_t groups) {
  std::size_t at = 0;
  for (const auto& part : parts) {
    RC_ASSERT(part.begin == at);
    RC_ASSERT(part.end >= part.begin);
    at = part.end;
  }
  RC_ASSERT(at == groups);
}

std::vector<double> any_weights() {
  const auto whole =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100)));
  const double scale = *rc::gen::element(1.0, 1e-9, 1e9, 0.1);
  std::vector<double> weights;
  for (const int value : whole) weights.push_back(value * scale);
  return weights;
}

TEST(Cut, covers_every_group_exactly_once_for_any_weights) {
  EXPECT_TRUE(rc::check([] {
    const auto weights = any_weights();
    const auto groups =
        *rc::gen::element<std::size_t>(0, 1, 2, 3, 7, 64, 1000, 65535, std::size_t{1} << 40);
    const auto parts = cut(groups, weights);
    RC_ASSERT(parts.size() == weights.size());
    expect_whole(parts, groups);
  }));
}

TEST(Cut, extreme_weights_lose_no_group) {
  const double huge = 1e308, infinite = std::numeric_limits<double>::infinity(),
               nothing = std::nan("");
  for (const auto& weights : std::vector<std::vector<double>>{{huge, huge, huge},
                                                              {0, 0},
                                                              {infinite, 1},
                                                              {1, infinite},
                                                              {nothing, 1},
                                                              {5e-324, 5e-324, 0}}) {
    const auto parts = cut(10, weights);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                              [](std::size_t sum, const Part& p) { return sum + p.groups(); }),
              10u);
    for (std::size_t i = 1; i < parts.size(); ++i) EXPECT_EQ(parts[i].begin, parts[i - 1].end);
  }
}

TEST(Cut, is_within_half_a_group_of_the_exact_place) {
  EXPECT_TRUE(rc::check([] {
    const auto weights = any_weights();
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    RC_PRE(total > 0);
    const auto groups = *rc::gen::inRange<std::size_t>(1, 5000);
    const auto parts = cut(groups, weights);
    double sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      sum += weights[i];
      const double exact = sum / total * static_cast<double>(groups);
      RC_ASSERT(std::abs(exact - static_cast<double>(parts[i].end)) <= 0.5 + 1e-6);
    }
  }));
}

TEST(Cut, a_heavier_device_never_gets_less) {
  EXPECT_TRUE(rc::check([] {
    const auto groups = *rc::gen::inRange<std::size_t>(0, 3000);
    const int total = *rc::gen::inRange(1, 64);
    std::size_t before = 0;
    for (int first = 0; first <= total; ++first) {
      const auto parts = cut(groups, std::vector<double>{double(first), double(total - first)});
      RC_ASSERT(parts[0].groups() >= before);
      before = parts[0].groups();
    }
    RC_ASSERT(before == groups);
  }));
}

TEST(Cut, all_weights_zero_give_all_to_the_first) {
  EXPECT_EQ(sizes(cut(7, std::vector<double>{0, 0, 0})), (Sizes{7, 0, 0}));
}

TEST(Cut, a_device_without_weight_gets_nothing) {
  EXPECT_EQ(sizes(cut(9, std::vector<double>{1, 0, 2})), (Sizes{3, 0, 6}));
}

TEST(ClassWeights, are_tenths_for_the_first_device) {
  for (int partition = 0; partition <= 10; ++partition) {
    const auto two = cut(10, class_weights(partition, 2));
    EXPECT_EQ(two[0].groups(), static_cast<std::size_t>(partition));
    EXPECT_EQ(two[1].groups(), static_cast<std::size_t>(10 - partition));
  }
}

TEST(ClassWeights, share_the_rest_equally) {
  EXPECT_EQ(sizes(cut(100, class_weights(4, 4))), (Sizes{40, 20, 20, 20}));
  EXPECT_EQ(sizes(cut(100, class_weights(10, 3))), (Sizes{100, 0, 0}));
  EXPECT_EQ(sizes(cut(100, class_weights(0, 3))), (Sizes{0, 50, 50}));
}

TEST(ClassWeights, one_device_does_it_all_whatever_the_class) {
  for (int partition = 0; partition <= 10; ++partition)
    EXPECT_EQ(sizes(cut(5, class_weights(partition, 1))), Sizes{5});
}

TEST(PartRange, keeps_the_geometry_and_moves_the_offset) {
  NDRange whole;
  whole.dimensions = 3;
  whole.global = {96, 10, 6};
  whole.local = {8, 5, 2};
  const auto part = part_range(whole, {3, 7});
  EXPECT_EQ(part.global, (std::array<std::size_t, 3>{32, 10, 6}));
  EXPECT_EQ(part.offset, (std::array<std::size_t, 3>{24, 0, 0}));
  EXPECT_EQ(part.local, whole.local);
  EXPECT_EQ(part.dimensions, 3u);
}

TEST(PartRange, parts_of_a_range_with_an_offset_lie_side_by_side) {
  NDRange whole;
  whole.global = {80, 1, 1};
  whole.local = {8, 1, 1};
  whole.offset = {16, 0, 0};
  const auto first = part_range(whole, {0, 4}), second = part_range(whole, {4, 10});
  EXPECT_EQ(first.offset[0], 16u);
  EXPECT_EQ(first.offset[0] + first.global[0], second.offset[0]);
  EXPECT_EQ(second.offset[0] + second.global[0], 96u);
}

}  // namespace
}  // namespace kiln::testing
