// `kiln tune` on a device.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/page/browser.hpp"
#include "cli/run_process.hpp"

namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
using kiln::testing::expect_refusal;

/// B = 2 A, with a loop that LOOP makes longer. MODE 1 is wrong, 2 does not compile, 3 crashes, 4
/// hangs.
constexpr const char* tuned_source = R"(
#ifndef MODE
#define MODE 0
#endif
#ifndef LOOP
#define LOOP 64
#endif
#if MODE == 2
#error not this one
#endif
kernel void twice(global const float* a, global volatile float* b) {
  const int i = get_global_id(0);
#if MODE == 3
  b = (global volatile float*)8;
#endif
#if MODE == 4
  do b[i] += 1; while (b[i] != 0.5f);
#endif
  float sum = 0;
  for (int k = 0; k < LOOP; ++k) { b[i] = k; sum += b[i] * 0; }
  b[i] = 2 * a[i] + sum + (MODE == 1 ? 1 : 0);
}
)";

class TuneSearch : public kiln::testing::RunTest {
 protected:
  TuneSearch() {
    set("KILN_STORE", fresh_store("store"));
    set("XDG_RUNTIME_DIR", servers());
    write("twice.cl", tuned_source);
    write("twice.json", R"({"name": "twice", "src": "twice.cl", "workDimension": 1, "partition": 10,
  "symbolicVariables": {"LOOP": 64, "MODE": 0}, "macros_values": {"LOOP": "LOOP", "MODE": "MODE"},
  "globalWorkSize": "[dataset]", "localWorkSize": "[16]",
  "inputBuffers": [{"pos": 0, "type": "float", "size": "dataset", "break": 1}],
  "outputBuffers": [{"pos": 1, "type": "float", "size": "dataset", "break": 1}]
})");
  }
  std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"tune", "twice.json", "--set", "dataset=4096"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Json json(std::vector<std::string> more) {
    more.emplace_back("--json");
    const auto result = kiln(words(more));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return Json::parse(result.output, nullptr, false);
  }
};

TEST_F(TuneSearch, finds_the_fastest_and_runs_use_it) {
  const Json found = json({"--param", "LOOP=1,64,4096"});
  EXPECT_EQ(found["best"]["LOOP"], 1);
  EXPECT_EQ(found["evaluated"], 3);
  EXPECT_EQ(found["failed"], 0);
  EXPECT_GT(found["faster_by"], 1);
  const auto run = kiln({"run", "twice.json", "--set", "dataset=4096", "--explain"});
  EXPECT_THAT(run.output, HasSubstr("tuned: LOOP 1"));
}

TEST_F(TuneSearch, says_that_nothing_is_kept_where_the_store_is_off) {
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--param", "LOOP=1,4096"});
    const auto result = kiln(words(more));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  };
  write("twice.json", [&] {
    std::string text = kiln::value_or_throw(kiln::read_text(folder() / "twice.json"));
    return text.replace(text.find("\"LOOP\": 64"), 10, "\"LOOP\": 4096");
  }());
  EXPECT_THAT(with({"--store", "off"}), HasSubstr("Not kept: the store is off."));
  EXPECT_THAT(with({}), HasSubstr("On record: calls use it from now on."));
}

TEST_F(TuneSearch, passes_over_what_fails_and_says_why) {
  const Json found =
      json({"--param", "MODE=0,1,2,3,4", "--hang-time", "8s", "--strategy", "exhaustive"});
  EXPECT_EQ(found["best"]["MODE"], 0);
  EXPECT_EQ(found["evaluated"], 5);
  EXPECT_EQ(found["failed"], 4);
  EXPECT_EQ(found["replaced_processes"], 2);
  const std::string journal = [&] {
    std::ifstream in(found["journal"].get<std::string>());
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  for (const char* reason : {"wrong_result", "build", "crash", "timeout"})
    EXPECT_THAT(journal, HasSubstr(std::string("\"failure\":\"") + reason + "\""));
}

TEST_F(TuneSearch, goes_on_after_a_kill_with_all_that_was_measured) {
  const auto killed =
      bash("$KILN tune twice.json --set dataset=4096 --param LOOP=1..400 --journal j & P=$!;" +
           until_lines(4, "j") + " kill -KILL $P; wait $P; wc -l < j");
  const int before = std::stoi(killed.output) - 1;
  EXPECT_GE(before, 3);
  const Json found =
      json({"--param", "LOOP=1..400", "--journal", "j", "--resume", "--evaluations", "2"});
  EXPECT_EQ(found["evaluated"], before + 2);
}

TEST_F(TuneSearch, a_search_that_is_repeated_goes_on_and_fresh_sets_its_journal_aside) {
  const std::vector<std::string> search{"--param", "LOOP=1..400", "--evaluations", "4"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), search.begin(), search.end());
    return json(more);
  };
  EXPECT_EQ(with({})["evaluated"], 4);
  const Json again = with({});
  EXPECT_EQ(again["evaluated"], 8);
  EXPECT_EQ(again["resumed_evaluations"], 4);
  const std::string journal = again["journal"];
  const auto before = kiln::value_or_throw(kiln::read_text(journal));
  EXPECT_EQ(with({"--fresh"})["evaluated"], 4);
  EXPECT_EQ(kiln::value_or_throw(kiln::read_text(journal + ".1")), before);
  // Other values are another search, with a journal of its own.
  EXPECT_EQ(json({"--param", "LOOP=1..300", "--evaluations", "2"})["evaluated"], 2);
  EXPECT_EQ(with({})["evaluated"], 8);
}

TEST_F(TuneSearch, never_writes_to_a_file_that_is_anything_else) {
  write("notes", "my notes\n");
  json({"--param", "LOOP=1,2", "--journal", "j"});
  const auto text = [&](const char* name) {
    return kiln::value_or_throw(kiln::read_text(folder() / name));
  };
  const std::string journal = text("j"), spec = text("twice.json");
  const auto refuse = [&](std::vector<std::string> more, const std::string& part) {
    more.insert(more.begin(), {"--param", "LOOP=1,4"});
    expect_refusal(kiln(words(more)), 2, part);
  };
  refuse({"--journal", "notes"}, "notes: not a tuning journal");
  refuse({"--journal", "notes", "--fresh"}, "notes: not a tuning journal");
  refuse({"--journal", "j"}, "j: line 1: a journal of another search");
  refuse({"--journal", "twice.json"}, "--journal: twice.json is also the file of");
  refuse({"--report", "twice.json"}, "--report: twice.json is also the file of");
  refuse({"--journal", "k", "--report", "k"}, "--report: k is also the file of --journal");
  refuse({"--journal", "/dev/null"}, "/dev/null");
  refuse({"--resume", "--fresh"}, "--fresh: found with --resume");
  refuse({"--no-resume", "--fresh", "--dry-run"}, "--dry-run: found with a single search");
  EXPECT_EQ(text("notes"), "my notes\n");
  EXPECT_EQ(text("j"), journal);
  EXPECT_EQ(text("twice.json"), spec);
  expect_refusal(kiln({"tuned", "report", "j", "-o", "j"}), 2, "--output: j is also the file of");
  expect_refusal(kiln({"tuned", "export", "j", "-o", "./j"}), 2,
                 "--output: ./j is also the file of");
  expect_refusal(kiln({"record", "--calls", "notes", "--", "true"}), 2,
                 "notes: not a record of calls");
  expect_refusal(kiln({"run", "twice.json", "--trace", "twice.json"}), 2, "--trace");
  EXPECT_EQ(text("j"), journal);
  EXPECT_EQ(text("notes"), "my notes\n");
}

TEST_F(TuneSearch, what_all_say_of_a_search_is_one_winner_and_one_time) {
  const Json found = json({"--param", "LOOP=1,2,3,64", "--report", "page.html"});
  const double seconds = found["best_seconds"];
  const auto list = kiln({"tuned", "ls", "--searches", "--json"});
  const Json winner = Json::parse(list.output)["winner"];
  EXPECT_EQ(winner["seconds"], seconds);
  EXPECT_EQ(winner["built_in_seconds"], found["standard_seconds"]);
  EXPECT_EQ(winner["decided_by"], found["decided_by"]);
  EXPECT_EQ(winner["rounds"], found["rounds"]);
  const Json record = Json::parse(kiln({"tuned", "ls", "--json"}).output);
  EXPECT_DOUBLE_EQ(record["measured"].back()["milliseconds"].get<double>(), seconds * 1e3);
  EXPECT_EQ(record["measured"].back()["parameters"]["LOOP"], found["best"]["LOOP"]);
  const auto page = kiln::value_or_throw(kiln::read_text(folder() / "page.html"));
  const std::string text = "LOOP=" + found["best"]["LOOP"].dump();
  EXPECT_EQ(kiln::testing::data_of_page(page)["best"],
            Json({{"text", text}, {"seconds", seconds}}));
  EXPECT_FALSE(kiln::testing::data_of_page(page)["ending"].is_null());
  // The same words for the time in the list and the page's heading.
  const auto rows = kiln({"tuned", "ls", "--searches"}).output;
  const auto shown = kiln({"tuned", "show", rows.substr(rows.find('\n') + 1, 8)}).output;
  EXPECT_THAT(shown, HasSubstr("winner         " + text));
}

TEST_F(TuneSearch, hears_sigterm_and_its_budget_while_another_tuner_measures) {
  set("XDG_RUNTIME_DIR", folder().string());
  const auto with_lock = [&](const std::string& script) {
    return bash(
               "mkdir -p -m 700 kiln; rm -f held; (flock 9; echo held > held; exec sleep 1000) "
               "9>kiln/tuner.lock"
               " & H=$!; until [ -s held ]; do :; done; " +
               script + "; kill $H; wait $H 2>/dev/null; true")
        .output;
  };
  const std::string tune = "$KILN tune twice.json --set dataset=4096 --param LOOP=1,64";
  EXPECT_THAT(with_lock(tune + " --budget 1s 2>&1; echo code $?"),
              ::testing::AllOf(HasSubstr("another tuner of this user"), HasSubstr("code 1\n")));
  EXPECT_THAT(
      with_lock(tune + " --budget 100h > out 2>&1 & P=$!; grep -q 'waits for' <"
                       " <(exec tail -n +1 -F --pid=$P out 2>/dev/null); kill -TERM $P; wait $P;"
                       " echo code $?"),
      HasSubstr("code 143\n"));
}

TEST_F(TuneSearch, what_kernels_print_is_no_result) {
  write("twice.cl", [&] {
    std::string text = tuned_source;
    return text.replace(text.find("float sum = 0;"), 14,
                        "float sum = 0; if (i < 64) printf(\"hello %d\\n\", i);");
  }());
  const Json found = json({"--param", "LOOP=1,4096"});
  EXPECT_EQ(found["evaluated"], 2) << "one line of JSON, and nothing else";
  EXPECT_THAT(found["kernel_output"].get<std::string>(), HasSubstr("hello "));
  EXPECT_LE(found["kernel_output"].get<std::string>().size(), 2048u);
  EXPECT_GT(found["kernel_output_bytes"], 2048);
  const auto text = kiln(words({"--param", "LOOP=1,4096", "--fresh"}));
  EXPECT_THAT(text.output, ::testing::Not(HasSubstr("hello ")));
  EXPECT_THAT(text.errors, HasSubstr("bytes while they were measured; they begin:"));
}

TEST_F(TuneSearch, refuses_options_that_do_not_apply) {
  const auto refuse = [&](const std::vector<std::string>& words, const std::string& part) {
    expect_refusal(kiln(words), 2, part);
  };
  refuse({"tune", "dgemm", "--precision", "d"}, "--precision does not apply to dgemm");
  refuse({"tune", "gemm", "--diag", "unit"}, "--diag does not apply to gemm");
  refuse({"tune", "gemm", "--side", "left"}, "--side does not apply to gemm");
  refuse({"tune", "gemm", "--uplo", "upper"}, "--uplo does not apply to gemm");
  refuse({"tune", "gemv", "-k", "4"}, "--size-k does not apply to gemv");
  refuse({"tune", "gemv", "--trans-b", "t"}, "--trans-b does not apply to gemv");
  refuse({"tune", "trsv", "-m", "4"}, "--size-m does not apply to trsv");
  refuse({"blas", "explain", "axpy", "--order", "row"}, "--order does not apply to axpy");
  for (const char* option : {"--param", "--constraint", "--set", "--set-if", "--in", "--expect",
                             "--rtol", "--dialect", "--source-dir"}) {
    const std::string value = std::string(option) == "--rtol"      ? "1"
                              : std::string(option) == "--dialect" ? "base"
                                                                   : "A=1";
    refuse({"tune", "gemm", option, value}, std::string(option) + ": found with a routine of BLAS");
  }
  for (const char* option : {"--precision", "-m", "-n", "-k", "--order", "--side", "--uplo",
                             "--trans-a", "--trans-b", "--diag"}) {
    const std::string name = option;
    const std::string value = name == "--precision"         ? "s"
                              : name == "--order"           ? "row"
                              : name == "--side"            ? "left"
                              : name == "--uplo"            ? "upper"
                              : name == "--diag"            ? "unit"
                              : name.starts_with("--trans") ? "t"
                                                            : "8";
    refuse(words({"--param", "LOOP=1,2", option, value}), "found with a specification file");
  }
  write("space.json", R"({"tune_params_keys": ["TS"], "tune_params": {"TS": [8]}, "cache": {}})");
  for (const char* option : {"--budget", "--evaluations", "--seed", "--jobs", "--hang-time"})
    refuse({"tune", "--replay", "space.json", option, "1"},
           std::string(option) + ": found with --replay");
  refuse({"tune", "gemm", "--replay", "space.json"}, "found 'gemm' with --replay");
}

TEST_F(TuneSearch, ends_by_ctrl_c_with_the_best_so_far_on_record) {
  const auto result = bash(
      "$KILN tune twice.json --set dataset=4096 --param LOOP=1..400 --journal j > out & P=$!;" +
      until_lines(4, "j") + " kill -INT $P; wait $P; echo $?; cat out");
  EXPECT_THAT(result.output, ::testing::StartsWith("130\n")) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("configurations measured"));
}

TEST_F(TuneSearch, ends_in_good_order_though_a_candidate_hangs_and_takes_its_folder_along) {
  // Longer than other commands get after Ctrl-C, and than the reference takes on a busy machine.
  const auto result = bash(
      "mkdir tmp; export TMPDIR=$PWD/tmp; $KILN tune twice.json --set dataset=4096"
      " --param MODE=0,4 --strategy exhaustive --hang-time 20s --journal j > out & P=$!;" +
      until_lines(2, "j") + " kill -INT $P; wait $P; echo $?; cat out; ls tmp | grep -c kiln-tune");
  EXPECT_THAT(result.output, ::testing::StartsWith("130\n")) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("configurations measured"));
  EXPECT_THAT(result.output, ::testing::EndsWith("\n0\n")) << "no folder is left";
}

TEST_F(TuneSearch, ends_where_the_device_vanishes_and_leaves_the_store_alone) {
  // The loader's list of drivers, without which there is no device; every second candidate crashes
  // (the first parameter changes fastest), and costs a new process that looks for one.
  const auto result = bash(
      "mkdir icd; cp /etc/OpenCL/vendors/*.icd icd; export OCL_ICD_VENDORS=$PWD/icd;"
      " $KILN tune twice.json --set dataset=4096 --param MODE=0,3 --param LOOP=1..400"
      " --strategy exhaustive --journal j > out 2> err & P=$!;" +
      until_lines(4, "j") +
      " rm icd/*; wait $P; echo code $?; grep -vc '^kiln: tune ' err; cat out err; wc -l < j;"
      " $KILN tuned ls 2>&1 | grep -c twice");
  EXPECT_THAT(result.output, ::testing::StartsWith("code 1\n1\n")) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("the device is gone"));
  EXPECT_THAT(result.output, ::testing::EndsWith("\n0\n")) << "nothing on record";
  const Json found = json({"--param", "MODE=0,3", "--param", "LOOP=1..400", "--strategy",
                           "exhaustive", "--journal", "j", "--resume", "--evaluations", "2"});
  EXPECT_GE(found["evaluated"], 5);
}

TEST_F(TuneSearch, leaves_the_store_alone_where_nothing_is_right) {
  write("wrong.npy", "");
  const auto result = kiln(words({"--param", "MODE=1,2"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("none of 2 candidates ran and gave the right result"));
  const auto run = kiln({"run", "twice.json", "--set", "dataset=4096", "--explain"});
  EXPECT_EQ(run.output.find("tuned:"), std::string::npos);
}

TEST_F(TuneSearch, answers_bad_input_with_one_line) {
  expect_refusal(kiln(words({"--param", "LOPE=1,2"})), 2, "LOPE");
  expect_refusal(kiln(words({})), 2, "--param");
  expect_refusal(kiln(words({"--param", "LOOP"})), 2, "LOOP");
  expect_refusal(kiln(words({"--param", "LOOP=1,2", "--constraint", "LOOP > 5"})), 2, "LOOP > 5");
  expect_refusal(kiln(words({"--param", "LOOP=1,2", "--constraint", "LOP > 1"})), 2, "LOP");
  expect_refusal(kiln(words({"--param", "LOOP=1,2", "--budget", "soon"})), 2, "90s");
  expect_refusal(kiln(words({"--param", "LOOP=1,2", "--strategy", "all"})), 2, "--replay");
  expect_refusal(kiln({"tune"}), 2, "nothing to tune");
  expect_refusal(kiln({"tune", "gemm", "--param", "LOOP=1"}), 2, "--param");
  expect_refusal(kiln({"tune", "axpy"}), 2, "no parameters");
  expect_refusal(kiln({"tune", "gemm", "--device", "~no such device"}), 2, "no such device");
}

TEST_F(TuneSearch, tunes_a_routine_of_blas) {
  const auto result = kiln({"tune", "gemv", "-n", "64", "--evaluations", "3", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json found = Json::parse(result.output);
  EXPECT_EQ(found["evaluated"], 3);
  EXPECT_THAT(found["tuned"].get<std::string>(), HasSubstr("sgemv"));
  EXPECT_TRUE(found["best"].contains("block"));
}

}  // namespace
