#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.hpp"

namespace kiln::expr {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan_value = std::nan("");

TEST(Values, know_their_type) {
  EXPECT_STREQ(Value(true).type_name(), "bool");
  EXPECT_STREQ(Value(1).type_name(), "int");
  EXPECT_STREQ(Value(1.0).type_name(), "float");
  EXPECT_STREQ(Value("a").type_name(), "str");
  EXPECT_STREQ(Value(List{}).type_name(), "list");
  EXPECT_TRUE(Value(false).is_integer());
  EXPECT_FALSE(Value(1.0).is_integer());
  EXPECT_TRUE(Value(1.0).is_number());
  EXPECT_FALSE(Value("1").is_number());
  EXPECT_TRUE(Value(List{1}).is_list());
  EXPECT_TRUE(Value("").is_string());
}

TEST(Values, convert_to_integers_by_truncation) {
  EXPECT_EQ(*Value(2.9).to_integer(), 2);
  EXPECT_EQ(*Value(-2.9).to_integer(), -2);
  EXPECT_EQ(*Value(true).to_integer(), 1);
  EXPECT_EQ(*Value(-0x1p63).to_integer(), std::numeric_limits<std::int64_t>::min());
}

TEST(Values, that_fit_no_integer_say_so) {
  EXPECT_EQ(Value(0x1p63).to_integer().error().message(),
            "9.223372036854776e+18 does not fit a 64-bit integer");
  EXPECT_EQ(Value(nan_value).to_integer().error().message(), "nan does not fit a 64-bit integer");
  EXPECT_EQ(Value(-infinity).to_integer().error().message(), "-inf does not fit a 64-bit integer");
  EXPECT_EQ(Value("12").to_integer().error().message(), "expected a number, found '12'");
  EXPECT_EQ(Value(List{1}).to_double().error().message(), "expected a number, found a list");
  EXPECT_EQ(*Value(3).to_double(), 3.0);
}

TEST(Values, have_pythons_truth) {
  for (const Value& value :
       {Value(0), Value(0.0), Value(-0.0), Value(false), Value(""), Value(List{})}) {
    EXPECT_FALSE(value.truth()) << value.text();
  }
  for (const Value& value :
       {Value(-1), Value(1e-300), Value(true), Value("0"), Value(List{0}), Value(nan_value)}) {
    EXPECT_TRUE(value.truth()) << value.text();
  }
}

TEST(Values, compare_by_value_across_number_types_exactly) {
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(Value(1), Value(1.0));
  EXPECT_EQ(Value(true), Value(1));
  EXPECT_FALSE(Value(odd) == Value(static_cast<double>(odd)));
  EXPECT_FALSE(Value(nan_value) == Value(nan_value));
  EXPECT_FALSE(Value("1") == Value(1));
  EXPECT_EQ(Value(List{1, "a"}), Value(List{1.0, "a"}));
  EXPECT_FALSE(Value(List{1}) == Value(List{1, 2}));
}

TEST(Values, print_doubles_with_the_fewest_digits_that_read_back) {
  EXPECT_EQ(Value(0.1).text(), "0.1");
  EXPECT_EQ(Value(0.1 + 0.2).text(), "0.30000000000000004");
  EXPECT_EQ(Value(1e16).text(), "1e+16");
  EXPECT_EQ(Value(9007199254740993.0).text(), "9007199254740992.0");
  EXPECT_EQ(Value(1e-5).text(), "1e-05");
  EXPECT_EQ(Value(-0.0).text(), "-0.0");
  EXPECT_EQ(Value(infinity).text(), "inf");
  EXPECT_EQ(Value(nan_value).text(), "nan");
}

TEST(Values, print_strings_on_one_line_even_where_they_are_not_text) {
  EXPECT_EQ(Value("it's").text(), "\"it's\"");
  EXPECT_EQ(Value("both ' and \"").text(), "'both \\' and \"'");
  EXPECT_EQ(Value("a\nb\x7f").text(), "'a\\nb\\x7f'");
  EXPECT_EQ(Value("\xC3\xA9\xFF\xC3").text(), "'\xC3\xA9\\xff\\xc3'");
  EXPECT_EQ(Value("\xE2\x80\xA8").text(), "'\\u2028'");
  EXPECT_EQ(Value(List{"a", List{true, 1}}).text(), "['a', [True, 1]]");
}

TEST(Values, of_strings_that_are_not_utf8_index_byte_by_byte) {
  Scope scope;
  scope.set("bad", Value("\xC3\xA9\xFFz"));
  EXPECT_EQ(result_of("len(bad)", scope), "3");
  EXPECT_EQ(result_of("[bad[0], bad[1], bad[-1]]", scope), "['\xC3\xA9', '\\xff', 'z']");
}

}  // namespace
}  // namespace kiln::expr
