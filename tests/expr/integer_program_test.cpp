#include "expr/integer_program.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_text.hpp"
#include "support.hpp"

namespace kiln::expr {
namespace {

const std::vector<std::string> kNames = {"a", "b", "c"};

std::optional<IntegerProgram> compiled(std::string_view text, Dialect dialect = Dialect::python3) {
  const auto expression = Expression::parse(text, dialect);
  if (!expression) return std::nullopt;
  return IntegerProgram::compile(*expression, kNames);
}

std::optional<std::int64_t> value_of(std::string_view text, std::vector<std::int64_t> values,
                                     Dialect dialect = Dialect::python3) {
  const auto program = compiled(text, dialect);
  if (!program) return std::nullopt;
  return program->evaluate(values);
}

Expected<Value> plain(std::string_view text, std::span<const std::int64_t> values) {
  Scope scope;
  for (std::size_t i = 0; i < kNames.size(); ++i) scope.set(kNames[i], values[i]);
  return Expression::parse(text, Dialect::python3)->evaluate(scope);
}

/// Integer expressions over a, b, c, of every kind that a program takes.
std::string random_constraint(int depth) {
  const auto part = [&] { return random_constraint(depth - 1); };
  if (depth == 0) {
    const int kind = *rc::gen::inRange(0, 4);
    return kind == 3 ? std::to_string(*rc::gen::inRange(-3, 70)) : kNames[std::size_t(kind)];
  }
  static const std::vector<std::string> operators = {" + ",  " - ",  " * ",  " // ",  " % ",
                                                     " / ",  " ** ", " < ",  " <= ",  " > ",
                                                     " >= ", " == ", " != ", " and ", " or "};
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      return "(not " + part() + ")";
    case 1:
      return "(-" + part() + ")";
    case 2:
      return "(" + part() + " if " + part() + " else " + part() + ")";
    case 3:
      return "min(" + part() + ", " + part() + ", abs(" + part() + "))";
    case 4:
      return "max(" + part() + ", int(" + part() + "))";
    case 5:
      return "(" + part() + " < " + part() + " <= " + part() + ")";
    case 6:
      return "(" + part() + " not in [" + part() + ", 8, 16])";
    default:
      return "(" + part() + *rc::gen::elementOf(operators) + part() + ")";
  }
}

RC_GTEST_PROP(IntegerProgram, what_it_answers_is_what_the_evaluator_answers, ()) {
  const std::string text = random_constraint(*rc::gen::inRange(1, 4));
  const auto program = compiled(text);
  RC_LOG() << text << std::endl;
  RC_ASSERT(program.has_value());
  for (int i = 0; i < 20; ++i) {
    const auto values = *rc::gen::container<std::vector<std::int64_t>>(
        3,
        rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-4, 70), rc::gen::arbitrary<std::int64_t>()));
    const auto fast = program->evaluate(values);
    if (!fast) continue;
    const auto slow = plain(text, values);
    RC_LOG() << values[0] << " " << values[1] << " " << values[2] << " -> " << *fast << std::endl;
    RC_ASSERT(slow.has_value());
    RC_ASSERT(*slow == Value(*fast));
  }
}

RC_GTEST_PROP(IntegerProgram, small_values_without_division_are_always_answered, ()) {
  std::string text = random_constraint(2);
  RC_PRE(text.find('/') == text.npos && text.find("**") == text.npos &&
         text.find('%') == text.npos);
  const auto values =
      *rc::gen::container<std::vector<std::int64_t>>(3, rc::gen::inRange<std::int64_t>(-9, 99));
  RC_ASSERT(compiled(text)->evaluate(values).has_value());
}

RC_GTEST_PROP(IntegerProgram, a_sure_bound_holds_for_every_choice, ()) {
  const std::string text = random_constraint(*rc::gen::inRange(1, 4));
  const auto program = compiled(text);
  std::vector<Range> ranges;
  for (int i = 0; i < 3; ++i) {
    const auto least = *rc::gen::inRange<std::int64_t>(-5, 20);
    ranges.push_back({least, least + *rc::gen::inRange<std::int64_t>(0, 6)});
  }
  const Truth truth = program->bound(ranges);
  RC_PRE(truth != Truth::unknown);
  RC_LOG() << text << std::endl;
  for (auto a = ranges[0].least; a <= ranges[0].most; ++a) {
    for (auto b = ranges[1].least; b <= ranges[1].most; ++b) {
      for (auto c = ranges[2].least; c <= ranges[2].most; ++c) {
        const std::vector<std::int64_t> values = {a, b, c};
        const auto value = plain(text, values);
        RC_LOG() << a << " " << b << " " << c << std::endl;
        RC_ASSERT(value.has_value());
        RC_ASSERT(value->truth() == (truth == Truth::yes));
      }
    }
  }
}

RC_GTEST_PROP(IntegerProgram, any_text_compiles_to_the_same_value_or_not_at_all, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const std::string text = RandomText(seed, RandomText::Parentheses::everywhere).expression(3);
  const auto expression = Expression::parse(text, Dialect::python3);
  RC_ASSERT(expression.has_value());
  const std::vector<std::string> names = {"dataset", "n", "m", "zero"};
  const auto program = IntegerProgram::compile(*expression, names);
  RC_PRE(program.has_value());
  const std::vector<std::int64_t> values = {1024, 7, -3, 0};
  const auto fast = program->evaluate(values);
  RC_PRE(fast.has_value());
  RC_LOG() << text << std::endl;
  const auto slow = expression->evaluate(sample_scope());
  RC_ASSERT(slow.has_value());
  RC_ASSERT(*slow == Value(*fast));
}

TEST(IntegerProgram, divides_as_the_dialect_does) {
  EXPECT_EQ(value_of("a / b", {7, 2, 0}), std::nullopt);  // 3.5 is no integer
  EXPECT_EQ(value_of("a / b", {8, 2, 0}), 4);
  EXPECT_EQ(value_of("a / b", {7, 2, 0}, Dialect::python2), 3);
  EXPECT_EQ(value_of("a // b", {-7, 2, 0}), -4);
  EXPECT_EQ(value_of("a % b", {-7, 2, 0}), 1);
}

TEST(IntegerProgram, leaves_errors_to_the_evaluator) {
  EXPECT_EQ(value_of("a % b", {1, 0, 0}), std::nullopt);
  EXPECT_EQ(value_of("a * b", {INT64_MAX, 2, 0}), std::nullopt);
  EXPECT_EQ(value_of("a // b", {INT64_MIN, -1, 0}), std::nullopt);
  EXPECT_EQ(value_of("-a", {INT64_MIN, 0, 0}), std::nullopt);
}

TEST(IntegerProgram, does_not_trust_doubles_above_their_precision) {
  EXPECT_EQ(value_of("a / b + c", {std::int64_t{1} << 54, 1, 1}), std::nullopt);
  EXPECT_EQ(value_of("a + c", {std::int64_t{1} << 54, 1, 1}), (std::int64_t{1} << 54) + 1);
}

TEST(IntegerProgram, refuses_what_is_not_for_integers) {
  for (const char* const text : {"a + 1.5", "'x' == a", "[a, b][0]", "len([a])", "sqrt(a)", "d + 1",
                                 "[a] == b", "a in [[1], b]", "a in b", "1 < a in [1, 2]"}) {
    EXPECT_FALSE(compiled(text)) << text;
  }
}

TEST(IntegerProgram, refuses_a_text_too_deep_to_run) {
  EXPECT_TRUE(compiled("a" + times(150, " + a")));
  EXPECT_FALSE(compiled("a" + times(5000, " + a")));
}

TEST(IntegerProgram, bounds_a_product_before_all_is_known) {
  const auto program = compiled("a * b * c <= 64");
  EXPECT_TRUE(program->bounds_well());
  EXPECT_EQ(program->bound(std::vector<Range>{{16, 16}, {8, 8}, {1, 4}}), Truth::no);
  EXPECT_EQ(program->bound(std::vector<Range>{{16, 16}, {1, 2}, {1, 2}}), Truth::yes);
  EXPECT_EQ(program->bound(std::vector<Range>{{16, 16}, {1, 8}, {1, 2}}), Truth::unknown);
  EXPECT_FALSE(compiled("a % b == 0")->bounds_well());
}

}  // namespace
}  // namespace kiln::expr
