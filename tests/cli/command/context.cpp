#include "cli/command/context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cli/command/commands.hpp"

namespace kiln::cli {
namespace {

std::string refusal(std::string_view text) {
  const auto lines = parse_config(text, "file");
  return lines ? "accepted" : lines.error().message();
}

TEST(ConfigFile, holds_names_values_sections_and_comments) {
  const auto lines = parse_config(
      "# a comment\n\n  devices =  gpu, cpu \r\nset = a=1\n[ check ]\njson=true", "file");
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 4u);
  EXPECT_EQ((*lines)[0].name, "devices");
  EXPECT_EQ((*lines)[0].value, "gpu, cpu");
  EXPECT_EQ((*lines)[0].line, 3);
  EXPECT_EQ((*lines)[0].section, "");
  EXPECT_EQ((*lines)[1].value, "a=1");
  EXPECT_EQ((*lines)[3].section, "check");
  EXPECT_EQ((*lines)[3].name, "json");
  EXPECT_EQ((*lines)[3].line, 6);
}

TEST(ConfigFile, errors_say_where_what_and_what_was_expected) {
  EXPECT_EQ(refusal("a = 1\nnonsense\n"), "file:2: found 'nonsense', expected 'name = value'");
  EXPECT_EQ(refusal("= 1"), "file:1: found '= 1', expected a name before the =");
  EXPECT_EQ(refusal("[run"), "file:1: found '[run', expected [sub-command]");
  EXPECT_EQ(refusal("[ ]"), "file:1: found '[ ]', expected [sub-command]");
}

TEST(ConfigFile, long_and_hostile_lines_are_shown_harmlessly) {
  const std::string message = refusal(std::string(100'000, 'x') + "\x1b[31m");
  EXPECT_LT(message.size(), 150u);
  EXPECT_EQ(refusal("\x1b[31m"), "file:1: found '\\x1b[31m', expected 'name = value'");
}

RC_GTEST_PROP(ConfigFile, any_bytes_give_lines_or_an_error, (const std::string& text)) {
  const auto lines = parse_config(text, "file");
  if (!lines) {
    RC_ASSERT(lines.error().message().starts_with("file:"));
  } else {
    for (const ConfigLine& line : *lines) RC_ASSERT(line.line >= 1);
  }
}

using ::testing::ElementsAre;
using ::testing::Pair;

/// A context of `kiln run` for these words and this config file.
Context context_of(std::vector<std::string> words, std::string_view config = "") {
  auto line = value_or_throw(parse_command_line(run_command, std::move(words)));
  ConfigFile file{"file", true, value_or_throw(parse_config(config, "file"))};
  auto settings = value_or_throw(resolve(run_command, line, file));
  return {run_command, std::move(settings), std::move(line.arguments), std::move(file)};
}

TEST(Context, gives_typed_values_and_defaults) {
  const Context context =
      context_of({"a", "--runs", "3", "--rtol=1e-3", "--json", "--set", "n=4", "--set", "m=5"});
  EXPECT_EQ(context.integer("runs"), 3);
  EXPECT_DOUBLE_EQ(context.number("rtol"), 1e-3);
  EXPECT_TRUE(context.flag("json"));
  EXPECT_FALSE(context.flag("explain"));
  EXPECT_THAT(context.assignments("set"), ElementsAre(Pair("n", "4"), Pair("m", "5")));
  EXPECT_THAT(context.list("in"), ElementsAre());
  EXPECT_EQ(context.integer("seed"), 0);
  EXPECT_EQ(context.text("devices"), "all");
  EXPECT_EQ(context.text("trace"), "");
  EXPECT_FALSE(context.has("partition"));
  EXPECT_THAT(context.arguments(), ElementsAre("a"));
}

TEST(Context, knows_where_values_came_from) {
  const Context context =
      context_of({"a", "--seed", "1"}, "runs = 2\ndevices = cpu\n[run]\ndevices = gpu\n");
  EXPECT_EQ(context.origin("seed").text(), "command line");
  EXPECT_EQ(context.origin("runs").text(), "file:1");
  EXPECT_EQ(context.origin("devices").text(), "file:4");
  EXPECT_EQ(context.origin("rtol").text(), "default");
  EXPECT_EQ(context.text("devices"), "gpu");
}

TEST(Context, the_file_gives_lists_a_line_a_value) {
  const Context context = context_of({"a"}, "set = n=1\nset = m=2\n");
  EXPECT_THAT(context.list("set"), ElementsAre("n=1", "m=2"));
  EXPECT_THAT(context_of({"a", "--set", "k=3"}, "set = n=1\n").list("set"), ElementsAre("k=3"));
}

TEST(Context, a_flag_of_the_file_can_be_turned_off) {
  EXPECT_TRUE(context_of({"a"}, "json = yes").flag("json"));
  EXPECT_FALSE(context_of({"a", "--no-json"}, "json = yes").flag("json"));
}

TEST(Context, asking_for_an_undefined_option_is_a_defect) {
  const Context context = context_of({"a"});
  try {
    context.flag("datasets");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::internal);
  }
}

}  // namespace
}  // namespace kiln::cli
