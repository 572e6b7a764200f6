#include "cli/context.hpp"

#include <gmock/gmock.h>

#include "cli/run_options.hpp"

namespace kiln::cli {
namespace {

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
