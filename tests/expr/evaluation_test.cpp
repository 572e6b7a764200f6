#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "expr/text.hpp"
#include "support.hpp"

// What Python computes is compared with Python itself (python_values_test, python_batch_test);
// here stands what is Kiln's own: messages, columns, dialects, bounds of 64 bits.
namespace kiln::expr {
namespace {

TEST(Evaluation, division_of_integers_floors_in_python2_and_not_in_python3) {
  EXPECT_EQ(result_of("-7 / 2", Dialect::python2), "-4");
  EXPECT_EQ(result_of("-7 / 2", Dialect::python3), "-3.5");
  EXPECT_EQ(result_of("7 / 2.0", Dialect::python2), "3.5");
  EXPECT_EQ(result_of("True / 2", Dialect::python2), "0");
  EXPECT_EQ(result_of("6 / 3", Dialect::python3), "2.0");
}

TEST(Evaluation, overflow_of_64_bits_names_the_operation_and_its_column) {
  EXPECT_EQ(result_of("1 + 9223372036854775807"),
            "column 3: 1 + 9223372036854775807 does not fit 64 bits");
  EXPECT_EQ(result_of("-9223372036854775808 - 1"),
            "column 22: -9223372036854775808 - 1 does not fit 64 bits");
  EXPECT_EQ(result_of("4294967296 * 4294967296"),
            "column 12: 4294967296 * 4294967296 does not fit 64 bits");
  EXPECT_EQ(result_of("-9223372036854775808 // -1"),
            "column 22: -9223372036854775808 // -1 does not fit 64 bits");
  EXPECT_EQ(result_of("--9223372036854775808"),
            "column 1: -(-9223372036854775808) does not fit 64 bits");
  EXPECT_EQ(result_of("abs(-9223372036854775808)"),
            "column 1: abs: -(-9223372036854775808) does not fit 64 bits");
}

TEST(Evaluation, absurd_powers_are_errors_and_not_long_runs) {
  EXPECT_EQ(result_of("10 ** 1000"), "column 4: 10 ** 1000 is too large");
  EXPECT_EQ(result_of("9 ** 9223372036854775807"),
            "column 3: 9 ** 9223372036854775807 is too large");
  EXPECT_EQ(result_of("2 ** 2 ** 2 ** 2 ** 2"), "column 3: 2 ** 65536 is too large");
  EXPECT_EQ(result_of("1e300 ** 2"), "column 7: 1e+300 ** 2 is too large");
  EXPECT_EQ(result_of("(-8) ** 0.5"),
            "column 6: -8 ** 0.5 has no value among floating-point numbers");
  EXPECT_EQ(result_of("0 ** -1"), "column 3: 0 cannot be raised to a negative power");
}

TEST(Evaluation, division_by_zero_is_an_error_in_every_form) {
  for (const char* op : {"/", "//", "%"}) {
    for (const char* zero : {"0", "0.0", "False", "-0.0"}) {
      for (const Dialect dialect : {Dialect::python2, Dialect::python3}) {
        EXPECT_EQ(result_of(std::string("1 ") + op + " " + zero, dialect),
                  "column 3: division by zero");
      }
    }
  }
}

TEST(Evaluation, wrong_types_are_named) {
  EXPECT_EQ(result_of("1 + 'a'"), "column 3: '+' does not take int and str");
  EXPECT_EQ(result_of("'a' % 2"), "column 5: '%' does not take str and int");
  EXPECT_EQ(result_of("[1] - [2]"), "column 5: '-' does not take list and list");
  EXPECT_EQ(result_of("1.5 < [2]"), "column 5: '<' does not take float and list");
  EXPECT_EQ(result_of("1 in 2"), "column 3: 'in' does not take int and int");
  EXPECT_EQ(result_of("-'a'"), "column 1: '-' does not take str");
  EXPECT_EQ(result_of("+[]"), "column 1: '+' does not take list");
  EXPECT_EQ(result_of("n[0]"), "column 2: int has no items to index");
  EXPECT_EQ(result_of("l['a']"), "column 2: an index is an integer, found str");
  EXPECT_EQ(result_of("l[-5]"), "column 2: index -5 is outside a list of 4");
}

TEST(Evaluation, unknown_names_are_answered_with_near_ones) {
  EXPECT_EQ(result_of("datset * 2"), "column 1: unknown name 'datset'; did you mean 'dataset'?");
  EXPECT_EQ(result_of("1 + mim(1, 2)"), "column 5: unknown function 'mim'; did you mean 'min'?");
  EXPECT_EQ(result_of("zzz"), "column 1: unknown name 'zzz'");
  EXPECT_EQ(result_of("min + 1"), "column 1: 'min' is a function; write min(…)");
  EXPECT_EQ(result_of("n(1)"), "column 1: 'n' is a value, not a function");
}

TEST(Evaluation, what_is_not_reached_is_not_evaluated) {
  EXPECT_EQ(result_of("0 and missing"), "0");
  EXPECT_EQ(result_of("1 or 1 / 0"), "1");
  EXPECT_EQ(result_of("2 if n else missing()"), "2");
  EXPECT_EQ(result_of("2 < 1 < missing"), "False");
  EXPECT_EQ(result_of("1 < 2 < missing"), "column 9: unknown name 'missing'");
}

TEST(Evaluation, the_middle_of_a_chain_is_evaluated_once) {
  int calls = 0;
  Scope scope;
  scope.define("count", 0, 0, [&calls](std::span<const Value>) { return Value(++calls); });
  EXPECT_EQ(result_of("0 < count() < 2 <= 2", scope), "True");
  EXPECT_EQ(calls, 1);
}

TEST(Evaluation, threads_may_share_an_expression_and_a_scope) {
  const Scope scope = sample_scope();
  const auto parsed = Expression::parse("sum([n * dataset, max(l[0], 3)])", Dialect::python3);
  ASSERT_TRUE(parsed);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) right += parsed->evaluate(scope)->text() == "7171";
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 2000);
}

TEST(Evaluation, copies_of_an_expression_outlive_it) {
  auto first = std::make_unique<Expression>(*Expression::parse("n + 1", Dialect::python3));
  const Expression copy = *first;
  first.reset();
  EXPECT_EQ(*copy.evaluate(sample_scope()), Value(8));
}

TEST(Suggestion, is_the_nearest_known_word) {
  EXPECT_EQ(suggestion("dataste", {"database", "dataset"}), "; did you mean 'dataset'?");
}

TEST(Suggestion, takes_the_wrong_case_for_the_smallest_slip) {
  EXPECT_EQ(suggestion("N", {"dataset", "n"}), "; did you mean 'n'?");
}

TEST(Suggestion, lists_the_known_words_where_none_is_near_and_they_are_few) {
  EXPECT_EQ(suggestion("q", {"dataset", "n"}), "; known: 'dataset', 'n'");
  EXPECT_EQ(suggestion("q", {}), "");
  EXPECT_EQ(suggestion("q", {"aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii"}), "");
}

TEST(Suggestion, is_not_sought_for_words_of_absurd_length) {
  EXPECT_EQ(suggestion(std::string(1000000, 'a'), {"dataset"}), "; known: 'dataset'");
  EXPECT_EQ(suggestion("dataset", {std::string(1000000, 'a'), "datase"}),
            "; did you mean 'datase'?");
}

}  // namespace
}  // namespace kiln::expr
