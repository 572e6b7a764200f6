#include "cli/command_line.hpp"

#include <gmock/gmock.h>

#include "cli/run_options.hpp"

namespace kiln::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CommandLine parsed(std::vector<std::string> words) {
  return value_or_throw(parse_command_line(run_command, std::move(words)));
}

std::string refusal(std::vector<std::string> words) {
  const auto result = parse_command_line(run_command, std::move(words));
  if (result) return "accepted";
  EXPECT_EQ(result.error().code(), Errc::bad_input);
  EXPECT_EQ(result.error().message().find('\n'), std::string::npos);
  return result.error().message();
}

TEST(CommandLine, options_and_arguments_may_stand_in_any_order) {
  const auto line =
      parsed({"a.json", "--seed", "7", "b.json", "--json", "--devices=gpu", "c.json"});
  EXPECT_THAT(line.arguments, ElementsAre("a.json", "b.json", "c.json"));
  EXPECT_THAT(line.values.at("seed"), ElementsAre("7"));
  EXPECT_THAT(line.values.at("devices"), ElementsAre("gpu"));
  EXPECT_THAT(line.values.at("json"), ElementsAre("true"));
  EXPECT_EQ(line.values.count("rtol"), 0u);
}

TEST(CommandLine, repeated_options_collect_in_order) {
  const auto line = parsed({"--set", "a=1", "x.json", "--set=b=[1,2]", "--set", "c=x=y"});
  EXPECT_THAT(line.values.at("set"), ElementsAre("a=1", "b=[1,2]", "c=x=y"));
  EXPECT_THAT(line.arguments, ElementsAre("x.json"));
}

TEST(CommandLine, values_may_look_like_options_lists_or_nothing_known) {
  EXPECT_THAT(parsed({"--devices", "~Tesla", "x"}).values.at("devices"), ElementsAre("~Tesla"));
  EXPECT_THAT(parsed({"--devices", "cpu/1,3", "x"}).values.at("devices"), ElementsAre("cpu/1,3"));
  EXPECT_THAT(parsed({"--rtol", "-1", "x"}).values.at("rtol"), ElementsAre("-1"));
  EXPECT_THAT(parsed({"[a,b]", "{}", "-"}).arguments, ElementsAre("[a,b]", "{}", "-"));
}

TEST(CommandLine, after_two_dashes_all_words_are_arguments) {
  EXPECT_THAT(parsed({"--json", "--", "--set", "-x", "--"}).arguments,
              ElementsAre("--set", "-x", "--"));
}

TEST(CommandLine, the_last_form_of_a_flag_counts) {
  EXPECT_THAT(parsed({"--json", "--no-json", "x"}).values.at("json"), ElementsAre("false"));
  EXPECT_THAT(parsed({"--no-json", "--json", "x"}).values.at("json"), ElementsAre("true"));
  EXPECT_THAT(parsed({"-q", "x"}).values.at("quiet"), ElementsAre("true"));
}

TEST(CommandLine, help_needs_no_arguments) {
  EXPECT_TRUE(parsed({"--help"}).help);
  EXPECT_TRUE(parsed({"-h"}).help);
  EXPECT_FALSE(parsed({"x"}).help);
}

TEST(CommandLine, unknown_options_are_named_with_the_nearest_known_one) {
  EXPECT_EQ(refusal({"x", "--partiton", "5"}),
            "run: unknown option --partiton; did you mean '--partition'?");
  EXPECT_EQ(refusal({"x", "--partiton=5"}),
            "run: unknown option --partiton; did you mean '--partition'?");
  EXPECT_EQ(refusal({"x", "--frobnicate"}), "run: unknown option --frobnicate");
  EXPECT_THAT(refusal({"x", "-z"}), HasSubstr("unknown option -z"));
}

TEST(CommandLine, missing_and_unwanted_values_are_refused) {
  EXPECT_THAT(refusal({"x", "--seed"}), HasSubstr("--seed"));
  EXPECT_THAT(refusal({"x", "--seed="}), HasSubstr("--seed= has no value"));
  EXPECT_THAT(refusal({"x", "--json=perhaps"}), HasSubstr("json"));
}

TEST(CommandLine, options_given_twice_are_refused) {
  EXPECT_EQ(refusal({"x", "--seed", "1", "--seed", "2"}),
            "run: --seed is given 2 times, expected once");
}

TEST(CommandLine, the_number_of_arguments_is_checked) {
  EXPECT_THAT(refusal({}), HasSubstr("run: missing SPEC"));
  EXPECT_THAT(refusal({"--json"}), HasSubstr("run: missing SPEC"));
  const Command none{.name = "none", .summary = "s", .description = "d."};
  const auto result = parse_command_line(none, {"extra"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "none: unexpected argument 'extra'");
}

}  // namespace
}  // namespace kiln::cli
