// What must hold for the definition of every sub-command, those of later files included.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "cli/command/command.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"

namespace kiln::cli {
namespace {

std::vector<const Command*> all_commands() {
  std::set<const Command*> commands{&run_command, &verify_command, &devices_command};
  for (const Command* command : command_list()) commands.insert(command);
  return {commands.begin(), commands.end()};
}

TEST(Definitions, names_are_unique) {
  std::set<std::string_view> names;
  for (const Command* command : command_list())
    EXPECT_TRUE(names.insert(command->name).second) << command->name;
  for (const Command* command : all_commands()) {
    std::set<std::string> variables{"KILN_HELP"};
    std::set<char> letters{'h'};
    for (const Option* option : all_options(*command)) {
      EXPECT_TRUE(variables.insert(variable_of(*option)).second) << option->name;
      if (option->letter != 0) {
        EXPECT_TRUE(letters.insert(option->letter).second) << option->name;
      }
    }
  }
}

TEST(Definitions, texts_are_complete) {
  for (const Command* command : all_commands()) {
    SCOPED_TRACE(command->name);
    EXPECT_FALSE(command->summary.empty());
    EXPECT_FALSE(command->summary.ends_with('.'));
    EXPECT_TRUE(command->description.ends_with('.'));
    EXPECT_LE(command->positional.least, command->positional.most);
    EXPECT_EQ(command->positional.value_name.empty(), command->positional.most == 0);
    for (const Example& example : command->examples) {
      EXPECT_NE(example.line.find("kiln " + std::string(command->name)), std::string::npos);
      EXPECT_TRUE(example.meaning.ends_with('.') || example.meaning.ends_with('?'));
    }
    for (const Option* option : all_options(*command)) {
      SCOPED_TRACE(option->name);
      EXPECT_TRUE(option->help.ends_with('.'));
      EXPECT_EQ(option->kind == Kind::flag, option->value_name.empty());
      EXPECT_EQ(option->kind == Kind::choice, !option->choices.empty());
    }
  }
}

TEST(Definitions, defaults_fit_their_options) {
  for (const Command* command : all_commands())
    for (const Option* option : all_options(*command))
      if (!option->fallback.empty()) {
        EXPECT_TRUE(check_value(*option, std::string(option->fallback))) << option->name;
      }
}

// One environment variable and one line of the config file serve all commands.
TEST(Definitions, an_option_means_the_same_in_every_command) {
  std::map<std::string_view, const Option*> first;
  for (const Command* command : all_commands()) {
    for (const Option* option : all_options(*command)) {
      const Option& known = *first.emplace(option->name, option).first->second;
      // Records come from the one store there is, a search begins with a file; its report is a
      // file, that of loops is printed. Loops are tuned for so many seconds, other programs over
      // the launches that they make anyway.
      if (option->name != "from" && option->name != "report" && option->name != "tune") {
        EXPECT_EQ(known.kind, option->kind) << option->name;
      }
      // One local size means the same to all; `poclbin build` takes more of them. A run has one
      // device; entries of a store may be wanted of several.
      if (option->name != "local-size" && option->name != "device") {
        EXPECT_EQ(known.repeat, option->repeat) << option->name;
      }
      EXPECT_EQ(known.fallback, option->fallback) << option->name;
    }
  }
}

TEST(Definitions, run_has_the_options_of_the_main_job) {
  for (const char* name :
       {"set",     "set-if",  "partition", "devices",    "in",      "out",        "expect",
        "rtol",    "seed",    "trace",     "gantt",      "explain", "json",       "isolate",
        "timeout", "dialect", "quiet",     "source-dir", "runs",    "local-size", "store"})
    EXPECT_NE(find_option(run_command, name), nullptr) << name;
  EXPECT_EQ(find_option(run_command, "datasets"), nullptr);
}

}  // namespace
}  // namespace kiln::cli
