// `kiln tune --from calls.jsonl` and `kiln tune --all`.
#include <gmock/gmock.h>

#include "cli/run_process.hpp"
#include "test_paths.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class Campaign : public kiln::testing::RunTest {
 protected:
  Campaign() {
    set("KILN_STORE", fresh_store("store"));
    set("XDG_RUNTIME_DIR", servers());
  }
  /// A line of a record: a product of n x n matrices that took so many nanoseconds.
  static std::string line(const std::string& name, int n, int count, int ns,
                          const std::string& fingerprint = "0000000000000000") {
    Json facts{{"routine", name.substr(1)},
               {"precision", name.substr(0, 1)},
               {"order", "column"},
               {"alpha", "1"},
               {"m", n},
               {"n", n},
               {"k", n}};
    Json json{{"kiln_calls", 1}, {"kind", "blas"}, {"name", name}, {"facts", facts}};
    json["devices"] = {{{"name", "a device"}, {"fingerprint", fingerprint}, {"units", 2}}};
    json.update({{"flops", 2.0 * n * n * n},
                 {"bytes", 12.0 * n * n},
                 {"count", count},
                 {"host_ns", 1},
                 {"prepare_ns", 0},
                 {"timed", 1},
                 {"device_ns", ns}});
    return json.dump() + "\n";
  }
  std::vector<Json> tuned(std::vector<std::string> words, int code = 0) {
    words.insert(words.begin(), "tune");
    // What is built in and one more: how good a search is, others test.
    words.insert(words.end(), {"--json", "--evaluations", "2"});
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, code) << result.errors << result.output;
    errors_ = result.errors;
    return json_lines(result.output);
  }
  /// The objects of searches, not of what is left out.
  static std::vector<Json> searches(const std::vector<Json>& lines) {
    std::vector<Json> found;
    for (const auto& one : lines)
      if (one.at("status") != "left out") found.push_back(one);
    return found;
  }
  std::string errors_;
};

TEST_F(Campaign, tunes_what_an_application_called) {
  const auto recorded =
      kiln({"record", "--calls", "calls.jsonl", "--", KILN_RECORDED_APP, "48", "5", "3"});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.errors;
  const auto lines = tuned({"--from", "calls.jsonl"});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["status"], "left out");
  EXPECT_THAT(lines[0]["subject"].get<std::string>(), HasSubstr("saxpy (3 calls, "));
  EXPECT_EQ(lines[0]["message"], "its kernels have no parameters");
  EXPECT_THAT(lines[1]["subject"].get<std::string>(), HasSubstr("sgemm, m 48, n 48, k 48"));
  EXPECT_THAT(lines[1]["status"].get<std::string>(), ::testing::AnyOf("tuned", "as built in"));
  EXPECT_EQ(lines[1]["evaluated"], 2);
  EXPECT_GT(lines[1]["share"], 0);
  EXPECT_THAT(kiln({"tuned", "ls"}).output, HasSubstr("gemm float TRANS_B+COLUMN_MAJOR"));
}

TEST_F(Campaign, begins_with_what_matters_most_and_shows_its_plan_first) {
  set("KILN_STORE", (folder() / "none").string());
  // Of two that take as much time, the one that is far below the best rate is worth more; what is
  // on record, little.
  write("calls.jsonl", line("sgemm", 64, 100, 1'000'000) + line("sgemm", 256, 100, 1'000'000) +
                           line("dgemv", 64, 1, 1000));
  const auto plan =
      kiln({"tune", "--from", "calls.jsonl", "--device", "0", "--dry-run", "--budget", "100s"});
  ASSERT_EQ(plan.exit_code, 0) << plan.errors;
  EXPECT_THAT(plan.output, HasSubstr("3 searches, at most 1m40s"));
  EXPECT_THAT(plan.output, HasSubstr("33 %")) << "rates of another machine say nothing";
  const auto resumed = kiln({"tune", "--from", "calls.jsonl", "--device", "0", "--dry-run",
                             "--resume", "--budget", "100s"});
  EXPECT_EQ(resumed.output, plan.output) << resumed.errors;
  EXPECT_FALSE(std::filesystem::exists(folder() / "none")) << "nothing is done";
  EXPECT_FALSE(
      std::filesystem::exists(folder() / ".local" / "state" / "kiln" / "tuning" / "campaigns"));

  set("KILN_STORE", fresh_store("some"));
  EXPECT_EQ(searches(tuned({"--from", "calls.jsonl", "--device", "0", "--budget", "40s"})).size(),
            3u);
  const auto again = json_lines(
      kiln({"tune", "--from", "calls.jsonl", "--device", "0", "--dry-run", "--json"}).output);
  ASSERT_EQ(again.size(), 3u);
  for (const auto& one : again) EXPECT_EQ(one["expected_gain"], 0.02) << one;
}

TEST_F(Campaign, gives_the_time_to_the_first_where_it_is_not_enough) {
  std::string text;
  for (const int n : {32, 64, 128, 256}) text += line("sgemm", n, n * n * n, 1000);
  write("calls.jsonl", text);
  const auto lines = json_lines(kiln({"tune", "--from", "calls.jsonl", "--device", "0", "--dry-run",
                                      "--budget", "25s", "--json"})
                                    .output);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_GE(lines[1]["budget_seconds"], 10);
  EXPECT_EQ(lines[2]["budget_seconds"], 0);
  EXPECT_THAT(lines[0]["subject"].get<std::string>(), HasSubstr("m 256"));
}

TEST_F(Campaign, names_a_device_that_is_not_here) {
  write("calls.jsonl", line("sgemm", 64, 1, 1000));
  const auto lines = tuned({"--from", "calls.jsonl"});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["status"], "left out");
  EXPECT_THAT(lines[0]["message"].get<std::string>(), HasSubstr("there is no device a device"));
}

TEST_F(Campaign, tunes_everything_that_is_lacking_and_nothing_twice) {
  const auto lines = tuned({"--all", "gemv", "--precision", "s"});
  EXPECT_EQ(lines.size(), 4u);
  for (const auto& one : lines) {
    EXPECT_THAT(one["status"].get<std::string>(), ::testing::AnyOf("tuned", "as built in"));
    EXPECT_EQ(one["evaluated"], 2);
  }
  const auto again = tuned({"--all", "gemv", "--precision", "s"});
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0]["subject"], "4 of 4 problems");
  const auto text = kiln({"tune", "--all", "gemv", "--precision", "s"});
  EXPECT_THAT(text.output, HasSubstr("Nothing is left to tune"));
}

TEST_F(Campaign, says_once_that_it_has_no_lock) {
  write("kiln", "no folder for locks");
  set("XDG_RUNTIME_DIR", folder().string());
  EXPECT_EQ(tuned({"--all", "trsv", "--precision", "s"}).size(), 2u) << errors_;
  const auto first = errors_.find("tunes without the lock");
  ASSERT_NE(first, errors_.npos) << errors_;
  EXPECT_EQ(errors_.find("tunes without the lock", first + 1), errors_.npos) << errors_;
}

TEST_F(Campaign, settings_of_the_surroundings_that_are_for_others_change_nothing) {
  set("KILN_JOURNAL", (folder() / "journal").string());
  EXPECT_EQ(tuned({"--all", "trsv", "--precision", "s"}).size(), 2u) << errors_;
  EXPECT_FALSE(std::filesystem::exists(folder() / "journal"));
  set("KILN_SHARE", "1");
  EXPECT_EQ(tuned({"gemv", "-n", "64"}).size(), 1u) << "without a server to share it by";
  EXPECT_TRUE(std::filesystem::exists(folder() / "journal"));
}

TEST_F(Campaign, goes_on_after_a_kill_and_repeats_nothing_that_is_finished) {
  const auto killed =
      bash("$KILN tune --all gemv --precision s --evaluations 2 --json > out & P=$!;" +
           until_lines(2, "out") + " kill -KILL $P; wait $P; wc -l < out");
  const int before = std::stoi(killed.output);
  ASSERT_GE(before, 2);
  const auto lines = tuned({"--all", "gemv", "--precision", "s", "--resume"});
  EXPECT_EQ(searches(lines).size(), 4u - static_cast<std::size_t>(before));
  EXPECT_EQ(searches(tuned({"--all", "gemv", "--precision", "s", "--resume"})).size(), 0u);
}

TEST_F(Campaign, ends_by_ctrl_c_with_a_table_and_goes_on_later) {
  const auto result = bash(
      "$KILN tune --all trsv --precision s --json --budget 1h > out & P=$!;"
      " until ls .local/state/kiln/tuning/*.jsonl >/dev/null 2>&1 || ! [ -d /proc/$P ]; do :; "
      "done;" +
      until_lines(3, ".local/state/kiln/tuning/*.jsonl") +
      " kill -INT $P; wait $P; echo $?; cat out");
  EXPECT_THAT(result.output, ::testing::StartsWith("130\n")) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\"status\":\"stopped\""));
  const auto lines = searches(tuned({"--all", "trsv", "--precision", "s", "--resume"}));
  ASSERT_EQ(lines.size(), 2u) << "what was stopped is gone on with";
  EXPECT_GT(lines[0]["evaluated"], 3) << "and with what it had measured";
}

TEST_F(Campaign, answers_bad_input_with_one_line) {
  write("space.json", R"({"tune_params_keys": ["TS"], "tune_params": {"TS": [8]}, "cache": {}})");
  write("calls.jsonl", line("sgemm", 64, 1, 1000));
  write("broken.jsonl", "{\"kiln_calls\":2}\n");
  write("nonsense", "nonsense\n");
  expect_refusal(kiln({"tune", "--from", "space.json"}), 2, "found a measured space");
  expect_refusal(kiln({"tune", "--replay", "calls.jsonl"}), 2, "found a record of calls");
  expect_refusal(kiln({"tune", "--replay", "space.json", "--from", "calls.jsonl"}), 2,
                 "found a record of calls");
  expect_refusal(kiln({"tune", "--from", "broken.jsonl"}), 2, "broken.jsonl:1");
  expect_refusal(kiln({"tune", "--from", "nonsense"}), 2, "nonsense:1");
  expect_refusal(kiln({"tune", "--from", "absent"}), 2, "absent");
  expect_refusal(kiln({"tune", "--from", "calls.jsonl", "--all"}), 2, "--from: found with --all");
  expect_refusal(kiln({"tune", "gemm", "--from", "calls.jsonl"}), 2, "found 'gemm' with --from");
  expect_refusal(kiln({"tune", "--all", "-n", "64"}), 2, "--size-n: found with --all");
  expect_refusal(kiln({"tune", "--all", "--journal", "j"}), 2, "--journal: found with --all");
  expect_refusal(kiln({"tune", "--from", "calls.jsonl", "--precision", "d"}), 2,
                 "--precision: found with --from");
  expect_refusal(kiln({"tune", "gemm", "--dry-run"}), 2, "--dry-run: found with a single search");
  expect_refusal(kiln({"tune", "gemm", "--share"}), 2, "--share: found with a single search");
  expect_refusal(kiln({"tune", "gemm", "--seeds", "3"}), 2, "expected --replay with it");
  expect_refusal(kiln({"tune", "--replay", "space.json", "--all"}), 2,
                 "--all: found with --replay");
  expect_refusal(kiln({"tune", "--all", "axpy"}), 2, "--all: found 'axpy'");
  expect_refusal(kiln({"tune", "--all", "--device", "~no such device"}), 2, "no such device");
  expect_refusal(kiln({"tune", "--all", "gemv", "--share"}), 2, "expected --shared-store URL");
  expect_refusal(kiln({"tune", "--all", "gemv", "--strategy", "all"}), 2, "--replay");
}

TEST_F(Campaign, goes_on_where_one_search_fails) {
  // 2^20 x 2^20 numbers fit no memory.
  write("calls.jsonl", line("sgemv", 1 << 20, 100, 1000) + line("sgemv", 64, 1, 1000));
  const auto lines = searches(tuned({"--from", "calls.jsonl", "--device", "0"}, 1));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["status"], "failed");
  EXPECT_THAT(lines[0]["message"].get<std::string>(), Not(HasSubstr("\n")));
  EXPECT_EQ(lines[1]["evaluated"], 2);
}

TEST_F(Campaign, help_has_headings) {
  const auto help = kiln({"tune", "--help"}).output;
  for (const char* heading :
       {"\nSearching\n", "\nJournal, report and output\n", "\nMany searches (--all, --from)\n",
        "\nA call of BLAS (WHAT is a routine)\n", "\nA specification file (WHAT is a file)\n",
        "\nMeasured spaces as devices (--replay)\n", "\nThe store\n"})
    EXPECT_THAT(help, HasSubstr(heading));
  EXPECT_THAT(help, Not(HasSubstr("\nOptions\n")));
  EXPECT_THAT(kiln({"run", "--help"}).output, HasSubstr("\nOptions\n"));
}

}  // namespace
