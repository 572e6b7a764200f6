#include <gtest/gtest.h>

#include "support.hpp"

namespace kiln::expr {
namespace {

using Names = std::vector<std::string>;

struct Spelling {
  const char* written;
  const char* canonical;
};

class Canonical : public testing::TestWithParam<Spelling> {};

TEST_P(Canonical, text_has_single_blanks_and_only_needed_parentheses) {
  EXPECT_EQ(canonical_of(GetParam().written), GetParam().canonical);
  EXPECT_EQ(canonical_of(GetParam().canonical), GetParam().canonical);
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, Canonical,
    testing::Values(Spelling{"((a))", "a"}, Spelling{"a+(b*c)", "a + b * c"},
                    Spelling{"(a+b)*c", "(a + b) * c"}, Spelling{"(a-b)-c", "a - b - c"},
                    Spelling{"a-(b-c)", "a - (b - c)"}, Spelling{"a/(b*c)", "a / (b * c)"},
                    Spelling{"(a**b)**c", "(a ** b) ** c"}, Spelling{"a**(b**c)", "a ** b ** c"},
                    Spelling{"-(a**b)", "-a ** b"}, Spelling{"(-a)**b", "(-a) ** b"},
                    Spelling{"a**(-b)", "a ** -b"}, Spelling{"-(-a)", "--a"},
                    Spelling{"-(a*b)", "-(a * b)"}, Spelling{"(-a)*b", "-a * b"},
                    Spelling{"(not a)==b", "(not a) == b"}, Spelling{"not(a==b)", "not a == b"},
                    Spelling{"not (a and b)", "not (a and b)"},
                    Spelling{"(a and b)or c", "a and b or c"},
                    Spelling{"a and(b or c)", "a and (b or c)"},
                    Spelling{"a or (b or c)", "a or (b or c)"}, Spelling{"a<b<c", "a < b < c"},
                    Spelling{"(a<b)<c", "(a < b) < c"}, Spelling{"a<(b<c)", "a < (b < c)"},
                    Spelling{"(a)if(b)else(c)", "a if b else c"},
                    Spelling{"(a if b else c)if d else e", "(a if b else c) if d else e"},
                    Spelling{"a if(b if c else d)else e", "a if (b if c else d) else e"},
                    Spelling{"a if b else(c if d else e)", "a if b else c if d else e"},
                    Spelling{"[(a if b else c),(d)]", "[a if b else c, d]"},
                    Spelling{"f((a),(b+c),)", "f(a, b + c)"}, Spelling{"(a+b)[(c)]", "(a + b)[c]"},
                    Spelling{"(-a)[0]", "(-a)[0]"}, Spelling{"-a[0]", "-a[0]"},
                    Spelling{"0x10+1.50+1E3", "16 + 1.5 + 1000.0"},
                    Spelling{"\"a\"+'\\x62'", "'a' + 'b'"}, Spelling{"True", "True"}));

TEST(CanonicalText, is_the_same_for_both_dialects) {
  EXPECT_EQ(canonical_of("a/b//c", Dialect::python2), canonical_of("a/b//c", Dialect::python3));
}

TEST(CanonicalText, of_a_text_at_every_limit_is_made_without_recursion) {
  const std::string sum = times(40000, "1+") + "1";
  EXPECT_EQ(canonical_of(sum), times(40000, "1 + ") + "1");
  Limits deep;
  deep.depth = 1000;
  const std::string nested = times(499, "(1-") + "1" + times(499, ")");
  const auto parsed = Expression::parse(nested, Dialect::python3, deep);
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->canonical(), times(498, "1 - (") + "1 - 1" + times(498, ")"));
}

TEST(Names, free_names_are_the_values_sorted_and_once_each) {
  const auto parsed = Expression::parse("b + f(a, b) * [c][g()] if True else a", Dialect::python3);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->free_names(), (Names{"a", "b", "c"}));
  EXPECT_EQ(parsed->called_functions(), (Names{"f", "g"}));
}

TEST(Names, a_name_may_be_value_and_function_at_once) {
  const auto parsed = Expression::parse("round(round)", Dialect::python3);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->free_names(), Names{"round"});
  EXPECT_EQ(parsed->called_functions(), Names{"round"});
}

TEST(Names, an_expression_that_was_moved_from_says_so) {
  Expression old = *Expression::parse("a + f(b)", Dialect::python3);
  const Expression now = std::move(old);
  EXPECT_EQ(now.canonical(), "a + f(b)");
  EXPECT_EQ(old.canonical(), "");  // NOLINT(bugprone-use-after-move): it is what is tested
  EXPECT_EQ(old.free_names(), Names{});
  EXPECT_EQ(old.called_functions(), Names{});
  const auto value = old.evaluate(Scope());
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message(), "the expression was moved from");
}

TEST(Names, an_expression_remembers_its_dialect) {
  EXPECT_EQ(Expression::parse("1", Dialect::python2)->dialect(), Dialect::python2);
  EXPECT_EQ(Expression::parse("1", Dialect::python3)->dialect(), Dialect::python3);
}

}  // namespace
}  // namespace kiln::expr
