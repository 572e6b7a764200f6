#include "base/data/bounded_table.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

namespace kiln::testing {
namespace {

/// Of the length alone, so that many keys share a hash.
struct LengthHash {
  std::size_t operator()(std::string_view text) const noexcept { return text.size(); }
};
using Table = BoundedTable<std::string, int, LengthHash, std::equal_to<>>;

TEST(BoundedTable, finds_by_a_view_and_tells_keys_of_one_hash_apart) {
  Table table(10);
  table.add("one", 1);
  table.add("two", 2);
  ASSERT_NE(table.find(std::string_view("two")), nullptr);
  EXPECT_EQ(*table.find(std::string_view("two")), 2);
  EXPECT_EQ(*table.find("one"), 1);
  EXPECT_EQ(table.find("six"), nullptr);
}

TEST(BoundedTable, the_first_entry_goes_where_there_are_too_many) {
  Table table(2);
  for (const auto* key : {"a", "b", "c"}) table.add(key, 0);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.find("a"), nullptr);
  EXPECT_NE(table.find("b"), nullptr);
  EXPECT_NE(table.find("c"), nullptr);
}

TEST(BoundedTable, erased_entries_make_room) {
  Table table(3);
  for (const auto* key : {"a", "b", "cc"}) table.add(key, 0);
  table.erase_if([](const std::string& key) { return key.size() == 1; });
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.find("b"), nullptr);
  table.add("d", 0);
  table.add("e", 0);
  EXPECT_NE(table.find("cc"), nullptr);
}

}  // namespace
}  // namespace kiln::testing
