#include "cli/layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

namespace kiln::cli {
namespace {

TEST(Layout, width_counts_characters_not_bytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("µs…"), 3u);
  EXPECT_EQ(display_width(""), 0u);
}

TEST(Layout, text_is_broken_between_words) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("one\n\ntwo", 0, 80), "one\n\ntwo\n");
  EXPECT_EQ(wrapped("", 4, 10), "");
}

RC_GTEST_PROP(Layout, wrapping_keeps_every_word_and_the_width, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
  std::string text;
  for (const auto& word : words) text += word + " ";
  const std::string out = wrapped(text, 3, 30);
  std::istringstream lines(out), all(out);
  for (std::string line; std::getline(lines, line);)
    RC_ASSERT(line.size() <= 30 || line.find(' ', 3) == std::string::npos);
  for (const auto& word : words) {
    std::string read;
    all >> read;
    RC_ASSERT(read == word);
  }
}

TEST(Layout, definitions_use_a_second_line_for_long_names) {
  EXPECT_EQ(definition("--a", "meaning", 8, 40), "  --a   meaning\n");
  EXPECT_EQ(definition("--a-long-one", "meaning", 8, 40), "  --a-long-one\n        meaning\n");
  EXPECT_EQ(definition("--a", "", 8, 40), "  --a\n");
}

TEST(Table, aligns_columns_and_puts_numbers_to_the_right) {
  Table table({"NAME", "N", "WHERE"});
  table.row({"long name", "5", "x"});
  table.row({"µ", "12.5", ""});
  EXPECT_EQ(table.text(),
            "NAME          N  WHERE\n"
            "long name     5  x\n"
            "µ          12.5\n");
  EXPECT_EQ(table.rows(), 2u);
}

TEST(Table, refuses_more_cells_than_columns) {
  Table table({"A"});
  EXPECT_THROW(table.row({"1", "2"}), std::logic_error);
}

}  // namespace
}  // namespace kiln::cli
