#include "cli/command/help.hpp"

#include <gmock/gmock.h>

#include "cli/command/command.hpp"
#include "cli/command/commands.hpp"
#include "cli/command_process.hpp"
#include "cli/output/terminal.hpp"

namespace kiln::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Help : public kiln::testing::CommandTest {};

TEST_F(Help, overview_lists_the_shown_commands) {
  const auto result = kiln({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
  for (const Command* command : command_list()) {
    const std::string line = "\n  " + std::string(command->name) + " ";
    if (!command->is_hidden) {
      EXPECT_THAT(result.output, HasSubstr(line));
    } else {
      EXPECT_THAT(result.output, Not(HasSubstr(line)));
    }
  }
  EXPECT_EQ(kiln({"help"}).output, result.output);
  EXPECT_EQ(kiln({"-h"}).output, result.output);
}

TEST_F(Help, every_command_shows_all_of_its_options) {
  for (const Command* command : command_list()) {
    std::vector<std::string> words;
    std::istringstream name{std::string(command->name)};
    for (std::string word; name >> word;) words.push_back(word);
    words.push_back("--help");
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    for (const std::string_view option : option_names(*command))
      EXPECT_THAT(result.output, HasSubstr("--" + std::string(option)));
    words.insert(words.begin(), "help");
    words.pop_back();
    EXPECT_EQ(kiln(words).output, result.output);
  }
}

TEST_F(Help, is_given_whatever_the_config_file_holds) {
  write(".config/kiln/config", "nonsense");
  EXPECT_EQ(kiln({"check", "--help"}).exit_code, 0);
}

TEST(HelpText, synopsis_shows_what_may_be_left_out) {
  Command command{.name = "x", .positional = {.value_name = "A", .least = 1, .most = 1}};
  EXPECT_EQ(synopsis_of(command), "kiln x [OPTION…] A");
  command.positional.least = 0;
  EXPECT_EQ(synopsis_of(command), "kiln x [OPTION…] [A]");
  command.positional.most = 9;
  EXPECT_EQ(synopsis_of(command), "kiln x [OPTION…] [A…]");
  EXPECT_EQ(synopsis_of(run_command), "kiln run [OPTION…] SPEC…");
}

/// Whether a line could be broken further: it is too long, and more than one word.
bool is_too_long(const std::string& line, std::size_t width) {
  std::istringstream text(line);
  std::string word, second;
  text >> word >> second;
  return display_width(line) > width && !second.empty() && second != "\\";
}

TEST(HelpText, lines_fit_the_width) {
  for (const int width : {40, 50, 60, 80, 100}) {
    std::string all = overview(width) + overview_of("store", width);
    for (const Command* command : command_list()) all += help_of(*command, width);
    std::istringstream lines(all);
    for (std::string line; std::getline(lines, line);)
      // A name of an option and its value stay together, and so does a quoted word of an example.
      if (!line.starts_with("  -") && line.find('"') == std::string::npos) {
        EXPECT_FALSE(is_too_long(line, static_cast<std::size_t>(width))) << width << ": " << line;
      }
  }
}

TEST_F(Help, fits_the_width_that_COLUMNS_names) {
  const auto longest = [&](const std::string& columns) {
    set("COLUMNS", columns);
    std::istringstream lines(kiln({"store", "verify", "--help"}).output);
    std::size_t most = 0;
    for (std::string line; std::getline(lines, line);) most = std::max(most, display_width(line));
    return most;
  };
  EXPECT_LE(longest("50"), 50u);
  EXPECT_GT(longest(""), 50u);  // no terminal: 80
  EXPECT_LE(longest(""), 80u);
  EXPECT_LE(longest("nonsense"), 80u);
  EXPECT_GT(longest("100"), 80u);
}

TEST(HelpText, a_broken_example_is_one_line_for_a_shell) {
  const Command command{.name = "x",
                        .examples = {{"kiln x --one 1 --two \"a b\" --three 3", "What it does."}}};
  EXPECT_THAT(help_of(command, 20), HasSubstr("  kiln x --one 1 \\\n      --two \"a b\" \\\n"
                                              "      --three 3\n"));
  EXPECT_THAT(help_of(command, 80), HasSubstr("  kiln x --one 1 --two \"a b\" --three 3\n"));
}

}  // namespace
}  // namespace kiln::cli
