#include "base/data/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kiln {
namespace {

constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
constexpr std::size_t half = std::size_t{1} << 32;

TEST(CheckedSize, holds_what_fits) {
  static_assert((CheckedSize(6) * 7 + 1).get() == 43);
  EXPECT_EQ((CheckedSize(half) * (half - 1) + (half - 1)).get(), largest);
  EXPECT_TRUE((CheckedSize(3) * 5).fits(15));
  EXPECT_FALSE((CheckedSize(3) * 5).fits(14));
  EXPECT_TRUE(CheckedSize(PTRDIFF_MAX).fits());
  EXPECT_FALSE(CheckedSize(largest).fits());
}

TEST(CheckedSize, a_product_that_wraps_round_stays_too_large) {
  EXPECT_EQ((CheckedSize(half) * half).get(), std::nullopt);
  EXPECT_FALSE((CheckedSize(half) * half).fits(largest));
  EXPECT_FALSE((CheckedSize(half) * half * 0).fits());
  EXPECT_FALSE((0 + CheckedSize(half) * half).fits());
  EXPECT_FALSE((CheckedSize(1) * (CheckedSize(largest) + 1)).fits());
  EXPECT_EQ((CheckedSize(half) * half).at_most(100), 100u);
  EXPECT_EQ(CheckedSize(99).at_most(100), 99u);
}

TEST(CheckedSize, a_negative_number_is_no_size) {
  EXPECT_FALSE(CheckedSize::of_signed(-1).fits(largest));
  EXPECT_FALSE((CheckedSize::of_signed(-1) * 0).fits());
  EXPECT_EQ(CheckedSize::of_signed(7).get(), 7u);
}

RC_GTEST_PROP(CheckedSize, agrees_with_wide_arithmetic,
              (std::uint64_t a, std::uint64_t b, std::uint64_t c)) {
  __extension__ using Wide = unsigned __int128;
  const unsigned shift_a = *rc::gen::inRange(0u, 64u), shift_b = *rc::gen::inRange(0u, 64u);
  a >>= shift_a;
  b >>= shift_b;
  const Wide product = static_cast<Wide>(a) * b;
  const auto checked = CheckedSize(a) * b + c;
  if (product > largest || product + c > largest)
    RC_ASSERT(!checked.get());
  else
    RC_ASSERT(checked.get() == static_cast<std::size_t>(product + c));
}

using ::testing::HasSubstr;

std::string refusal(std::string_view text, JsonBounds bounds) {
  const auto checked = check_json_bounds(text, bounds);
  return checked ? "" : checked.error().message();
}

TEST(JsonBounds, values_are_counted) {
  EXPECT_EQ(refusal("[1,2,3]", {.values = 4}), "");
  EXPECT_EQ(refusal("[1,2,3]", {.values = 3}),
            "byte 4: found more than 3 values, expected at most 3");
  EXPECT_EQ(refusal("{\"a\": 1, \"b\": {}}", {.values = 4}), "");
  EXPECT_NE(refusal(std::string(1000, ','), {.values = 100}), "");
}

TEST(JsonBounds, depth_is_counted) {
  EXPECT_EQ(refusal("[[[]],[[]],{}]", {.depth = 3}), "");
  EXPECT_THAT(refusal("[[[{}]]]", {.depth = 3}), HasSubstr("byte 3: found more than 3 levels"));
  EXPECT_THAT(refusal(std::string(1 << 20, '['), {}), HasSubstr("more than 100 levels"));
}

TEST(JsonBounds, texts_do_not_count) {
  EXPECT_EQ(refusal(R"(["[[[[,,,,{{{{", "\"[[[[\\", 1])", {.values = 4, .depth = 1}), "");
  EXPECT_EQ(refusal("\"never closed [[[[,,,,", {.values = 1, .depth = 0}), "");
  EXPECT_EQ(refusal("\"ends in a backslash \\", {.values = 1, .depth = 0}), "");
}

TEST(JsonBounds, what_closes_too_often_is_the_parsers_to_refuse) {
  EXPECT_EQ(refusal("]]]}}}[[", {.depth = 2}), "");
}

}  // namespace
}  // namespace kiln
