#include "tune/space/enumerate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "../support.hpp"

namespace kiln::tune {
namespace {

using ::testing::ElementsAre;
using Verdict = Checker::Verdict;

struct Checkers : ::testing::Test {
  std::vector<Parameter> all =
      testing::parameters({"A=1..8", "B=0,1,2", "ORDER=row,column", "R=0.5,1.5"});

  Checker make(std::string_view text, Checker::Role role = Checker::Role::decides) const {
    return Checker(parse_constraint(text, all).value(), all, role);
  }
};

TEST_F(Checkers, need_only_their_own_parameters) {
  EXPECT_THAT(make("B < A").parameters(), ElementsAre(0, 1));
  EXPECT_THAT(make("ORDER == 'row' or R > 1").parameters(), ElementsAre(2, 3));
  EXPECT_THAT(make("1 < 2").parameters(), ElementsAre());
}

TEST_F(Checkers, take_values_of_every_kind) {
  Checker whole = make("A % 2 == 0"), text = make("ORDER == 'row'"), real = make("R * A == 1.5");
  const Positions one = {2, 0, 0, 0}, other = {0, 0, 1, 1};  // A=3 row 0.5, A=1 column 1.5
  EXPECT_EQ(whole.check(one), Verdict::no);
  EXPECT_EQ(text.check(one), Verdict::yes);
  EXPECT_EQ(text.check(other), Verdict::no);
  EXPECT_EQ(real.check(one), Verdict::yes);
  EXPECT_EQ(real.check(other), Verdict::yes);
}

TEST_F(Checkers, say_the_same_again) {
  Checker checker = make("A % 3 == 0");
  for (int round = 0; round < 2; ++round) {
    for (std::uint16_t a = 0; a < 8; ++a) {
      EXPECT_EQ(checker.check(Positions{a, 0, 0, 0}),
                (a + 1) % 3 == 0 ? Verdict::yes : Verdict::no);
    }
  }
}

TEST_F(Checkers, report_errors_only_where_they_decide) {
  const Positions zero = {4, 0, 0, 0};
  Checker decides = make("A % B == 0"), prunes = make("A % B == 0", Checker::Role::prunes);
  EXPECT_EQ(decides.check(zero), Verdict::error);
  EXPECT_EQ(prunes.check(zero), Verdict::yes);
  EXPECT_EQ(decides.error(zero).message(),
            "constraint 'A % B == 0' with A=5 B=0: column 3: division by zero");
}

TEST_F(Checkers, know_early_that_a_product_is_too_large) {
  Checker checker = make("A * (B + 1) <= 6");
  ASSERT_TRUE(checker.bounds_well());
  const std::vector<bool> only_a = {true, false, false, false};
  EXPECT_TRUE(checker.may_hold(Positions{5, 0, 0, 0}, only_a));   // A=6: B=0 will do
  EXPECT_FALSE(checker.may_hold(Positions{6, 0, 0, 0}, only_a));  // A=7
  EXPECT_FALSE(make("ORDER == 'row' and A < 3").bounds_well());
}

TEST_F(Checkers, know_whether_they_refused_everything) {
  Checker checker = make("A > 4");
  EXPECT_FALSE(checker.refuses_all());
  checker.check(Positions{0, 0, 0, 0});
  EXPECT_TRUE(checker.refuses_all());
  checker.check(Positions{7, 0, 0, 0});
  EXPECT_FALSE(checker.refuses_all());
}

TEST(IndependentGroups, are_joined_by_constraints) {
  const auto all = testing::parameters({"A=1", "B=1", "C=1", "D=1", "E=1"});
  std::vector<Constraint> constraints;
  for (const char* const text : {"D == B", "C < 5", "B + E > 0"}) {
    constraints.push_back(parse_constraint(text, all).value());
  }
  EXPECT_THAT(independent_groups(all, constraints),
              ElementsAre(ElementsAre(0), ElementsAre(1, 3, 4), ElementsAre(2)));
}

using Row = std::vector<std::uint16_t>;

RC_GTEST_PROP(Component, finds_what_was_added_and_nothing_else, ()) {
  // Columns 3 and 1 of rows of four.
  Component component({3, 1});
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::size_t> expected;
  const auto rows = *rc::gen::container<std::vector<Row>>(
      rc::gen::container<Row>(4, rc::gen::inRange<std::uint16_t>(0, 9)));
  for (const Row& row : rows) {
    if (!expected.emplace(std::pair(row[3], row[1]), expected.size()).second) continue;
    component.add(row);
  }
  RC_ASSERT(component.index());
  for (std::uint16_t a = 0; a < 10; ++a) {
    for (std::uint16_t b = 0; b < 10; ++b) {
      const auto found = component.find(Row{7, b, 7, a});
      const auto known = expected.find({a, b});
      RC_ASSERT(found.has_value() == (known != expected.end()));
      if (found) RC_ASSERT(*found == known->second);
    }
  }
}

TEST(Component, refuses_a_row_that_stands_twice) {
  Component component({0, 1});
  component.add(Row{1, 2});
  component.add(Row{2, 1});
  component.add(Row{1, 2});
  EXPECT_FALSE(component.index());
}

TEST(Component, gives_positions_by_row_and_column) {
  Component component({1, 0});
  component.add(Row{5, 6});
  component.add(Row{7, 8});
  ASSERT_TRUE(component.index());
  EXPECT_EQ(component.rows(), 2u);
  EXPECT_EQ(component.position(0, 0), 6);
  EXPECT_EQ(component.position(1, 1), 7);
}

}  // namespace
}  // namespace kiln::tune
