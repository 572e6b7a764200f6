#include "cli/help.hpp"

#include <gmock/gmock.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/command_process.hpp"
#include "cli/run_options.hpp"

namespace kiln::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Help : public kiln::testing::CommandTest {};

TEST_F(Help, overview_lists_the_shown_commands) {
  const auto result = kiln({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
  for (const Entry& entry : command_list()) {
    const std::string line = "\n  " + std::string(entry.command->name) + " ";
    if (entry.shown == Entry::Shown::yes) {
      EXPECT_THAT(result.output, HasSubstr(line));
    } else {
      EXPECT_THAT(result.output, Not(HasSubstr(line)));
    }
  }
  EXPECT_EQ(kiln({"help"}).output, result.output);
  EXPECT_EQ(kiln({"-h"}).output, result.output);
}

TEST_F(Help, every_command_shows_all_of_its_options) {
  for (const Entry& entry : command_list()) {
    std::vector<std::string> words;
    std::istringstream name{std::string(entry.command->name)};
    for (std::string word; name >> word;) words.push_back(word);
    words.push_back("--help");
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    for (const std::string_view option : option_names(*entry.command))
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

TEST(HelpText, lines_fit_the_width) {
  for (const int width : {80, 100}) {
    std::istringstream lines(help_of(run_command, width));
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("  kiln ")) {  // an example is not broken
        EXPECT_LE(line.size(), static_cast<std::size_t>(width) + 4) << line;  // … is three bytes
      }
  }
}

}  // namespace
}  // namespace kiln::cli
