#include "cli/config_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

}  // namespace
}  // namespace kiln::cli
