#include <gtest/gtest.h>

#include "support.hpp"

namespace kiln::expr {
namespace {

TEST(Limits, ten_megabytes_of_text_are_refused_unread) {
  EXPECT_EQ(canonical_of(times(10u << 20, "1")),
            "column 1048577: the text has 10485760 bytes, at most 1048576 are read");
}

TEST(Limits, nesting_of_every_kind_ends_in_a_clean_error) {
  const std::string depth = ": nested deeper than 200 levels";
  EXPECT_EQ(canonical_of(times(100000, "(")), "column 201" + depth);
  EXPECT_EQ(canonical_of(times(100000, "(") + "1" + times(100000, ")")), "column 201" + depth);
  EXPECT_EQ(canonical_of(times(100000, "[")), "column 201" + depth);
  EXPECT_EQ(canonical_of(times(100000, "-") + "1"), "column 200" + depth);
  EXPECT_EQ(canonical_of(times(100000, "+") + "1"), "column 200" + depth);
  EXPECT_EQ(canonical_of(times(100000, "not ") + "1"), "column 797" + depth);
  EXPECT_EQ(canonical_of(times(100000, "2**") + "1"), "column 599" + depth);
  EXPECT_EQ(canonical_of(times(100000, "abs(")), "column 801" + depth);
  EXPECT_EQ(canonical_of(times(100000, "n[")), "column 401" + depth);
  EXPECT_EQ(canonical_of(times(50000, "1 if 1 else ") + "1"), "column 2401" + depth);
}

TEST(Limits, a_caller_cannot_ask_for_more_depth_than_the_stack_holds) {
  Limits limits;
  limits.depth = 1u << 30;
  EXPECT_EQ(result_of(times(100000, "("), Dialect::python3, limits),
            "column 1001: nested deeper than 1000 levels");
  EXPECT_EQ(result_of(times(999, "(") + "1" + times(999, ")"), Dialect::python3, limits), "1");
  EXPECT_EQ(result_of(times(999, "-") + "1", Dialect::python3, limits), "-1");
  const std::string lists = times(999, "[") + times(999, "]");
  EXPECT_EQ(result_of(lists, Dialect::python3, limits), lists);
}

TEST(Limits, long_flat_texts_are_no_nesting) {
  EXPECT_EQ(result_of(times(40000, "1+") + "1"), "40001");
  EXPECT_EQ(result_of(times(30000, "1<=") + "1"), "True");
  EXPECT_EQ(result_of(times(30000, "0 or ") + "7"), "7");
  EXPECT_EQ(result_of(std::string("l").append(times(20000, "[3]"))),
            "column 5: index 3 is outside a list of 2");
}

TEST(Limits, the_number_of_nodes_is_bounded) {
  EXPECT_EQ(result_of(times(60000, "1+") + "1"),
            "column 100000: more than 100000 operations and values");
}

TEST(Limits, steps_of_an_evaluation_are_bounded) {
  Limits limits;
  limits.steps = 10;
  EXPECT_EQ(result_of("1+1+1+1+1", Dialect::python3, limits), "5");
  EXPECT_EQ(result_of("1+1+1+1+1+1", Dialect::python3, limits),
            "column 10: the evaluation takes more than 10 steps");
}

TEST(Limits, lists_and_strings_of_absurd_size_are_not_made) {
  EXPECT_EQ(result_of("[0] * 1000000000000"), "column 5: a list of more than 1000000 items");
  EXPECT_EQ(result_of("9223372036854775807 * [0, 0, 0]"),
            "column 21: a list of more than 1000000 items");
  EXPECT_EQ(result_of("len([0] * 1000000)"), "1000000");
  EXPECT_EQ(result_of("[0] * 1000 * 1000 * 2"), "column 19: a list of more than 1000000 items");
  EXPECT_EQ(result_of("[[0] * 1000] * 1000"), "column 14: a list of more than 1000000 items");
  EXPECT_EQ(result_of("'ab' * 1000000"), "column 6: a string of more than 1048576 bytes");
  EXPECT_EQ(result_of("'a' * 1048576 + 'b'"), "column 15: a string of more than 1048576 bytes");
  EXPECT_EQ(result_of("[] * 9223372036854775807 + [''] * 2"), "['', '']");
  EXPECT_EQ(result_of("'' * 9223372036854775807"), "''");
}

TEST(Limits, many_large_values_cost_steps_so_that_memory_stays_bounded) {
  EXPECT_EQ(result_of(std::string("[").append(times(50, "[0] * 900000, ")) + "]"),
            "column 62: the evaluation takes more than 1000000 steps");
  Scope scope;
  scope.set("big", List(900'000, Value(1)));
  EXPECT_EQ(result_of(times(50, "big == ") + "big", scope),
            "column 15: the evaluation takes more than 1000000 steps");
}

TEST(Limits, searching_a_hostile_string_takes_linear_time) {
  // Quadratic search would compare 2.5e11 bytes.
  EXPECT_EQ(result_of("'a' * 500000 + 'b' in 'a' * 1000000"), "False");
}

TEST(Limits, lists_that_grow_by_nesting_are_bounded_in_depth) {
  Scope scope;
  Limits limits;
  limits.depth = 20;
  const auto wrap = Expression::parse(times(10, "[") + "a" + times(10, "]"), Dialect::python3);
  ASSERT_TRUE(scope.define("wrap", {"a"}, *wrap));
  EXPECT_EQ(result_of("wrap(wrap(1))", scope, Dialect::python3, limits),
            times(20, "[") + "1" + times(20, "]"));
  EXPECT_EQ(result_of("wrap(wrap(wrap(1)))", scope, Dialect::python3, limits),
            "column 1: in wrap, column 10: a list nested deeper than 20 levels");
}

}  // namespace
}  // namespace kiln::expr
