// `kiln tune` on a device.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "run_process.hpp"

namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
using kiln::testing::expect_refusal;

/// B = 2 A, with a loop that LOOP makes longer. MODE 1 is wrong, 2 does not compile, 3 crashes, 4
/// hangs.
constexpr const char* source = R"(
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
    set("KILN_STORE", (folder() / "store").string());
    set("XDG_STATE_HOME", (folder() / "state").string());
    set("XDG_RUNTIME_DIR", folder().string());
    write("twice.cl", source);
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
      json({"--param", "MODE=0,1,2,3,4", "--hang-time", "3s", "--strategy", "exhaustive"});
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
  const auto killed = bash(
      "$KILN tune twice.json --set dataset=4096 --param LOOP=1..400 --journal j & P=$!;"
      " until [ $(cat j 2>/dev/null | wc -l) -ge 4 ] || ! [ -d /proc/$P ]; do :; done;"
      " kill -KILL $P; wait $P; wc -l < j");
  const int before = std::stoi(killed.output) - 1;
  EXPECT_GE(before, 3);
  const Json found =
      json({"--param", "LOOP=1..400", "--journal", "j", "--resume", "--evaluations", "2"});
  EXPECT_EQ(found["evaluated"], before + 2);
}

TEST_F(TuneSearch, ends_by_ctrl_c_with_the_best_so_far_on_record) {
  const auto result = bash(
      "$KILN tune twice.json --set dataset=4096 --param LOOP=1..400 --journal j > out & P=$!;"
      " until [ $(cat j 2>/dev/null | wc -l) -ge 4 ] || ! [ -d /proc/$P ]; do :; done;"
      " kill -INT $P; wait $P; echo $?; cat out");
  EXPECT_THAT(result.output, ::testing::StartsWith("130\n")) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("configurations measured"));
}

TEST_F(TuneSearch, ends_in_good_order_though_a_candidate_hangs_and_takes_its_folder_along) {
  // Longer than other commands get after Ctrl-C.
  const auto result = bash(
      "mkdir tmp; export TMPDIR=$PWD/tmp; $KILN tune twice.json --set dataset=4096"
      " --param MODE=0,4 --strategy exhaustive --hang-time 6s --journal j > out & P=$!;"
      " until [ $(cat j 2>/dev/null | wc -l) -ge 2 ] || ! [ -d /proc/$P ]; do :; done;"
      " kill -INT $P; wait $P; echo $?; cat out; ls tmp | grep -c kiln-tune");
  EXPECT_THAT(result.output, ::testing::StartsWith("130\n")) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("configurations measured"));
  EXPECT_THAT(result.output, ::testing::EndsWith("\n0\n")) << "no folder is left";
}

TEST_F(TuneSearch, ends_where_the_device_vanishes_and_leaves_the_store_alone) {
  // The loader's list of drivers, without which there is no device; every second candidate crashes,
  // and costs a new process that looks for one.
  const auto result = bash(
      "mkdir icd; cp /etc/OpenCL/vendors/*.icd icd; export OCL_ICD_VENDORS=$PWD/icd;"
      " $KILN tune twice.json --set dataset=4096 --param LOOP=1..400 --param MODE=0,3"
      " --strategy exhaustive --journal j > out 2> err & P=$!;"
      " until [ $(cat j 2>/dev/null | wc -l) -ge 4 ] || ! [ -d /proc/$P ]; do :; done;"
      " rm icd/*; wait $P; echo code $?; wc -l < err; cat out err; wc -l < j;"
      " $KILN tuned ls 2>&1 | grep -c twice");
  EXPECT_THAT(result.output, ::testing::StartsWith("code 1\n1\n")) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("the device is gone"));
  EXPECT_THAT(result.output, ::testing::EndsWith("\n0\n")) << "nothing on record";
  const Json found = json({"--param", "LOOP=1..400", "--param", "MODE=0,3", "--strategy",
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
