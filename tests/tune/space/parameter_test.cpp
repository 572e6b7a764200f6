#include "tune/space/parameter.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "../support.hpp"

namespace kiln::tune {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::parameters;

std::string values_of(std::string_view text) {
  const auto parameter = parse_parameter(text);
  if (!parameter) return parameter.error().message();
  std::string all = parameter->name + ":";
  for (const auto& value : parameter->values) all += " " + value.text();
  return all;
}

TEST(ParseParameter, takes_lists_of_numbers_and_texts) {
  EXPECT_EQ(values_of("TS=8,16,32"), "TS: 8 16 32");
  EXPECT_EQ(values_of(" ORDER = row , 'column', \"z\" "), "ORDER: 'row' 'column' 'z'");
  EXPECT_EQ(values_of("F=0.5,-1.25,3"), "F: 0.5 -1.25 3");
  EXPECT_EQ(values_of("PAD=False,True"), "PAD: False True");
}

TEST(ParseParameter, takes_ranges_by_steps_and_by_factors) {
  EXPECT_EQ(values_of("WPT=1..8:1"), "WPT: 1 2 3 4 5 6 7 8");
  EXPECT_EQ(values_of("WPT=1..4"), "WPT: 1 2 3 4");
  EXPECT_EQ(values_of("N=-4..5:3"), "N: -4 -1 2 5");
  EXPECT_EQ(values_of("TS=8..64:*2"), "TS: 8 16 32 64");
  EXPECT_EQ(values_of("TS=8..63:*2"), "TS: 8 16 32");
}

TEST(ParseParameter, a_range_ends_at_the_largest_integer) {
  EXPECT_EQ(values_of("N=9223372036854775806..9223372036854775807"),
            "N: 9223372036854775806 9223372036854775807");
  EXPECT_EQ(values_of("N=4611686018427387904..9223372036854775807:*2"), "N: 4611686018427387904");
}

TEST(ParseParameter, says_in_one_line_what_is_wrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"TS", "parameter 'TS': expected NAME=VALUE"},
      {"=1,2", "'' cannot name a parameter"},
      {"2X=1", "'2X' cannot name a parameter"},
      {"and=1", "'and' cannot name a parameter"},
      {"TS=", "a value is empty"},
      {"TS=1,,2", "a value is empty"},
      {"TS=8,16,8", "the value 8 stands twice"},
      {"TS=1,True", "the value True stands twice"},
      {"TS=1,1.0", "the value 1.0 stands twice"},
      {"TS=8..1", "8 lies above 1"},
      {"TS=1..8:0", "a step must be 1 or more"},
      {"TS=1..8:*1", "a factor must be 2 or more"},
      {"TS=0..8:*2", "the first value 1 or more"},
      {"TS=1..x", "a range takes integers"},
      {"TS=1..", "a range takes integers"},
      {"TS=1..1000000", "more than 65535 values"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = message_of(parse_parameter(text));
    EXPECT_THAT(message, HasSubstr(expected)) << text;
    EXPECT_THAT(message, HasSubstr("parameter '")) << text;
    EXPECT_EQ(message.find('\n'), message.npos) << text;
  }
}

RC_GTEST_PROP(ParseParameter, any_text_is_a_parameter_or_one_line, (const std::string& text)) {
  const auto parameter = parse_parameter(text);
  if (parameter) {
    RC_ASSERT(is_parameter_name(parameter->name));
    RC_ASSERT(!parameter->values.empty());
  } else {
    RC_ASSERT(parameter.error().message().find('\n') == std::string::npos);
  }
}

std::vector<std::string> parts_of(std::string_view text) {
  const auto all = parameters({"A=1,2", "B=1,2", "C=1,2"});
  std::vector<std::string> texts;
  for (const auto& part : conjuncts(parse_constraint(text, all).value())) {
    texts.push_back(part.expression.canonical());
  }
  return texts;
}

TEST(ParseConstraint, says_in_one_line_what_is_wrong) {
  const auto all = parameters({"TILE=8", "WIDTH=1"});
  const auto message = [&](std::string_view text) {
    return message_of(parse_constraint(text, all));
  };
  EXPECT_EQ(message("TILE % WIDTH == 0"), "");
  EXPECT_EQ(message("TILE % WIDHT == 0"),
            "constraint 'TILE % WIDHT == 0': no parameter is named 'WIDHT'; did you mean 'WIDTH'?");
  EXPECT_THAT(message("TILE % == 0"), HasSubstr("constraint 'TILE % == 0': column 8"));
  EXPECT_THAT(message("mni(TILE, WIDTH) < 3"), HasSubstr("no function 'mni'; did you mean 'min'?"));
  EXPECT_THAT(message("__import__('os')"), HasSubstr("no function '__import__'"));
  EXPECT_EQ(message("A\n== 1").find('\n'), std::string::npos);
}

TEST(Conjuncts, are_the_parts_of_an_and) {
  EXPECT_EQ(parts_of("A < B and B < C and C % A == 0"),
            (std::vector<std::string>{"A < B", "B < C", "C % A == 0"}));
  EXPECT_EQ(parts_of("A < B and (B < C or C < A)"),
            (std::vector<std::string>{"A < B", "B < C or C < A"}));
}

TEST(Conjuncts, of_anything_else_are_the_whole) {
  for (const char* const text : {"A < B", "A < B or B < C and C < A", "A and B if C else A",
                                 "not (A and B)", "min(A and B, C) > 1", "A == ' and '"}) {
    EXPECT_EQ(parts_of(text).size(), 1u) << text;
  }
}

}  // namespace
}  // namespace kiln::tune
