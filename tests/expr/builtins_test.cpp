#include <gtest/gtest.h>

#include "support.hpp"

// Values come from Python in python_values_test; here are the messages.
namespace kiln::expr {
namespace {

TEST(Builtins, say_what_they_expected) {
  EXPECT_EQ(result_of("min(5)"), "column 1: min: expected a list or several values, found one int");
  EXPECT_EQ(result_of("max([])"), "column 1: max: expected items, found an empty list");
  EXPECT_EQ(result_of("min(1, 'a')"), "column 1: min: '<' does not take str and int");
  EXPECT_EQ(result_of("len(5)"), "column 1: len: expected a list or a string, found int");
  EXPECT_EQ(result_of("sum(1)"), "column 1: sum: expected a list, found int");
  EXPECT_EQ(result_of("sum(['a'])"), "column 1: sum: '+' does not take int and str");
  EXPECT_EQ(result_of("abs('a')"), "column 1: abs: expected a number, found str");
  EXPECT_EQ(result_of("int('1.5')"), "column 1: int: '1.5' is not an integer");
  EXPECT_EQ(result_of("int('9223372036854775808')"),
            "column 1: int: '9223372036854775808' does not fit 64 bits");
  EXPECT_EQ(result_of("int(1e19)"), "column 1: int: 1e+19 does not fit a 64-bit integer");
  EXPECT_EQ(result_of("float('1e')"), "column 1: float: '1e' is not a number");
  EXPECT_EQ(result_of("round(1.5, 0.5)"),
            "column 1: round: expected an integer of digits, found float");
  EXPECT_EQ(result_of("log2(0)"), "column 1: log2: expected a positive number, found 0");
  EXPECT_EQ(result_of("sqrt(-1)"), "column 1: sqrt: expected no negative number, found -1");
}

TEST(Builtins, sum_and_round_are_checked_for_overflow) {
  EXPECT_EQ(result_of("sum([9223372036854775807, 1])"),
            "column 1: sum: 9223372036854775807 + 1 does not fit 64 bits");
  EXPECT_EQ(result_of("round(9223372036854775807, -1)"),
            "column 1: round: the rounded value does not fit 64 bits");
  EXPECT_EQ(result_of("round(1.7e308, -308)"),
            "column 1: round: the rounded value is too large for a floating-point number");
  EXPECT_EQ(result_of("round(7, -9223372036854775808)"), "0");
  EXPECT_EQ(result_of("round(7.5, 9223372036854775807)"), "7.5");
}

TEST(Builtins, are_the_same_in_both_dialects) {
  EXPECT_EQ(result_of("round(2.5)", Dialect::python2), "2");
  EXPECT_EQ(result_of("ceil(0.5)", Dialect::python2), "1");
}

TEST(Builtins, float_reads_numbers_too_large_or_too_small_as_python_does) {
  EXPECT_EQ(result_of("float('1e999')"), "inf");
  EXPECT_EQ(result_of("float('-1e999999999999999999999')"), "-inf");
  EXPECT_EQ(result_of("float('1e-999999999999999999999')"), "0.0");
  EXPECT_EQ(result_of("float('0e999999999999999999999')"), "0.0");
  EXPECT_EQ(result_of("float('" + times(400, "9") + "')"), "inf");
  EXPECT_EQ(result_of("float('0." + times(400, "0") + "1')"), "0.0");
  EXPECT_EQ(result_of("float('0." + times(400, "0") + "1e401')"), "1.0");
  EXPECT_EQ(result_of("float('INFINITY')"), "inf");
  EXPECT_EQ(result_of("float('+nan')"), "nan");
}

}  // namespace
}  // namespace kiln::expr
