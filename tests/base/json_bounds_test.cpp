#include "base/json_bounds.hpp"

#include <gmock/gmock.h>

namespace kiln {
namespace {

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
