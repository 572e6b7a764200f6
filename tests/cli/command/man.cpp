#include <gmock/gmock.h>

#include "cli/command/command.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/help.hpp"
#include "cli/command_process.hpp"

namespace kiln::cli {
namespace {

using ::testing::HasSubstr;

class Man : public kiln::testing::CommandTest {
 protected:
  /// The page as scdoc and man show it, on long lines. Fails where either complains.
  std::string rendered(const std::string& page, const std::string& source) {
    write(page + ".1.scd", source);
    const auto result = bash("set -e; scdoc < " + page + ".1.scd > " + page +
                             ".1; MANWIDTH=400 man -l --warnings --nj --nh " + page + ".1");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "") << page;
    return result.output;
  }
  bool has_tools() { return !find_program("scdoc").empty() && !find_program("man").empty(); }
};

TEST_F(Man, every_page_compiles_and_shows_all_options) {
  if (!has_tools()) GTEST_SKIP() << "scdoc or man is not installed";
  std::vector<const Command*> commands{&run_command, &verify_command, &devices_command};
  for (const Command* command : command_list()) commands.push_back(command);
  for (const Command* command : commands) {
    const std::string text = rendered(page_name(*command), man_page(*command));
    EXPECT_THAT(text, HasSubstr(command->summary));
    for (const std::string_view name : option_names(*command)) {
      EXPECT_THAT(text, HasSubstr("--" + std::string(name)));
      EXPECT_THAT(text, HasSubstr(variable_of(*find_option(*command, name)) + "."));
    }
    for (const Example& example : command->examples) EXPECT_THAT(text, HasSubstr(example.line));
  }
}

TEST_F(Man, main_page_lists_the_shown_commands) {
  if (!has_tools()) GTEST_SKIP() << "scdoc or man is not installed";
  const std::string text = rendered("kiln", main_man_page());
  for (const Command* command : command_list())
    if (!command->is_hidden) {
      EXPECT_THAT(text, HasSubstr(page_name(*command) + "(1)"));
    }
  EXPECT_THAT(text, HasSubstr("$XDG_CONFIG_HOME/kiln/config"));
}

TEST_F(Man, any_text_survives_scdoc) {
  if (!has_tools()) GTEST_SKIP() << "scdoc or man is not installed";
  const std::string hostile = R"(*a* _b_ a_b #c [d|e] <f> +g+ -h `i` .j ~k ^l \m 'n' "o" !p $q %r)";
  EXPECT_THAT(rendered("x", "x(1)\n\n# NAME\n\nx - y\n\n# TEXT\n\n" + scdoc_text(hostile) + "\n"),
              HasSubstr(hostile));
}

TEST_F(Man, the_hidden_command_prints_and_writes_the_pages) {
  EXPECT_EQ(kiln({"man"}).output, main_man_page());
  EXPECT_EQ(kiln({"man", "check"}).output, man_page(*find_command("check")));
  EXPECT_EQ(kiln({"man", "nothing"}).exit_code, 2);
  ASSERT_EQ(kiln({"man", "--every-page", folder().string()}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder() / "kiln.1.scd"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "kiln-check.1.scd"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "kiln-man.1.scd"));
}

}  // namespace
}  // namespace kiln::cli
