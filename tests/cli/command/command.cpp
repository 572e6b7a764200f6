#include "cli/command/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command/commands.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view shapes[] = {"round", "square"};

std::string verdict(const Option& option, const std::string& text) {
  const auto checked = check_value(option, text);
  return checked ? "ok" : checked.error().message();
}

TEST(Values, integers_are_whole_and_bounded) {
  const Option runs{.name = "runs", .kind = Kind::integer, .value_name = "N", .least = 1};
  EXPECT_EQ(verdict(runs, "1"), "ok");
  EXPECT_EQ(*to_integer(runs, "9223372036854775807"), INT64_MAX);
  for (const char* text : {"0", "-3", "1.5", "", "x", "1x", " 1", "-9223372036854775809"})
    EXPECT_EQ(verdict(runs, text),
              "found '" + std::string(text) + "', expected an integer of at least 1");
  for (const char* text : {"9223372036854775808", "99999999999999999999"})
    EXPECT_EQ(verdict(runs, text), "found '" + std::string(text) +
                                       "', expected an integer of at most 9223372036854775807");
  EXPECT_EQ(verdict(runs, "99999999999999999999x"),
            "found '99999999999999999999x', expected an integer of at least 1");
}

TEST(Values, numbers_are_finite_and_bounded) {
  const Option rtol{.name = "rtol", .kind = Kind::number, .value_name = "X"};
  EXPECT_DOUBLE_EQ(*to_number(rtol, "1e-5"), 1e-5);
  EXPECT_EQ(verdict(rtol, "0"), "ok");
  for (const char* text : {"-1", "nan", "inf", "1e999", "", "1,5"})
    EXPECT_EQ(verdict(rtol, text),
              "found '" + std::string(text) + "', expected a number of at least 0");
}

TEST(Values, choices_suggest_the_nearest) {
  const Option shape{.name = "shape", .kind = Kind::choice, .value_name = "S", .choices = shapes};
  EXPECT_EQ(verdict(shape, "round"), "ok");
  EXPECT_EQ(verdict(shape, "squere"),
            "found 'squere', expected one of round, square; did you mean 'square'?");
}

TEST(Values, assignments_have_a_name_and_a_value) {
  const Option set{.name = "set", .kind = Kind::assignment, .value_name = "NAME=VALUE"};
  EXPECT_EQ(to_assignment("a=b=c")->first, "a");
  EXPECT_EQ(to_assignment("a=b=c")->second, "b=c");
  for (const char* text : {"a", "=b", "a=", "", "="})
    EXPECT_EQ(verdict(set, text), "found '" + std::string(text) + "', expected NAME=VALUE");
  const Option in{.name = "in", .kind = Kind::file_assignment, .value_name = "P=FILE"};
  EXPECT_EQ(verdict(in, "a.npy"), "found 'a.npy', expected P=FILE");
}

TEST(Values, flags_have_four_words_each_way) {
  for (const char* text : {"true", "yes", "on", "1"}) EXPECT_TRUE(*to_flag(text));
  for (const char* text : {"false", "no", "off", "0"}) EXPECT_FALSE(*to_flag(text));
  EXPECT_FALSE(to_flag("maybe"));
  EXPECT_FALSE(to_flag(""));
}

TEST(Values, texts_and_paths_may_not_be_empty) {
  for (const Kind kind : {Kind::text, Kind::file, Kind::folder}) {
    const Option option{.name = "x", .kind = kind, .value_name = "X"};
    EXPECT_EQ(verdict(option, "any text"), "ok");
    EXPECT_EQ(verdict(option, ""), "found '', expected X");
  }
}

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
