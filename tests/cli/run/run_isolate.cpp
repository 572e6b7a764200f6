#include "cli/run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::HasSubstr;

class Isolate : public kiln::testing::RunTest {
 protected:
  Isolate() {
    copy_spec();
    // So far outside that no allocation can be there.
    spec("crash",
         "kernel void crash(global const float *a, global float *b) {\n"
         "  b[(get_global_id(0) + 1) * 1000000000000L] = a[0];\n}\n");
    spec("hang",
         "kernel void hang(global const float *a, global float *b) {\n"
         "  volatile global float *p = b;\n  while (p[0] >= 0) p[0] = 1;\n}\n");
    spec("broken", "kernel void broken(global float *a) { nonsense }\n");
    spec("graph", "", "float", R"("depends": ["x"],)");
  }
  /// A bash loop that ends when no process of this test but the shell is left.
  static constexpr const char* until_alone =
      "others() { for p in $(grep -lzs \"^HOME=$HOME$\" /proc/[0-9]*/environ); do p=${p%/environ};"
      " n=$(cat $p/comm 2>/dev/null); case $n in kiln*|*.sh) echo $p;; esac; done; };"
      " while [ -n \"$(others)\" ]; do :; done;";
};

TEST_F(Isolate, each_spec_fails_alone_and_the_rest_go_on) {
  const auto result = kiln({"run", "--isolate", "--json", "copy_float.json", "crash.json",
                            "broken.json", "graph.json", "absent.json", "copy_float.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.errors, "");
  const auto lines = json_lines(result.output);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"ok", ""},
      {"crashed", "SIGSEGV"},
      {"failed", "undeclared identifier 'nonsense'"},
      {"refused", "part of a graph"},
      {"failed", "cannot open absent.json"},
      {"ok", ""}};
  ASSERT_EQ(lines.size(), expected.size()) << result.output;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["status"], expected[i].first) << lines[i];
    EXPECT_THAT(lines[i]["message"].get<std::string>(), HasSubstr(expected[i].second));
    EXPECT_EQ(lines[i].size(), 4u) << lines[i];
    EXPECT_GT(lines[i]["seconds"].get<double>(), 0);
  }
  EXPECT_EQ(lines[1]["spec"], "crash.json");
}

TEST_F(Isolate, what_ends_the_process_is_told_as_such) {
  kiln({"run", "-q", "copy_float.json"});  // into the store: the compiler's process is another one
  set("OPENCL_LAYERS", KILN_FAULT_LAYER);
  set("KILN_TEST_FAULT", "clFinish:1:exit");
  const auto result = kiln({"run", "--isolate", "--json", "copy_float.json"});
  EXPECT_EQ(result.exit_code, 1);
  const auto lines = json_lines(result.output);
  ASSERT_EQ(lines.size(), 1u) << result.output;
  EXPECT_EQ(lines[0]["status"], "failed");
  EXPECT_EQ(lines[0]["message"],
            "the process ended itself, with exit code 0, before the run had ended");
}

TEST_F(Isolate, a_kernel_that_hangs_is_stopped_and_the_rest_go_on) {
  kiln({"run", "-q", "copy_float.json"});  // into the store: a compile would race with the bound
  const auto result =
      kiln({"run", "--isolate", "--timeout", "5", "--json", "hang.json", "copy_float.json"});
  EXPECT_EQ(result.exit_code, 1);
  const auto lines = json_lines(result.output);
  ASSERT_EQ(lines.size(), 2u) << result.output;
  EXPECT_EQ(lines[0]["status"], "timeout");
  EXPECT_EQ(lines[0]["message"], "stopped after 5 s");
  EXPECT_GE(lines[0]["seconds"].get<double>(), 5);
  EXPECT_EQ(lines[1]["status"], "ok") << lines[1];
}

TEST_F(Isolate, a_timeout_below_a_millisecond_is_one) {
  const auto result = kiln({"run", "--isolate", "--timeout", "0.0004", "--json", "hang.json"});
  EXPECT_THAT(result.output, HasSubstr("\"status\":\"timeout\"")) << result.errors;
}

TEST_F(Isolate, a_timeout_for_nothing_is_refused) {
  expect_refusal(kiln({"run", "--timeout", "5", "copy_float.json"}), 2,
                 "--timeout requires --isolate");
  set("KILN_TIMEOUT", "5");  // a standing wish: it counts where it can
  EXPECT_EQ(kiln({"run", "-q", "copy_float.json"}).exit_code, 0);
}

TEST_F(Isolate, people_get_a_line_a_spec_and_a_table) {
  const auto result =
      kiln({"run", "--isolate", "copy_float.json", "crash.json", "graph.json", "broken.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.output,
      ::testing::MatchesRegex(
          "ok +[0-9.]+ s  copy_float.json\n"
          "crashed +[0-9.]+ s  crash.json: SIGSEGV\n"
          "refused +[0-9.]+ s  graph.json: the kernel is part of a graph [^\n]*\n"
          "failed +[0-9.]+ s  broken.json: broken does not compile: error: broken.cl:1:[^\n]*\n"
          "\nstatus +specs\nok +1\nfailed +1\ncrashed +1\nrefused +1\nall +4\n"));
  const auto quiet = kiln({"run", "--isolate", "-q", "copy_float.json", "graph.json"});
  EXPECT_THAT(quiet.output, ::testing::MatchesRegex("refused [^\n]*\n")) << quiet.output;
}

TEST_F(Isolate, all_ok_is_exit_code_0) {
  const auto result = kiln({"run", "--isolate", "copy_float.json", "copy_float.json"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("\nall         2\n"));
}

TEST_F(Isolate, the_children_get_this_runs_options_wherever_they_came_from) {
  write("config", "[run]\nseed = 5\n");
  set("KILN_SET", "dataset=64");
  EXPECT_EQ(
      kiln({"run", "--config", "config", "--isolate", "copy_float.json", "--out", "1=child.npy"})
          .exit_code,
      0);
  EXPECT_EQ(
      kiln({"run", "-q", "--config", "config", "copy_float.json", "--out", "1=here.npy"}).exit_code,
      0);
  const auto data = kiln::testing::npy_data(folder() / "child.npy");
  EXPECT_EQ(data.size(), 256u);
  EXPECT_EQ(data, kiln::testing::npy_data(folder() / "here.npy"));
  // What the parent was told not to read, its children do not read.
  write(".config/kiln/config", "[run]\nseed = 6\n");
  set("XDG_CONFIG_HOME", (folder() / ".config").string());
  EXPECT_EQ(kiln({"run", "--config", "off", "--seed", "5", "--isolate", "copy_float.json",
                  "--expect", "1=child.npy"})
                .exit_code,
            0);
}

TEST_F(Isolate, a_result_that_differs_or_cannot_be_written_is_failed) {
  const auto status = [&](const std::string& option, const std::string& value) {
    const auto result = kiln({"run", "--isolate", "--json", "copy_float.json", option, value});
    EXPECT_EQ(result.exit_code, 1) << result.output;
    const auto line = nlohmann::json::parse(result.output);
    return line["status"].get<std::string>() + ": " + line["message"].get<std::string>();
  };
  write("zero.npy", kiln::testing::npy("<f4", "(1024,)", std::string(4096, '\0')));
  EXPECT_THAT(status("--expect", "1=zero.npy"),
              HasSubstr("failed: argument 1 differs from zero.npy"));
  EXPECT_THAT(status("--out", "1=/dev/full"), HasSubstr("failed: cannot write /dev/full"));
  EXPECT_THAT(status("--trace", "/dev/full"), HasSubstr("failed: kiln: cannot write /dev/full"));
}

TEST_F(Isolate, one_file_for_many_specs_is_refused) {
  for (const char* option : {"--trace", "--gantt"})
    expect_refusal(kiln({"run", "--isolate", "copy_float.json", "copy_float.json", option, "x"}), 2,
                   "expected one");
  expect_refusal(kiln({"run", "--isolate", "copy_float.json", "copy_float.json", "--out", "1=x"}),
                 2, "expected one");
}

TEST_F(Isolate, a_timeout_reaches_the_compiler_too) {
  // 4096 copies of 4096 rounds: a compiler is busy with them for longer than anyone waits.
  std::string body;
  for (int i = 0; i < 4096; ++i)
    body += "  x = sin(x * " + std::to_string(i) + ") + cos(x) * pow(x, a[" + std::to_string(i) +
            "]);\n";
  spec("huge", "kernel void huge(global const float *a, global float *b) {\n  float x = a[0];\n" +
                   body + "  b[0] = x;\n}\n");
  set("KILN_STORE", (folder() / "store").string());
  std::filesystem::create_directories(folder() / "tmp");
  set("TMPDIR", (folder() / "tmp").string());
  const auto result = bash("$KILN run --isolate --timeout 1 --json huge.json; echo $?;" +
                           std::string(until_alone) + " echo alone; ls $TMPDIR");
  EXPECT_THAT(result.output, HasSubstr("\"status\":\"timeout\"")) << result.errors;
  EXPECT_THAT(result.output, ::testing::EndsWith("}\n1\nalone\n")) << "nothing is left behind";
}

TEST_F(Isolate, children_end_with_their_parent) {
  for (const char* signal : {"KILL", "INT", "TERM"}) {
    const auto result = bash(
        "$KILN run --isolate hang.json copy_float.json & P=$!;"
        " until C=$(pgrep -P $P) || ! [ -d /proc/$P ]; do :; done;"
        " until grep -qs pocl /proc/$C/maps || ! [ -d /proc/$C ]; do :; done;"
        " kill -" +
        std::string(signal) + " $P; wait $P; echo $?;" + until_alone + " echo alone");
    const std::string code = std::string(signal) == "KILL"  ? "137"
                             : std::string(signal) == "INT" ? "130"
                                                            : "143";
    EXPECT_EQ(result.output, code + "\nalone\n") << signal << result.errors;
  }
}

}  // namespace
