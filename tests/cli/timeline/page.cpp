#include "cli/timeline/page.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kiln::cli {
namespace {

constexpr const char* unknown = "\xEF\xBF\xBD";

TEST(TimelineText, markup_characters_become_entities) {
  EXPECT_EQ(escaped("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
  EXPECT_EQ(escaped("float4 µ 矩阵"), "float4 µ 矩阵");
}

TEST(TimelineText, line_ends_become_blanks_and_controls_a_replacement) {
  EXPECT_EQ(escaped("a\r\n\tb"), "a   b");
  EXPECT_EQ(escaped(std::string("a\0b\x1B\x7F", 5)),
            std::string("a") + unknown + "b" + unknown + unknown);
  EXPECT_EQ(escaped("\xE2\x80\xAE"
                    "gpj"),
            std::string(unknown) + "gpj")
      << "turns the text around";
}

TEST(TimelineText, bytes_that_are_no_utf8_become_a_replacement_each) {
  EXPECT_EQ(escaped("\xC3(\xFF"), std::string(unknown) + "(" + unknown);
  EXPECT_EQ(escaped("\xC3"), unknown);
}

RC_GTEST_PROP(TimelineText, no_text_can_open_markup, (const std::string& text)) {
  RC_ASSERT(escaped(text).find_first_of(std::string("<>\"'\n\0", 6)) == std::string::npos);
}

TEST(TimelineText, names_are_shortened_between_characters) {
  EXPECT_EQ(shortened("kernel", 6), "kernel");
  EXPECT_EQ(shortened("kernel", 5), "kern…");
  EXPECT_EQ(shortened("µµµµµµ", 5), "µµµµ…");
  EXPECT_EQ(shortened("kernel", 4), "ker…");
  EXPECT_EQ(shortened("kernel", 3), "");
  EXPECT_EQ(shortened("k", 1), "k");
}

TEST(TimelineText, times_have_three_digits_and_a_unit_that_suits_them) {
  EXPECT_EQ(time_text(0), "0");
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(1'000), "1.00 µs");
  EXPECT_EQ(time_text(9'996), "10.0 µs");
  EXPECT_EQ(time_text(99'960), "100 µs");
  EXPECT_EQ(time_text(999'499), "999 µs");
  EXPECT_EQ(time_text(999'500), "1.00 ms");
  EXPECT_EQ(time_text(12'345'678), "12.3 ms");
  EXPECT_EQ(time_text(7'200'000'000'000), "7200 s");
}

TEST(TimelineText, percentages_have_no_idle_digits) {
  EXPECT_EQ(percent(0), "0%");
  EXPECT_EQ(percent(0.125), "12.5%");
  EXPECT_EQ(percent(1), "100%");
  EXPECT_EQ(percent(1.0 / 3), "33.33333%");
}

std::vector<std::string> texts(const Window& window) {
  std::vector<std::string> result;
  for (const auto& tick : ticks(window, 5)) result.push_back(tick.text);
  return result;
}

TEST(TimelineAxis, ticks_are_round_numbers_of_one_unit) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(texts({0, 133'000'000}), (Labels{"0", "50 ms", "100 ms"}));
  EXPECT_EQ(texts({0, 1'200'000}), (Labels{"0", "0.5 ms", "1.0 ms"}));
  EXPECT_EQ(texts({132'000'000, 133'200'000}), (Labels{"132.0 ms", "132.5 ms", "133.0 ms"}));
  EXPECT_EQ(texts({0, 300}), (Labels{"0", "100 ns", "200 ns", "300 ns"}));
  EXPECT_EQ(texts({0, 1}), (Labels{"0", "1 ns"}));
}

RC_GTEST_PROP(TimelineAxis, ticks_lie_inside_evenly_spaced_and_not_too_many,
              (std::uint32_t from, std::uint16_t exponent)) {
  const std::int64_t length = 1 + (std::int64_t{1} << (exponent % 50)) * 7 / 5;
  const Window window{from, from + length};
  const int most = *rc::gen::inRange(2, 20);
  const auto found = ticks(window, most);
  const auto step = tick_step(length, most);
  RC_ASSERT(found.size() <= static_cast<std::size_t>(most) + 1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    RC_ASSERT(found[i].ns >= window.from_ns && found[i].ns <= window.to_ns);
    RC_ASSERT(found[i].ns % step == 0);
    if (i > 0) RC_ASSERT(found[i].ns - found[i - 1].ns == step);
    if (i > 0) RC_ASSERT(found[i].text != found[i - 1].text);
  }
}

}  // namespace
}  // namespace kiln::cli
