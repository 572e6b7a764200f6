#include "tune/space/search_space.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "../support.hpp"

namespace kiln::tune {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::space;
using testing::try_space;

/// All valid combinations, by trying every one with the plain evaluator. An error: none.
std::optional<std::set<Positions>> brute_force(std::span<const Parameter> parameters,
                                               std::span<const Constraint> constraints) {
  std::set<Positions> valid;
  Positions positions(parameters.size());
  while (true) {
    expr::Scope scope;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      scope.set(parameters[p].name, parameters[p].values[positions[p]]);
    }
    bool all = true;
    for (const Constraint& constraint : constraints) {
      const auto value = constraint.expression.evaluate(scope);
      if (!value) return std::nullopt;
      all = all && value->truth();
    }
    if (all) valid.insert(positions);
    std::size_t p = 0;
    while (p < parameters.size() && ++positions[p] == parameters[p].values.size()) {
      positions[p++] = 0;
    }
    if (p == parameters.size()) return valid;
  }
}

std::set<Positions> all_of(const SearchSpace& space) {
  std::set<Positions> found;
  for (ConfigurationId id = 0; id < space.size(); ++id) found.insert(space.positions(id));
  return found;
}

const std::vector<std::string> kTexts = {"A=1..6",      "B=1,2,4,8,16", "C=0,1",
                                         "D=1.5,2,row", "E=True,False", "F=2..20:3"};
const std::vector<std::string> kConditions = {
    "A % B == 0",
    "B % A == 0 and A > 1",
    "A * B * F <= 64",
    "A * F == 30 or C == 1",
    "C == 0 or B < 8",
    "D == 'row' or A < 3",
    "E or A != 2",
    "1 < A <= F",
    "B in [2, 8] and F not in (5, 11)",
    "(A if C else B) < F",
    "max(A, B) - min(A, F) < 7",
    "F % (A / 1) < 4",
    "C != 0 and F % C == 0",
};

RC_GTEST_PROP(SearchSpace, equals_the_brute_force, ()) {
  std::vector<std::string> conditions;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) conditions.push_back(*rc::gen::elementOf(kConditions));
  RC_LOG() << rc::toString(conditions) << std::endl;
  auto parameters = testing::parameters(kTexts);
  std::vector<Constraint> constraints;
  for (const auto& text : conditions) {
    constraints.push_back(parse_constraint(text, parameters).value());
  }
  const auto expected = brute_force(parameters, constraints);
  const auto made = SearchSpace::build(std::move(parameters), std::move(constraints));
  RC_PRE(expected.has_value());
  RC_ASSERT(made.has_value() == !expected->empty());
  if (!made) return;
  RC_ASSERT(made->size() == expected->size());
  RC_ASSERT(all_of(*made) == *expected);
}

RC_GTEST_PROP(SearchSpace, finds_each_configuration_by_its_positions, ()) {
  const auto made = space(kTexts, {*rc::gen::elementOf(kConditions)});
  const ConfigurationId id = *rc::gen::inRange<ConfigurationId>(0, made.size());
  RC_ASSERT(made.find(made.positions(id)) == id);
}

RC_GTEST_PROP(SearchSpace, neighbours_are_all_that_differ_in_one_parameter, ()) {
  const auto made = space(kTexts, {*rc::gen::elementOf(kConditions)});
  const ConfigurationId id = *rc::gen::inRange<ConfigurationId>(0, made.size());
  std::set<ConfigurationId> expected;
  for (ConfigurationId other = 0; other < made.size(); ++other) {
    int differing = 0;
    for (std::size_t p = 0; p < kTexts.size(); ++p) {
      differing += made.position(id, p) != made.position(other, p);
    }
    if (differing == 1) expected.insert(other);
  }
  const auto found = made.neighbours(id);
  RC_ASSERT(std::set<ConfigurationId>(found.begin(), found.end()) == expected);
  RC_ASSERT(found.size() == expected.size());
}

TEST(SearchSpace, keeps_what_no_constraint_joins_apart) {
  std::vector<std::string> texts;
  for (int i = 0; i < 18; ++i) texts.push_back("P" + std::to_string(i) + "=1..10");
  const auto made = space(texts, {"P0 + P1 == 2"});
  EXPECT_EQ(made.size(), 10'000'000'000'000'000u);
  EXPECT_EQ(made.raw_size(), 1e18);
  const ConfigurationId id = 8'765'432'101'234'567u;
  EXPECT_EQ(made.find(made.positions(id)), id);
  EXPECT_EQ(made.neighbours(id).size(), 16u * 9);
}

TEST(SearchSpace, prunes_a_product_of_many_parameters_early) {
  std::vector<std::string> texts;
  std::string product = "P0";
  for (int i = 0; i < 12; ++i) {
    texts.push_back("P" + std::to_string(i) + "=1..10");
    if (i > 0) product += " * P" + std::to_string(i);
  }
  // 10^12 combinations; without bounds on products this would not end.
  SpaceBounds bounds;
  bounds.steps = 10'000'000;
  const auto made = try_space(texts, {product + " <= 8"}, bounds);
  ASSERT_TRUE(made) << message_of(made);
  for (ConfigurationId id = 0; id < made->size(); id += 97) {
    std::int64_t value = 1;
    for (std::size_t p = 0; p < texts.size(); ++p) value *= *made->value(id, p).to_integer();
    EXPECT_LE(value, 8);
  }
}

TEST(SearchSpace, a_part_of_an_and_may_fail_where_the_part_before_it_is_false) {
  EXPECT_EQ(space({"A=0,1,2", "B=0,1,2"}, {"B != 0 and A % B == 0"}).size(), 5u);
}

TEST(SearchSpace, says_in_one_line_why_it_cannot_be_made) {
  EXPECT_EQ(message_of(try_space({"A=0,1", "B=0,1"}, {"A % B == 0"})),
            "constraint 'A % B == 0' with A=0 B=0: column 3: division by zero");
  EXPECT_EQ(message_of(try_space({"A=0,1"}, {"1 / 0"})),
            "constraint '1 / 0': column 3: division by zero");
  EXPECT_EQ(message_of(try_space({"A=1..4", "B=1..3"}, {"A > B", "A * B > 100"})),
            "the space is empty: no configuration that the other constraints allow satisfies 'A * "
            "B > 100'");
  EXPECT_THAT(message_of(try_space({"A=1..4"}, {"A > 2", "A < 3"})), HasSubstr("empty"));
  EXPECT_EQ(
      message_of(try_space({"A=1..4"}, {"1 == 2"})),
      "the space is empty: no configuration that the other constraints allow satisfies '1 == 2'");
  EXPECT_EQ(message_of(try_space({}, {})), "the space has no parameter");
  EXPECT_EQ(message_of(try_space({"A=1", "A=2"}, {})), "two parameters named A");
  SpaceBounds few;
  few.rows = 10;
  EXPECT_EQ(message_of(try_space({"A=1..9", "B=1..9"}, {"A != B"}, few)),
            "the space has more than 10 valid configurations");
  SpaceBounds short_work;
  short_work.steps = 50;
  EXPECT_THAT(message_of(try_space({"A=1..9", "B=1..9"}, {"A == B"}, short_work)),
              HasSubstr("not built after 50 steps"));
}

TEST(SearchSpace, of_rows_keeps_their_order_and_checks_them) {
  const auto parameters = testing::parameters({"A=1,2,3", "B=x,y"});
  const std::vector<Positions> rows = {{2, 1}, {0, 0}, {1, 1}};
  const auto made = SearchSpace::of_rows(parameters, rows).value();
  EXPECT_EQ(made.text(0), "A=3 B='y'");
  EXPECT_EQ(made.find(Positions{1, 1}), 2u);
  EXPECT_EQ(made.find(Positions{1, 0}), std::nullopt);
  const std::vector<Positions> twice = {{2, 1}, {2, 1}}, outside = {{3, 0}}, none;
  EXPECT_EQ(message_of(SearchSpace::of_rows(parameters, twice)), "a configuration stands twice");
  EXPECT_EQ(message_of(SearchSpace::of_rows(parameters, outside)), "configuration 0 does not fit");
  EXPECT_EQ(message_of(SearchSpace::of_rows(parameters, none)), "the space has no configuration");
}

TEST(SearchSpace, samples_every_configuration_about_as_often) {
  const auto made = space({"A=1..4", "B=1..4"}, {"A <= B"});
  Random random(7);
  std::vector<int> count(made.size());
  for (int i = 0; i < 10'000; ++i) ++count[made.sample(random)];
  for (const int each : count) EXPECT_NEAR(each, 1000, 200);
}

}  // namespace
}  // namespace kiln::tune
