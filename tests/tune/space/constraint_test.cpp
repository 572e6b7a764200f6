#include "tune/space/constraint.hpp"

#include <gmock/gmock.h>

#include "../support.hpp"

namespace kiln::tune {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::parameters;

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
