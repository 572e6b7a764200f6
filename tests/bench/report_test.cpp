#include "frame/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace kiln::bench {
namespace {

Bar bar_of(Holds holds) { return {"g/n", "a text", holds, 1.05, "x", {}}; }

TEST(Report, a_figure_on_the_bar_holds_and_one_beyond_falls_short) {
  EXPECT_EQ(verdict(bar_of(Holds::at_most), Figure{1.05, ""}), "holds");
  EXPECT_EQ(verdict(bar_of(Holds::at_most), Figure{1.06, ""}), "falls short");
  EXPECT_EQ(verdict(bar_of(Holds::at_least), Figure{1.05, ""}), "holds");
  EXPECT_EQ(verdict(bar_of(Holds::at_least), Figure{1.04, ""}), "falls short");
}

TEST(Report, what_is_no_number_never_holds) {
  EXPECT_EQ(verdict(bar_of(Holds::at_most), Figure{std::nan(""), ""}), "falls short");
  EXPECT_EQ(verdict(bar_of(Holds::at_least), Figure{std::nan(""), ""}), "falls short");
}

TEST(Report, what_was_not_measured_says_why_and_does_not_fall_short) {
  const Outcome outcome = not_measured("no GPU");
  EXPECT_EQ(verdict(bar_of(Holds::at_most), outcome), "not measured (no GPU)");
  EXPECT_FALSE(falls_short(bar_of(Holds::at_most), outcome));
}

TEST(Report, what_a_measurement_throws_is_the_reason_why_there_is_no_figure) {
  Bar bar = bar_of(Holds::at_most);
  bar.measure = [](const Context&) -> Outcome { throw std::runtime_error("no such thing"); };
  EXPECT_EQ(verdict(bar, figure_of(bar, {})), "not measured (no such thing)");
}

TEST(Report, a_line_holds_name_figure_bar_verdict_and_detail) {
  const auto text = line(bar_of(Holds::at_most), Figure{1.5, "30 pairs"});
  EXPECT_THAT(text, testing::MatchesRegex("g/n +1.5 x +<= 1.05 x +falls short +.30 pairs."));
}

TEST(Report, json_has_the_same_and_null_where_nothing_was_measured) {
  const auto measured = nlohmann::json::parse(json(bar_of(Holds::at_most), Figure{1.0, "d"}));
  EXPECT_EQ(measured.at("name"), "g/n");
  EXPECT_EQ(measured.at("figure"), 1.0);
  EXPECT_EQ(measured.at("bar"), "<= 1.05 x");
  EXPECT_EQ(measured.at("verdict"), "holds");
  EXPECT_EQ(measured.at("detail"), "d");
  EXPECT_THAT(measured.at("machine"), testing::Ne(""));
  EXPECT_TRUE(nlohmann::json::parse(json(bar_of(Holds::at_most), not_measured("x")))
                  .at("figure")
                  .is_null());
}

TEST(Report, every_bar_has_a_name_of_its_own_in_a_group_and_a_text) {
  std::set<std::string> names;
  for (const auto& bar : all_bars()) {
    EXPECT_THAT(bar.name, testing::MatchesRegex("[a-z]+(/[a-z0-9-]+)+"));
    EXPECT_TRUE(names.insert(bar.name).second) << bar.name << " occurs twice";
    EXPECT_FALSE(bar.text.empty()) << bar.name;
    EXPECT_TRUE(bar.measure) << bar.name;
  }
  EXPECT_FALSE(names.empty());
}

}  // namespace
}  // namespace kiln::bench
