// `kiln exec`: the program is what it would be without it, and what it builds is served.
#include <csignal>

#include "cli/exec/exec_process.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Exec : public ExecTest {};

/// Both ways to run a program: in this one's place, and with kiln as its parent.
class ExecBoth : public Exec, public ::testing::WithParamInterface<bool> {
 protected:
  std::vector<std::string> options() const {
    return GetParam() ? std::vector<std::string>{"--explain"} : std::vector<std::string>{};
  }
  /// $KILN_EXEC in a script.
  void use_in_scripts() {
    set("KILN_EXEC", std::string(KILN_COMMAND) + " exec" + (GetParam() ? " --explain" : "") +
                         " -- " KILN_LAYER_APP);
  }
};
INSTANTIATE_TEST_SUITE_P(InPlaceAndAsChild, ExecBoth, ::testing::Bool());

TEST_P(ExecBoth, ends_with_the_programs_exit_code) {
  for (const int code : {0, 1, 7, 127, 255})
    EXPECT_EQ(exec({"-e", std::to_string(code)}, options()).exit_code, code);
}

TEST_P(ExecBoth, dies_of_the_programs_signal) {
  for (const int signal : {SIGTERM, SIGSEGV, SIGKILL, SIGABRT})
    EXPECT_EQ(exec({"-k", std::to_string(signal)}, options()).signal, signal);
}

TEST_P(ExecBoth, passes_arguments_as_they_are) {
  const auto run = exec({"-v", "a b", "", "*", "$HOME", "\"'", "--explain", "-x"}, options());
  EXPECT_EQ(run.output, "a b\n\n*\n$HOME\n\"'\n--explain\n-x\n");
}

TEST_P(ExecBoth, programs_that_cannot_be_run_are_told_in_a_line) {
  write("no-program", "text");
  for (const std::string program : {"no-such-program", "./no-program", "/"}) {
    std::vector<std::string> words = options();
    words.insert(words.begin(), "exec");
    words.insert(words.end(), {"--", program});
    expect_refusal(kiln(words), 2, "cannot run " + program);
  }
  expect_refusal(kiln({"exec"}), 2, "PROGRAM");
}

TEST_P(ExecBoth, streams_and_folder_are_the_programs) {
  set("KILN_WORDS", GetParam() ? "--explain" : "");
  const auto run = bash(
      "mkdir there; cd there; echo text | \"$KILN\" exec $KILN_WORDS -- cat; "
      "\"$KILN\" exec $KILN_WORDS -- pwd | grep -c there; "
      "\"$KILN\" exec $KILN_WORDS -- sh -c 'echo out; echo err >&2' 2> err; "
      "head -n 1 err");
  EXPECT_EQ(run.output, "text\n1\nout\nerr\n");
}

TEST_P(ExecBoth, signals_are_handled_as_the_program_was_given_them) {
  set("KILN_WORDS", GetParam() ? "--explain" : "");
  const std::string look = "grep -E 'Sig(Ign|Cgt|Blk)' /proc/self/status";
  const auto direct = bash(look), run = bash("\"$KILN\" exec $KILN_WORDS -- " + look);
  EXPECT_EQ(run.output, direct.output);
}

TEST_P(ExecBoth, ctrl_c_reaches_the_program_once) {
  use_in_scripts();
  const auto run = bash(
      "set -m; mkfifo pipe; $KILN_EXEC -w -e 5 > pipe 2> errors & pid=$!; exec 3< pipe; "
      "read line <&3; kill -INT -- -$pid; cat <&3; wait $pid; echo code $?");
  EXPECT_EQ(run.output, "interrupted 1\ncode 5\n") << run.errors;
}

TEST_P(ExecBoth, a_signal_to_kiln_alone_reaches_the_program) {
  use_in_scripts();
  // With jobs the sender is in another process group; without them in kiln's own.
  for (const std::string jobs : {"set -m", "set +m"}) {
    const auto run =
        bash(jobs +
             "; rm -f pipe; mkfifo pipe; $KILN_EXEC -w > pipe 2> errors & pid=$!; exec 3< pipe; "
             "read line <&3; kill -TERM $pid; cat <&3; wait $pid; echo code $?");
    EXPECT_EQ(run.output, "code 143\n") << jobs << run.errors;
  }
}

TEST_P(ExecBoth, gives_what_the_program_gives_without) {
  const auto direct = program(KILN_LAYER_APP, {"one.cl", "two.cl", "-n", "2"});
  use_fresh("other");
  for (int start = 0; start < 2; ++start) {
    const auto run = exec({"one.cl", "two.cl", "-n", "2"}, options());
    EXPECT_EQ(run.output, direct.output);
    EXPECT_EQ(run.exit_code, direct.exit_code);
  }
  EXPECT_EQ(direct.output, "64\n64\n128\n128\n");
}

TEST_F(Exec, puts_the_layer_in_front_and_passes_settings_on) {
  set("OPENCL_LAYERS", "/other.so:" KILN_LAYER_LIBRARY);
  const auto run = kiln({"exec", "--store", "a-store", "--shared-store", "off", "--store-size",
                         "1G", "--", "sh", "-c",
                         "echo $OPENCL_LAYERS; echo $KILN_STORE; echo $KILN_SHARED_STORE; "
                         "echo $KILN_STORE_SIZE; echo $KILN_LAYER"});
  const auto layer = std::filesystem::canonical(KILN_LAYER_LIBRARY).string();
  EXPECT_EQ(run.output,
            layer + ":/other.so\n" + (folder() / "a-store").string() + "\noff\n1G\non\n");
  expect_refusal(kiln({"exec", "--store-size", "much", "true"}), 2, "much");
}

TEST_F(Exec, leaves_the_layer_off_where_the_user_has_switched_it_off) {
  set("KILN_LAYER", "off");
  const auto run = explain({"one.cl"});
  EXPECT_EQ(run.output, "64\n");
  EXPECT_THAT(run.errors, HasSubstr("no process of the program had the layer"));
}

TEST_F(Exec, refuses_files_that_are_one_before_the_program_starts) {
  const std::vector<std::string> program{"--", "sh", "-c", "echo started"};
  for (std::vector<std::string> words : {std::vector<std::string>{"exec", "--profile", "x.json"},
                                         {"exec", "--profile", "x.html", "--trace", "x.json"},
                                         {"exec", "--profile", "x.html", "--trace", "x.html"}}) {
    words.insert(words.end(), program.begin(), program.end());
    expect_refusal(kiln(words), 2, "expected different files");
  }
  expect_refusal(kiln({"exec", "--shared-store", "http://x", "true"}), 2, "redis://");
}

TEST_F(Exec, explains_a_cold_and_a_warm_start) {
  const auto cold = explain({"one.cl", "two.cl"});
  EXPECT_EQ(cold.output, "64\n128\n");
  EXPECT_EQ(summary(cold),
            "kiln: 2 programs built: 2 compiled by the helper; variants of launches: 2 compiled, 0 "
            "taken over from the driver; compilers started: 4");
  EXPECT_THAT(cold.errors, HasSubstr("layer_plain: run on "));
  EXPECT_THAT(cold.errors, HasSubstr("16-1-1-goffs0-smallgrid of run compiled for a launch"));
  use_fresh("unused");
  use_store("store");  // with an empty cache of the driver
  const auto warm = explain({"one.cl", "two.cl"});
  EXPECT_EQ(warm.output, "64\n128\n");
  EXPECT_EQ(summary(warm), all_from_store);
}

TEST_F(Exec, learns_what_the_driver_chooses) {
  const auto cold = explain({"-l", "0", "one.cl"});
  EXPECT_THAT(summary(cold), HasSubstr("0 compiled, 1 taken over from the driver"));
  use_fresh("unused");
  use_store("store");
  EXPECT_THAT(summary(explain({"-l", "0", "one.cl"})),
              HasSubstr("1 served from the local store; compilers started: 0"));
}

TEST_F(Exec, explains_what_is_left_to_the_driver) {
  write("day.cl",
        "constant char day[] = __DATE__;\n"
        "kernel void run(global int *a) { a[get_global_id(0)] = day[0] != 0; }\n");
  write("bad.cl", "kernel void run(global int *a) { a = nothing; }\n");
  const auto day = explain({"day.cl"});
  EXPECT_EQ(day.output, "64\n");
  EXPECT_THAT(summary(day), HasSubstr("1 left to the driver (the text asks for __DATE__)"));
  const auto bad = explain({"bad.cl"});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.errors, HasSubstr("app: clBuildProgram: -11"));
  EXPECT_THAT(summary(bad), HasSubstr("1 left to the driver"));
  EXPECT_THAT(summary(explain({})), HasSubstr("no process of the program had the layer"));
  EXPECT_EQ(summary(bash("\"$KILN\" exec --explain -- \"$KILN\" devices")),
            "kiln: no program was built with the layer");
}

TEST_F(Exec, is_off_where_the_user_says_so) {
  set("OPENCL_LAYERS", KILN_LAYER_LIBRARY);
  set("KILN_LAYER_REPORT", (folder() / "report.jsonl").string());
  set("KILN_LAYER", "off");
  use_store("none");
  EXPECT_EQ(program(KILN_LAYER_APP, {"one.cl"}).output, "64\n");
  EXPECT_FALSE(std::filesystem::exists(folder() / "report.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "none"));
  set("KILN_LAYER", "");
  EXPECT_EQ(program(KILN_LAYER_APP, {"one.cl"}).output, "64\n");
  EXPECT_TRUE(std::filesystem::exists(folder() / "report.jsonl"));
}

TEST_F(Exec, sixteen_processes_at_once_compile_each_program_once) {
  set("KILN_LAYER_REPORT", (folder() / "report.jsonl").string());
  const auto run = bash(
      "for i in $(seq 16); do \"$KILN\" exec -- \"$KILN_APP\" one.cl two.cl > out$i 2>&1 & done; "
      "wait; "
      "cat out* | sort | uniq -c | tr -s ' '");
  EXPECT_EQ(run.output, " 16 128\n 16 64\n");
  std::size_t builds = 0, compiled = 0;
  for (const auto& event : json_lines(value_or_throw(read_text(folder() / "report.jsonl")))) {
    if (event.at("event") != "build") continue;
    ++builds;
    EXPECT_EQ(event.at("outcome"), "served") << event;
    for (const auto& step : event.at("steps")) compiled += step.at("layer") == "compile" ? 1 : 0;
  }
  EXPECT_EQ(builds, 32u);
  EXPECT_EQ(compiled, 2u);
  EXPECT_EQ(json_lines(kiln({"prebuild", "--used-by", "layer_plain", "--dry-run", "--json"}).output)
                .size(),
            2u);
}

}  // namespace
}  // namespace kiln::testing
