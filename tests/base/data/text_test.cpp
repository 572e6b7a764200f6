#include "base/data/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace kiln {
namespace {

TEST(OneLine, text_stays_as_it_is) {
  for (const char* text : {"", "saxpy", "C:\\kernels", "größer — 𝄞 \u00a0"})
    EXPECT_EQ(one_line(text), text);
}

TEST(OneLine, of_any_length_has_a_short_form_of_entire_characters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc…");
  EXPECT_EQ(shortened("", 0), "");
  EXPECT_EQ(shortened("a", 0), "…");
  EXPECT_EQ(shortened("a\n", 3), "a\\n");
  const std::string text = "aé€\U0001F600 and more";
  for (std::size_t most = 0; most < text.size(); ++most) {
    const std::string begin = shortened(text, most);
    EXPECT_TRUE(is_utf8(begin)) << begin;
    EXPECT_LE(begin.size(), most + std::string("…").size());
    EXPECT_TRUE(text.starts_with(begin.substr(0, begin.size() - std::string("…").size())));
  }
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

using kiln::did_you_mean;
using kiln::edit_distance;
using kiln::nearest;

namespace {
constexpr std::array<std::string_view, 4> names{"partition", "devices", "seed", "set"};
}

TEST(Suggest, distance_counts_the_four_edits) {
  EXPECT_EQ(edit_distance("seed", "seed"), 0u);
  EXPECT_EQ(edit_distance("seed", "sed"), 1u);
  EXPECT_EQ(edit_distance("seed", "seeed"), 1u);
  EXPECT_EQ(edit_distance("seed", "feed"), 1u);
  EXPECT_EQ(edit_distance("seed", "sede"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

RC_GTEST_PROP(Suggest, distance_is_symmetric_and_zero_only_for_equals,
              (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

TEST(Suggest, finds_the_name_that_was_mistyped) {
  EXPECT_EQ(nearest("partiton", names), "partition");
  EXPECT_EQ(nearest("device", names), "devices");
  EXPECT_EQ(nearest("sede", names), "seed");
  EXPECT_EQ(did_you_mean("partiton", names), "; did you mean 'partition'?");
}

TEST(Suggest, prefers_the_name_that_differs_in_case_only) {
  constexpr std::array<std::string_view, 3> symbols{"h", "localWorkSize", "w"};
  EXPECT_EQ(nearest("W", symbols), "w");
  EXPECT_EQ(nearest("LOCALWORKSIZE", symbols), "localWorkSize");
}

TEST(Suggest, is_silent_where_nothing_is_near) {
  EXPECT_EQ(nearest("frobnicate", names), "");
  EXPECT_EQ(nearest("", names), "");
  constexpr std::array<std::string_view, 1> other{"n"};
  EXPECT_EQ(nearest("q", other), "") << "no letter is right";
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Suggest, does_not_work_on_absurdly_long_names) {
  EXPECT_EQ(nearest(std::string(10'000'000, 'a'), names), "");
}

namespace kiln {
namespace {

TEST(ByteCount, is_read_in_powers_of_1000_and_of_1024) {
  const auto read = [](const char* text) { return value_or_throw(parse_byte_count(text)); };
  EXPECT_EQ(read("0"), 0u);
  EXPECT_EQ(read("4096"), 4096u);
  EXPECT_EQ(read("500M"), 500'000'000u);
  EXPECT_EQ(read("500 MB"), 500'000'000u);
  EXPECT_EQ(read("2G"), 2'000'000'000u);
  EXPECT_EQ(read("1.5Gi"), 1'610'612'736u);
  EXPECT_EQ(read("1KiB"), 1024u);
  EXPECT_EQ(read("3k"), 3000u);
  EXPECT_EQ(read("12B"), 12u);
}

TEST(ByteCount, what_is_none_is_refused_with_what_was_found) {
  for (const char* text : {"", "-1", "G", "2X", "2GG", "1e3", "nan", "99999999T", "5 5", "2Gib"}) {
    const auto read = parse_byte_count(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message().find(std::string("'") + text + "'"), std::string::npos);
  }
}

TEST(ByteCount, is_written_with_three_digits) {
  EXPECT_EQ(byte_count_text(0), "0 B");
  EXPECT_EQ(byte_count_text(999), "999 B");
  EXPECT_EQ(byte_count_text(1000), "1.00 kB");
  EXPECT_EQ(byte_count_text(49'593), "49.6 kB");
  EXPECT_EQ(byte_count_text(999'600), "1.00 MB");
  EXPECT_EQ(byte_count_text(123'456'789), "123 MB");
  EXPECT_EQ(byte_count_text(7'654'321'000), "7.65 GB");
  EXPECT_EQ(byte_count_text(5'000'000'000'000'000), "5000 TB");
}

TEST(Text, is_utf8_where_every_character_is_whole_and_allowed) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("gemm \u00e9 \u20ac \U0001F600"));
  EXPECT_FALSE(is_utf8("a\x80")) << "a byte that starts nothing";
  EXPECT_FALSE(is_utf8("\xe2\x82")) << "cut short";
  EXPECT_FALSE(is_utf8("\xed\xa0\x80")) << "a surrogate";
}

using ::testing::HasSubstr;

std::string refusal(std::string_view text, JsonBounds bounds) {
  const auto checked = check_json_bounds(text, bounds);
  return checked ? "" : checked.error().message();
}

TEST(JsonBounds, values_are_counted) {
  EXPECT_EQ(refusal("[1,2,3]", {.values = 4}), "");
  EXPECT_EQ(refusal("[1,2,3]", {.values = 3}),
            "byte 4: found more than 3 values, expected at most 3");
  EXPECT_EQ(refusal("{\"a\": 1, \"b\": {}}", {.values = 4}), "");
  EXPECT_NE(refusal(std::string(1000, ','), {.values = 100}), "");
}

TEST(JsonBounds, depth_is_counted) {
  EXPECT_EQ(refusal("[[[]],[[]],{}]", {.depth = 3}), "");
  EXPECT_THAT(refusal("[[[{}]]]", {.depth = 3}), HasSubstr("byte 3: found more than 3 levels"));
  EXPECT_THAT(refusal(std::string(1 << 20, '['), {}), HasSubstr("more than 100 levels"));
}

TEST(JsonBounds, texts_do_not_count) {
  EXPECT_EQ(refusal(R"(["[[[[,,,,{{{{", "\"[[[[\\", 1])", {.values = 4, .depth = 1}), "");
  EXPECT_EQ(refusal("\"never closed [[[[,,,,", {.values = 1, .depth = 0}), "");
  EXPECT_EQ(refusal("\"ends in a backslash \\", {.values = 1, .depth = 0}), "");
}

TEST(JsonBounds, what_closes_too_often_is_the_parsers_to_refuse) {
  EXPECT_EQ(refusal("]]]}}}[[", {.depth = 2}), "");
}

}  // namespace
}  // namespace kiln
