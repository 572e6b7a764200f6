#include "tune/space/component.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace kiln::tune {
namespace {

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
