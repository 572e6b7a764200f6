#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace kiln::expr {
namespace {

Expression parsed(std::string_view text, Dialect dialect = Dialect::python3) {
  return *Expression::parse(text, dialect);
}

Value twice(std::span<const Value> arguments) { return Value(*arguments[0].to_integer() * 2); }

TEST(Functions, registered_ones_get_their_arguments_in_order) {
  Scope scope;
  scope.define("show", 0, 3, [](std::span<const Value> arguments) -> Expected<Value> {
    return Value(Value(List(arguments.begin(), arguments.end())).text());
  });
  EXPECT_EQ(result_of("show(1, 'b', [2.5])", scope), R"("[1, 'b', [2.5]]")");
  EXPECT_EQ(result_of("show()", scope), "'[]'");
}

TEST(Functions, a_wrong_count_of_arguments_names_the_right_one) {
  Scope scope;
  scope.define("one", 1, 1, twice);
  scope.define("some", 1, 2, twice);
  EXPECT_EQ(result_of("1 + one()", scope), "column 5: one takes 1 argument, found 0");
  EXPECT_EQ(result_of("some()", scope), "column 1: some takes at least 1 argument, found 0");
  EXPECT_EQ(result_of("some(1, 2, 3)", scope), "column 1: some takes at most 2 arguments, found 3");
}

TEST(Functions, an_error_of_a_registered_one_gets_its_name_and_column) {
  Scope scope;
  scope.define("refuse", 0, 0, [](std::span<const Value>) -> Expected<Value> {
    return fail(Errc::unsupported, "not today");
  });
  const auto result = parsed("1 + refuse()").evaluate(scope);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "column 5: refuse: not today");
  EXPECT_EQ(result.error().code(), Errc::unsupported);
}

TEST(Functions, a_later_definition_replaces_an_earlier_one_and_builtins_too) {
  Scope scope;
  ASSERT_TRUE(scope.define("min", {"a", "b"}, parsed("a - b")));
  EXPECT_EQ(result_of("min(5, 3)", scope), "2");
  scope.define("min", 1, 1, twice);
  EXPECT_EQ(result_of("min(5)", scope), "10");
  EXPECT_EQ(result_of("min(5, 3)", Scope()), "3");
}

TEST(Functions, defined_ones_see_parameters_first_then_the_scope) {
  Scope scope;
  scope.set("n", 100);
  scope.set("a", 1);
  ASSERT_TRUE(scope.define("f", {"a"}, parsed("a + n")));
  ASSERT_TRUE(scope.define("g", {"n"}, parsed("f(n) + n")));
  EXPECT_EQ(result_of("f(5)", scope), "105");
  EXPECT_EQ(result_of("g(2) + a", scope), "105");  // f's n is the scope's, not g's
}

TEST(Functions, a_body_keeps_its_own_dialect) {
  Scope scope;
  ASSERT_TRUE(scope.define("half", {"a"}, parsed("a / 2", Dialect::python2)));
  EXPECT_EQ(result_of("[half(7), 7 / 2]", scope, Dialect::python3), "[3, 3.5]");
}

TEST(Functions, an_error_in_a_body_gives_the_call_and_the_innermost_place) {
  Scope scope;
  ASSERT_TRUE(scope.define("inner", {"a"}, parsed("10 // a")));
  ASSERT_TRUE(scope.define("outer", {"a"}, parsed("1 + inner(a)")));
  EXPECT_EQ(result_of("7 * outer(0)", scope), "column 5: in inner, column 4: division by zero");
}

TEST(Functions, recursion_is_refused_direct_or_through_others) {
  Scope scope;
  const auto direct = scope.define("f", {"a"}, parsed("1 if a < 1 else f(a - 1)"));
  ASSERT_FALSE(direct);
  EXPECT_EQ(direct.error().message(), "f calls itself: functions may not recurse");
  ASSERT_TRUE(scope.define("even", {"a"}, parsed("True if a == 0 else odd(a - 1)")));
  ASSERT_TRUE(scope.define("odd", {"a"}, parsed("False if a == 0 else even(a - 1)")));
  EXPECT_EQ(result_of("even(4)", scope),
            "column 1: in odd, column 22: even calls itself: functions may not recurse");
}

TEST(Functions, a_call_may_stand_in_another_call_of_the_same_function) {
  Scope scope;
  ASSERT_TRUE(scope.define("f", {"a"}, parsed("a * 3")));
  EXPECT_EQ(result_of("f(f(f(1)))", scope), "27");
}

TEST(Functions, towers_of_calls_end_at_the_step_or_depth_limit) {
  Scope scope;
  ASSERT_TRUE(scope.define("f0", {"a"}, parsed("a + 1")));
  ASSERT_TRUE(scope.define("g0", {"a"}, parsed("a + 1")));
  for (int i = 1; i <= 250; ++i) {
    ASSERT_TRUE(scope.define(fmt::format("f{}", i), {"a"}, parsed(fmt::format("f{}(a)", i - 1))));
    ASSERT_TRUE(
        scope.define(fmt::format("g{}", i), {"a"}, parsed(fmt::format("g{0}(g{0}(a))", i - 1))));
  }
  EXPECT_EQ(result_of("f199(1)", scope), "2");
  EXPECT_EQ(result_of("f200(1)", scope),
            "column 1: in f1, column 1: calls nested deeper than 200 levels");
  EXPECT_EQ(result_of("g10(0)", scope), "1024");
  EXPECT_NE(result_of("g60(0)", scope).find("takes more than 1000000 steps"), std::string::npos);
}

TEST(Functions, names_and_parameters_must_be_identifiers) {
  Scope scope;
  const auto message = [&scope](const char* name, std::vector<std::string> parameters) {
    const auto defined = scope.define(name, std::move(parameters), parsed("1"));
    return defined ? std::string("defined") : defined.error().message();
  };
  EXPECT_EQ(message("", {}), "'' cannot name a function");
  EXPECT_EQ(message("if", {}), "'if' cannot name a function");
  EXPECT_EQ(message("1a", {}), "'1a' cannot name a function");
  EXPECT_EQ(message("f", {"a b"}), "f: 'a b' cannot name a parameter");
  EXPECT_EQ(message("f", {"a", "b", "a"}), "f: two parameters named 'a'");
  EXPECT_EQ(message("f", {"a", "b"}), "defined");
}

TEST(Scopes, list_their_names_sorted) {
  Scope scope;
  scope.set("z", 1);
  scope.set("a", 2);
  scope.set("z", 3);
  EXPECT_EQ(scope.names(), (std::vector<std::string>{"a", "z"}));
  EXPECT_EQ(*scope.find("z"), Value(3));
  EXPECT_EQ(scope.find("b"), nullptr);
  EXPECT_TRUE(scope.has_function("sqrt"));
  EXPECT_FALSE(scope.has_function("a"));
  EXPECT_EQ(scope.functions().size(), 12u);
}

TEST(Scopes, copies_are_independent) {
  Scope first;
  first.set("a", 1);
  Scope second = first;
  second.set("a", 2);
  second.define("f", 0, 0, [](std::span<const Value>) { return Value(0); });
  EXPECT_EQ(result_of("a", first), "1");
  EXPECT_FALSE(first.has_function("f"));
}

}  // namespace

// Values come from Python in python_values_test; here are the messages.

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
