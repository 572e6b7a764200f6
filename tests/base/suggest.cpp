#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "base/text.hpp"

using kiln::did_you_mean;
using kiln::edit_distance;
using kiln::nearest;

namespace {
constexpr std::array<std::string_view, 4> names{"partition", "devices", "seed", "set"};
}

TEST(Suggest, distance_counts_the_four_edits) {
  EXPECT_EQ(edit_distance("seed", "seed"), 0u);
  EXPECT_EQ(edit_distance("seed", "sed"), 1u);
  EXPECT_EQ(edit_distance("seed", "seeed"), 1u);
  EXPECT_EQ(edit_distance("seed", "feed"), 1u);
  EXPECT_EQ(edit_distance("seed", "sede"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

RC_GTEST_PROP(Suggest, distance_is_symmetric_and_zero_only_for_equals,
              (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

TEST(Suggest, finds_the_name_that_was_mistyped) {
  EXPECT_EQ(nearest("partiton", names), "partition");
  EXPECT_EQ(nearest("device", names), "devices");
  EXPECT_EQ(nearest("sede", names), "seed");
  EXPECT_EQ(did_you_mean("partiton", names), "; did you mean 'partition'?");
}

TEST(Suggest, prefers_the_name_that_differs_in_case_only) {
  constexpr std::array<std::string_view, 3> symbols{"h", "localWorkSize", "w"};
  EXPECT_EQ(nearest("W", symbols), "w");
  EXPECT_EQ(nearest("LOCALWORKSIZE", symbols), "localWorkSize");
}

TEST(Suggest, is_silent_where_nothing_is_near) {
  EXPECT_EQ(nearest("frobnicate", names), "");
  EXPECT_EQ(nearest("", names), "");
  constexpr std::array<std::string_view, 1> other{"n"};
  EXPECT_EQ(nearest("q", other), "") << "no letter is right";
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Suggest, does_not_work_on_absurdly_long_names) {
  EXPECT_EQ(nearest(std::string(10'000'000, 'a'), names), "");
}
