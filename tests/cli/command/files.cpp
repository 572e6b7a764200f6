#include "cli/command/files.hpp"

#include <gmock/gmock.h>

#include "cli/command/command.hpp"
#include "cli/command_process.hpp"
#include "cli/run_process.hpp"

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
  for (const Command* command : command_list())
    for (const Option* each : own_options(*command)) {
      const Option& option = *each;
      SCOPED_TRACE(std::string(command->name) + " --" + std::string(option.name));
      const auto named = [&](const char* file) { return option_as(*command, option, file); };
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
  for (const Command* command : command_list()) {
    const Positional& positional = command->positional;
    if (positional.kind != Kind::file || positional.access == Access::none) continue;
    SCOPED_TRACE(std::string(command->name));
    std::vector<Setting> settings;
    std::vector<std::string> arguments{"-"};
    if (positional.access == Access::update) {
      EXPECT_THROW(name_standard_streams(*command, settings, arguments), Error);
      continue;
    }
    name_standard_streams(*command, settings, arguments);
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

// Files that a command reads, and those of the store, are never written over, whatever option or
// word names them.

namespace {

using kiln::testing::expect_refusal;
using ::testing::HasSubstr;

class WrittenFiles : public kiln::testing::RunTest {
 protected:
  WrittenFiles() { copy_spec(); }
  std::string text(const std::string& file) const {
    return kiln::value_or_throw(kiln::read_text(folder() / file));
  }
  /// The command is refused, and the file stays as it was.
  void expect_kept(const std::string& file, const std::vector<std::string>& words,
                   const std::string& message) {
    const std::string before = text(file);
    expect_refusal(kiln(words), 2, message);
    EXPECT_EQ(text(file), before) << words[0];
  }
};

TEST_F(WrittenFiles, a_kernels_source_stays) {
  const std::string message = "copy_float.cl is the kernel's source and would be written over";
  expect_kept("copy_float.cl", {"run", "copy_float.json", "--out", "1=copy_float.cl"}, message);
  for (const char* option : {"--trace", "--gantt"})
    expect_kept("copy_float.cl", {"run", "copy_float.json", option, "./copy_float.cl"}, message);
  expect_kept("copy_float.cl",
              {"tune", "copy_float.json", "--param", "X=1,2", "--report", "copy_float.cl"},
              message);
  expect_kept("copy_float.cl", {"poclbin", "export", "copy_float.json", "-o", "copy_float.cl"},
              message);
  // So does what the source includes.
  write("copy_float.cl", "#include \"more.h\"\n" + text("copy_float.cl"));
  write("more.h", "#define MORE 1\n");
  expect_kept("more.h", {"run", "copy_float.json", "--out", "1=more.h"},
              "more.h is the kernel's source");
}

TEST_F(WrittenFiles, what_other_commands_read_stays) {
  expect_kept("copy_float.json", {"poclbin", "export", "copy_float.json", "-o", "copy_float.json"},
              "--output: copy_float.json is also the file of");
  write("k.json", R"({"layout": "v3", "patterns": []})");
  expect_kept("k.json", {"kdb", "build", "k.json", "-o", "k.json"},
              "--output: k.json is also the file of");
  ASSERT_EQ(kiln({"kdb", "build", "k.json", "-o", "k.kdb"}).exit_code, 0);
  expect_kept("k.kdb", {"kdb", "convert", "--to", "v1", "k.kdb", "-o", "./k.kdb"},
              "--output: ./k.kdb is also the file of");
}

TEST_F(WrittenFiles, a_pack_does_not_take_the_place_of_what_its_record_names) {
  ASSERT_EQ(
      kiln({"record", "--calls", "c.jsonl", "--", KILN_COMMAND, "run", "-q", "copy_float.json"})
          .exit_code,
      0);
  expect_kept("copy_float.json", {"prebuild", "--from", "c.jsonl", "--pack", "copy_float.json"},
              "--pack: copy_float.json is a file that the record's calls are made from");
}

TEST_F(WrittenFiles, the_stores_files_stay) {
  set("KILN_STORE", (folder() / "store").string());
  ASSERT_EQ(kiln({"run", "-q", "copy_float.json"}).exit_code, 0);
  expect_kept("store/store.db", {"run", "copy_float.json", "--out", "1=store/store.db"},
              "store/store.db lies in the store's folder");
  EXPECT_EQ(kiln({"store", "verify"}).exit_code, 0);
}

TEST_F(WrittenFiles, a_name_may_be_as_long_as_the_system_allows) {
  const std::string longest(255, 'a');
  EXPECT_EQ(kiln({"run", "-q", "copy_float.json", "--out", "1=" + longest}).exit_code, 0);
  EXPECT_FALSE(text(longest).empty());
  expect_refusal(kiln({"run", "-q", "copy_float.json", "--out", "1=a" + longest}), 2,
                 "File name too long");
}

TEST_F(WrittenFiles, a_name_with_a_line_feed_makes_no_line_of_its_own) {
  expect_refusal(kiln({"run", "a\nkiln: b.json"}), 2, "a\\nkiln: b.json");
  expect_refusal(kiln({"kdb", "info", "a\nb"}), 2, "a\\nb");
  expect_refusal(kiln({"x\ny"}), 2, "x\\ny");
  expect_refusal(kiln({"run", "copy_float.json", "--devices", "~x\ny"}), 2, "x\\ny");
}

}  // namespace
