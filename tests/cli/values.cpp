#include "cli/values.hpp"

#include <gtest/gtest.h>

namespace kiln::cli {
namespace {

constexpr std::string_view shapes[] = {"round", "square"};

std::string verdict(const Option& option, const std::string& text) {
  const auto checked = check_value(option, text);
  return checked ? "ok" : checked.error().message();
}

TEST(Values, integers_are_whole_and_bounded) {
  const Option runs{.name = "runs", .kind = Kind::integer, .value_name = "N", .least = 1};
  EXPECT_EQ(verdict(runs, "1"), "ok");
  EXPECT_EQ(*to_integer(runs, "9223372036854775807"), INT64_MAX);
  for (const char* text : {"0", "-3", "1.5", "", "x", "1x", " 1", "-9223372036854775809"})
    EXPECT_EQ(verdict(runs, text),
              "found '" + std::string(text) + "', expected an integer of at least 1");
  for (const char* text : {"9223372036854775808", "99999999999999999999"})
    EXPECT_EQ(verdict(runs, text), "found '" + std::string(text) +
                                       "', expected an integer of at most 9223372036854775807");
  EXPECT_EQ(verdict(runs, "99999999999999999999x"),
            "found '99999999999999999999x', expected an integer of at least 1");
}

TEST(Values, numbers_are_finite_and_bounded) {
  const Option rtol{.name = "rtol", .kind = Kind::number, .value_name = "X"};
  EXPECT_DOUBLE_EQ(*to_number(rtol, "1e-5"), 1e-5);
  EXPECT_EQ(verdict(rtol, "0"), "ok");
  for (const char* text : {"-1", "nan", "inf", "1e999", "", "1,5"})
    EXPECT_EQ(verdict(rtol, text),
              "found '" + std::string(text) + "', expected a number of at least 0");
}

TEST(Values, choices_suggest_the_nearest) {
  const Option shape{.name = "shape", .kind = Kind::choice, .value_name = "S", .choices = shapes};
  EXPECT_EQ(verdict(shape, "round"), "ok");
  EXPECT_EQ(verdict(shape, "squere"),
            "found 'squere', expected one of round, square; did you mean 'square'?");
}

TEST(Values, assignments_have_a_name_and_a_value) {
  const Option set{.name = "set", .kind = Kind::assignment, .value_name = "NAME=VALUE"};
  EXPECT_EQ(to_assignment("a=b=c")->first, "a");
  EXPECT_EQ(to_assignment("a=b=c")->second, "b=c");
  for (const char* text : {"a", "=b", "a=", "", "="})
    EXPECT_EQ(verdict(set, text), "found '" + std::string(text) + "', expected NAME=VALUE");
  const Option in{.name = "in", .kind = Kind::file_assignment, .value_name = "P=FILE"};
  EXPECT_EQ(verdict(in, "a.npy"), "found 'a.npy', expected P=FILE");
}

TEST(Values, flags_have_four_words_each_way) {
  for (const char* text : {"true", "yes", "on", "1"}) EXPECT_TRUE(*to_flag(text));
  for (const char* text : {"false", "no", "off", "0"}) EXPECT_FALSE(*to_flag(text));
  EXPECT_FALSE(to_flag("maybe"));
  EXPECT_FALSE(to_flag(""));
}

TEST(Values, texts_and_paths_may_not_be_empty) {
  for (const Kind kind : {Kind::text, Kind::file, Kind::folder}) {
    const Option option{.name = "x", .kind = kind, .value_name = "X"};
    EXPECT_EQ(verdict(option, "any text"), "ok");
    EXPECT_EQ(verdict(option, ""), "found '', expected X");
  }
}

}  // namespace
}  // namespace kiln::cli
