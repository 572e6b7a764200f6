#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "kiln/spec.hpp"

namespace kiln::spec {
namespace {

using Sizes = std::vector<std::uint64_t>;

TEST(DefaultLocalSize, is_64_or_the_largest_power_of_two_that_divides) {
  EXPECT_EQ(default_local_size({1024}), Sizes({64}));
  EXPECT_EQ(default_local_size({64}), Sizes({64}));
  EXPECT_EQ(default_local_size({200}), Sizes({8}));
  EXPECT_EQ(default_local_size({1000}), Sizes({8}));
  EXPECT_EQ(default_local_size({96}), Sizes({32}));
}

TEST(DefaultLocalSize, is_one_for_odd_sizes) {
  EXPECT_EQ(default_local_size({257}), Sizes({1}));
  EXPECT_EQ(default_local_size({225}), Sizes({1}));
  EXPECT_EQ(default_local_size({1}), Sizes({1}));
}

TEST(DefaultLocalSize, is_8_by_8_and_4_by_4_by_4) {
  EXPECT_EQ(default_local_size({256, 64}), Sizes({8, 8}));
  EXPECT_EQ(default_local_size({257, 12}), Sizes({1, 4}));
  EXPECT_EQ(default_local_size({64, 64, 64}), Sizes({4, 4, 4}));
  EXPECT_EQ(default_local_size({64, 6, 5}), Sizes({4, 2, 1}));
}

RC_GTEST_PROP(DefaultLocalSize, divides_is_a_power_of_two_and_at_most_64_items, ()) {
  const auto dimensions = *rc::gen::inRange<std::size_t>(1, 4);
  const auto global =
      *rc::gen::container<Sizes>(dimensions, rc::gen::inRange<std::uint64_t>(1, 1u << 20));
  const auto local = default_local_size(global);
  RC_ASSERT(local.size() == global.size());
  std::uint64_t items = 1;
  for (std::size_t i = 0; i < local.size(); ++i) {
    RC_ASSERT(global[i] % local[i] == 0);
    RC_ASSERT(std::has_single_bit(local[i]));
    items *= local[i];
  }
  RC_ASSERT(items <= 64);
}

}  // namespace
}  // namespace kiln::spec
