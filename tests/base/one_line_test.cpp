#include <gtest/gtest.h>

#include "base/text.hpp"

namespace kiln {
namespace {

TEST(OneLine, text_stays_as_it_is) {
  for (const char* text : {"", "saxpy", "C:\\kernels", "größer — 𝄞 \u00a0"})
    EXPECT_EQ(one_line(text), text);
}

TEST(OneLine, what_a_terminal_obeys_is_escaped) {
  EXPECT_EQ(one_line("a\x1b]0;title\x07"), "a\\x1b]0;title\\x07");
  EXPECT_EQ(one_line("a\nb\tc\rd\x7f"), "a\\nb\\x09c\\x0dd\\x7f");
  EXPECT_EQ(one_line(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(one_line("\u009b2J") + one_line("\u0080"), "\\u009b2J\\u0080");
  EXPECT_EQ(one_line("\u202egpj.exe\u2066\u2028\u200f\u061c"),
            "\\u202egpj.exe\\u2066\\u2028\\u200f\\u061c");
}

TEST(OneLine, bytes_that_are_no_UTF_8_are_escaped) {
  EXPECT_EQ(one_line("\x9b"), "\\x9b") << "a control character of Latin-1";
  EXPECT_EQ(one_line("\xc2"), "\\xc2") << "cut";
  EXPECT_EQ(one_line("\xc2\x1b"), "\\xc2\\x1b");
  EXPECT_EQ(one_line("\xc0\x9b"), "\\xc0\\x9b") << "overlong";
  EXPECT_EQ(one_line("\xe0\x82\x9b"), "\\xe0\\x82\\x9b") << "overlong";
  EXPECT_EQ(one_line("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(one_line("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(one_line("\xff\xfe"), "\\xff\\xfe");
}

TEST(OneLine, every_byte_gives_something_that_is_shown) {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const char text[] = {static_cast<char>(first), static_cast<char>(second)};
      const std::string line = one_line({text, 2});
      EXPECT_EQ(one_line(line), line) << first << " " << second;
      for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20u);
    }
}

TEST(VisibleText, lines_and_tabs_stay) {
  EXPECT_EQ(visible_text("a:1:\twarning\n\x1b[2Jb\r\n"), "a:1:\twarning\n\\x1b[2Jb\\x0d\n");
}

}  // namespace
}  // namespace kiln
