#include "cli/output/terminal.hpp"

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

constexpr std::int64_t second = 1'000'000'000;

TEST(Progress, says_what_how_far_and_how_long_to_go) {
  EXPECT_EQ(progress_line("verify", 10, 40, 20 * second, "blur.json", 100),
            "verify 10/40 [#####               ]  25 %  1m00s to go  blur.json");
}

TEST(Progress, guesses_no_time_before_the_first_step_and_after_the_last) {
  EXPECT_EQ(progress_line("run", 0, 4, second, "", 100), "run 0/4 [                    ]   0 %");
  EXPECT_EQ(progress_line("run", 4, 4, second, "", 100), "run 4/4 [####################] 100 %");
  EXPECT_EQ(progress_line("run", 9, 4, second, "", 100), "run 4/4 [####################] 100 %");
  EXPECT_EQ(progress_line("run", 0, 0, second, "", 100), "run 0/0 [####################] 100 %");
}

RC_GTEST_PROP(Progress, fits_the_width,
              (std::uint16_t done, std::uint16_t total, std::string note)) {
  const auto width = *rc::gen::inRange<std::size_t>(1, 120);
  RC_ASSERT(display_width(progress_line("wörk", done, total, second, "µ" + note, width)) <= width);
}

TEST(Progress, times_are_brief) {
  EXPECT_EQ(brief_time(0), "0s");
  EXPECT_EQ(brief_time(59 * second + second / 2), "1m00s");
  EXPECT_EQ(brief_time(80 * second), "1m20s");
  EXPECT_EQ(brief_time(7500 * second), "2h05m");
}

/// A log without a terminal, and a clock that the test sets.
struct Log {
  std::int64_t now = 1000 * second;
  std::string text;
  Progress::Surroundings surroundings(bool is_terminal = false) {
    return {is_terminal, [this] { return now; }, [this](std::string_view more) { text += more; }};
  }
};

TEST(Progress, adds_a_line_every_ten_seconds_where_nobody_watches) {
  Log log;
  Progress progress("tune", 600, Progress::OffTerminal::lines, log.surroundings());
  for (int i = 0; i < 25; ++i) {
    log.now += second;
    progress.advance(1, "note " + std::to_string(i + 1));
  }
  progress.hide();
  EXPECT_EQ(log.text,
            "kiln: tune 10/600 [                    ]   1 %  9m50s to go  note 10\n"
            "kiln: tune 20/600 [                    ]   3 %  9m40s to go  note 20\n");
}

TEST(Progress, adds_no_line_where_work_is_short_or_a_terminal_shows_it) {
  Log log, quiet, shown;
  Progress lines("tune", 6, Progress::OffTerminal::lines, log.surroundings());
  Progress silent("run", 6, Progress::OffTerminal::silent, quiet.surroundings());
  Progress bar("tune", 6, Progress::OffTerminal::lines, shown.surroundings(true));
  log.now += 10 * second - 1;
  quiet.now += 100 * second;
  shown.now += 100 * second;
  for (auto* each : {&lines, &silent, &bar}) each->advance();
  EXPECT_EQ(log.text, "");
  EXPECT_EQ(quiet.text, "");
  EXPECT_TRUE(shown.text.starts_with("\rtune 1/6")) << shown.text;
  EXPECT_EQ(shown.text.find('\n'), std::string::npos);
}

TEST(Progress, is_silent_where_standard_error_is_no_terminal) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress("run", 3);
    progress.advance(1, "a");
    progress.note("b");
    progress.hide();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace kiln::cli
