#include "cli/standard_streams.hpp"

#include <gmock/gmock.h>

#include "cli/command.hpp"
#include "cli/command_process.hpp"

namespace kiln::cli {
namespace {

using ::testing::HasSubstr;

/// What becomes of one file among an option's values or a command's arguments.
struct Named {
  std::string file, error;
  StandardStreams streams;
};

Named option_as(const Command& command, const Option& option, const std::string& file) {
  const bool assigned = option.kind == Kind::file_assignment;
  std::vector<Setting> settings{{&option, {assigned ? "0=" + file : file}, {}}};
  std::vector<std::string> arguments;
  Named named;
  try {
    named.streams = name_standard_streams(command, settings, arguments);
    named.file = settings[0].values[0].substr(assigned ? 2 : 0);
  } catch (const Error& error) {
    named.error = error.message();
  }
  return named;
}

TEST(StandardStreams, every_option_with_a_file_takes_or_refuses_them) {
  int read = 0, written = 0, refused = 0;
  for (const Entry& entry : command_list())
    for (const Option& option : entry.command->options) {
      SCOPED_TRACE(std::string(entry.command->name) + " --" + std::string(option.name));
      const auto named = [&](const char* file) { return option_as(*entry.command, option, file); };
      const bool is_file = option.kind == Kind::file || option.kind == Kind::file_assignment;
      if (option.kind == Kind::folder) {
        EXPECT_THAT(named("-").error, HasSubstr("found '-', expected a folder"));
        continue;
      }
      if (!is_file) continue;
      EXPECT_EQ(named("./-").file, "./-");
      EXPECT_EQ(named("/dev/fd/63").file, option.access == Access::update ? "" : "/dev/fd/63");
      switch (option.access) {
        case Access::read:
          for (const char* file : {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}) {
            EXPECT_EQ(named(file).file, standard_input) << named(file).error;
            EXPECT_FALSE(named(file).streams.input_named_by.empty());
          }
          ++read;
          break;
        case Access::write:
          for (const char* file : {"-", "/dev/stdout", "/dev/fd/1"}) {
            EXPECT_EQ(named(file).file, standard_output) << named(file).error;
            EXPECT_FALSE(named(file).streams.output_named_by.empty());
          }
          ++written;
          break;
        default:
          EXPECT_THAT(named("-").error, HasSubstr("expected the name of a file"));
          ++refused;
      }
    }
  EXPECT_GE(read, 10);
  EXPECT_GE(written, 10);
  EXPECT_GE(refused, 2);
}

TEST(StandardStreams, every_argument_that_is_a_file_takes_or_refuses_them) {
  for (const Entry& entry : command_list()) {
    const Positional& positional = entry.command->positional;
    if (positional.kind != Kind::file || positional.access == Access::none) continue;
    SCOPED_TRACE(std::string(entry.command->name));
    std::vector<Setting> settings;
    std::vector<std::string> arguments{"-"};
    if (positional.access == Access::update) {
      EXPECT_THROW(name_standard_streams(*entry.command, settings, arguments), Error);
      continue;
    }
    name_standard_streams(*entry.command, settings, arguments);
    EXPECT_EQ(arguments[0], positional.access == Access::read ? standard_input : standard_output);
  }
}

class StandardStreamsRun : public kiln::testing::CommandTest {
 protected:
  StandardStreamsRun() {
    write("copy.cl",
          "__kernel void copy(__global const int* a, __global int* b) {\n"
          "  b[get_global_id(0)] = a[get_global_id(0)];\n}\n");
    write("copy.json",
          R"({"name": "copy", "src": "copy.cl", "workDimension": 1, "globalWorkSize": "64",
              "inputBuffers": [{"pos": 0, "type": "int", "size": "64", "break": 1}],
              "outputBuffers": [{"pos": 1, "type": "int", "size": "64", "break": 1}]})");
    set("KILN_STORE", "off");
  }
};

TEST_F(StandardStreamsRun, a_specification_comes_through_a_pipe) {
  EXPECT_EQ(bash("cat copy.json | $KILN check -").output, "/dev/stdin: ok\n");
  EXPECT_EQ(bash("cat copy.json | $KILN check /dev/stdin").output, "/dev/stdin: ok\n");
  EXPECT_EQ(bash("$KILN check - < copy.json").output, "/dev/stdin: ok\n");
  EXPECT_THAT(bash("echo '{' | $KILN check -").errors, HasSubstr("/dev/stdin:"));
  // A file that was read to somewhere is read on from there.
  EXPECT_EQ(
      bash("(echo a line; cat copy.json) > both; { read -r _; $KILN check -; } < both").output,
      "/dev/stdin: ok\n");
}

TEST_F(StandardStreamsRun, arrays_go_through_pipes_and_files) {
  const auto result = bash(
      "$KILN run -q --seed 1 copy.json --out 1=a.npy && "
      "$KILN run --seed 1 copy.json --out 1=- 2>said | cmp - a.npy && "
      "$KILN run --seed 1 copy.json --out 1=- 2>/dev/null > b.npy && cmp a.npy b.npy && test -L "
      "/dev/stdout && "
      "cat a.npy | $KILN run -q copy.json --in 0=- --expect 1=a.npy && "
      "cat copy.json | $KILN run -q - --in 0=a.npy --expect 1=a.npy && ls");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "a.npy\nb.npy\ncopy.cl\ncopy.json\nsaid\n");
  // What would have come between the bytes is said elsewhere.
  EXPECT_THAT(bash("cat said").output, HasSubstr("copy.json: 64 work-items"));
}

TEST_F(StandardStreamsRun, a_stream_has_one_user) {
  using kiln::testing::expect_refusal;
  expect_refusal(kiln({"kdb", "diff", "-", "/dev/stdin"}), 2, "both name standard input");
  expect_refusal(kiln({"run", "-", "--in", "0=-"}), 2, "--in 0 and SPEC both name standard input");
  expect_refusal(kiln({"run", "a.json", "--out", "1=-", "--trace", "/dev/stdout"}), 2,
                 "both name standard output");
  const auto mixed = kiln({"run", "copy.json", "--out", "1=-", "--json"});
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_THAT(mixed.errors, HasSubstr("--out 1 and --json both write to standard output"));
  expect_refusal(bash("$KILN run --isolate - < /dev/null"), 2, "--isolate");
  expect_refusal(kiln({"store", "key", "-"}), 2, "expected the name of a file");
}

}  // namespace
}  // namespace kiln::cli
