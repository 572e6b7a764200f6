#include <gtest/gtest.h>

#include "support.hpp"

namespace kiln::expr {
namespace {

TEST(Parsing, an_error_names_column_what_was_found_and_what_was_expected) {
  EXPECT_EQ(canonical_of(""), "column 1: found the end, expected a value");
  EXPECT_EQ(canonical_of("1 + "), "column 5: found the end, expected a value");
  EXPECT_EQ(canonical_of("1 + * 2"), "column 5: found '*', expected a value");
  EXPECT_EQ(canonical_of("1 2"), "column 3: found '2', expected an operator or the end");
  EXPECT_EQ(canonical_of("(1"), "column 3: found the end, expected ')' for the '(' of column 1");
  EXPECT_EQ(canonical_of("f(1"),
            "column 4: found the end, expected ',' or ')' for the '(' of column 2");
  EXPECT_EQ(canonical_of("[1, 2"),
            "column 6: found the end, expected ',' or ']' for the '[' of column 1");
  EXPECT_EQ(canonical_of("1 if 2"), "column 7: found the end, expected 'else' of the conditional");
  EXPECT_EQ(canonical_of("1 not 2"), "column 7: found '2', expected 'in' after 'not'");
  EXPECT_EQ(canonical_of("a[1"), "column 4: found the end, expected ']' after the index");
}

TEST(Parsing, operators_of_other_languages_are_answered_with_the_right_one) {
  EXPECT_EQ(canonical_of("a && b"), "column 3: unexpected character '&'; write 'and'");
  EXPECT_EQ(canonical_of("a || b"), "column 3: unexpected character '|'; write 'or'");
  EXPECT_EQ(canonical_of("!a"), "column 1: unexpected character '!'; write 'not'");
  EXPECT_EQ(canonical_of("a = b"), "column 3: unexpected character '='; equality is written '=='");
  EXPECT_EQ(canonical_of("a ^ b"), "column 3: unexpected character '^'; a power is written '**'");
  EXPECT_EQ(canonical_of("a ? b : c"),
            "column 3: unexpected character '?'; write 'a if condition else b'");
}

TEST(Parsing, what_python_has_beyond_the_language_is_refused) {
  for (const char* text : {"lambda: 1", "None", "a is b", "[x for x in l]", "a.b", "a[0:1]",
                           "f(x)(y)", "f(a=1)", "f(*a)", "{1: 2}", "'a' 'b'", "a; b", "a := 1",
                           "# nothing", "__import__('os').system('true')", "1_000", "1j", "`a`"}) {
    EXPECT_FALSE(Expression::parse(text, Dialect::python3)) << text;
    EXPECT_FALSE(Expression::parse(text, Dialect::python2)) << text;
  }
  EXPECT_EQ(canonical_of("a is b"), "column 3: 'is' is not part of the language");
  EXPECT_EQ(canonical_of("(f)(1)"), "column 4: only a function's name can be called");
}

TEST(Parsing, a_function_name_alone_reaches_nothing_outside_the_scope) {
  EXPECT_EQ(result_of("eval('1')"), "column 1: unknown function 'eval'");
  EXPECT_EQ(result_of("open('/etc/passwd')"), "column 1: unknown function 'open'");
}

TEST(Parsing, numbers_are_read_in_every_base_and_their_faults_are_named) {
  EXPECT_EQ(canonical_of("[0x1f, 0o17, 0b101, 00]"), "[31, 15, 5, 0]");
  EXPECT_EQ(canonical_of("0x"), "column 1: '0x' is not a number");
  EXPECT_EQ(canonical_of("0b12"), "column 1: '0b12' is not a number");
  EXPECT_EQ(canonical_of("12abc"), "column 1: '12abc' is not a number");
  EXPECT_EQ(canonical_of("1e"), "column 1: '1e' is not a number");
  EXPECT_EQ(canonical_of("1e5x"), "column 1: '1e5x' is not a number");
  EXPECT_EQ(canonical_of("017"), "column 1: '017' starts with 0; octal numbers are written 0o17");
  EXPECT_EQ(canonical_of("1e999"), "column 1: '1e999' is too large for a floating-point number");
  EXPECT_EQ(canonical_of("1 + 99999999999999999999"),
            "column 5: '99999999999999999999' does not fit 64 bits");
  EXPECT_EQ(canonical_of("9223372036854775808"),
            "column 1: '9223372036854775808' does not fit 64 bits");
}

TEST(Parsing, a_trailing_l_belongs_to_python2_only) {
  EXPECT_EQ(canonical_of("10L + 0x1Fl", Dialect::python2), "10 + 31");
  EXPECT_EQ(canonical_of("10L"), "column 1: '10L' is not a number");
}

TEST(Parsing, the_smallest_integer_is_a_literal_and_nothing_tighter_takes_its_digits) {
  EXPECT_EQ(result_of("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(canonical_of("(-9223372036854775808) ** 2"), "(-9223372036854775808) ** 2");
  EXPECT_EQ(canonical_of("-9223372036854775808 ** 2"),
            "column 2: '9223372036854775808' does not fit 64 bits");
}

TEST(Parsing, strings_take_escapes_and_faults_are_named) {
  EXPECT_EQ(result_of(R"('\x41\u00e9\U0001F600\n\0' + "'")"),
            "\"A\xC3\xA9\xF0\x9F\x98\x80\\n\\x00'\"");
  EXPECT_EQ(canonical_of("1 + 'abc"), "column 5: the string does not end on its line");
  EXPECT_EQ(canonical_of("'a\nb'"), "column 1: the string does not end on its line");
  EXPECT_EQ(canonical_of("'ab\\"), "column 4: the string does not end");
  EXPECT_EQ(canonical_of(R"('a\xg0')"), "column 3: the escape \\x needs 2 hexadecimal digits");
  EXPECT_EQ(canonical_of(R"('\x)"), "column 2: the escape lacks digits");
  EXPECT_EQ(canonical_of(R"('\ud800')"), "column 2: the escape names no character: U+D800");
  EXPECT_TRUE(canonical_of(R"('\d')").starts_with("column 2: unknown escape '\\\\d'"));
  EXPECT_EQ(canonical_of("'a\xff'"), "column 3: the string is not UTF-8");
  EXPECT_EQ(canonical_of("'\xc0\x80'"), "column 2: the string is not UTF-8");
}

TEST(Parsing, bytes_that_no_text_holds_are_shown_escaped_on_one_line) {
  EXPECT_EQ(canonical_of(std::string_view("1\0", 2)), "column 2: unexpected character '\\x00'");
  EXPECT_EQ(canonical_of("\xff"), "column 1: unexpected character '\\xff'");
  EXPECT_EQ(canonical_of("\xC3\xA9"), "column 1: unexpected character '\xC3\xA9'");
}

TEST(Parsing, long_words_are_shortened_in_messages) {
  const std::string message = canonical_of("1 " + times(5000, "ab"));
  EXPECT_EQ(message, "column 3: found '" + times(20, "ab") + "…', expected an operator or the end");
}

TEST(Parsing, blanks_and_line_ends_may_stand_anywhere_between_words) {
  EXPECT_EQ(canonical_of("\t a\n +\r\n b \f"), "a + b");
  EXPECT_EQ(canonical_of("n not\tin[1,2]"), "n not in [1, 2]");
}

TEST(Parsing, tuples_in_parentheses_are_lists) {
  EXPECT_EQ(canonical_of("(a, b)"), "[a, b]");
  EXPECT_EQ(canonical_of("(a,)"), "[a]");
  EXPECT_EQ(canonical_of("()"), "[]");
  EXPECT_EQ(canonical_of("(a)"), "a");
}

}  // namespace
}  // namespace kiln::expr
