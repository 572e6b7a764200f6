// `kiln record` and `kiln prebuild`, with an application of clBLAS and with kiln itself.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/run_process.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "test_paths.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Of a fact, as a text; "" where there is none.
std::string value_of(const RecordedCall& call, std::string_view name) {
  for (const auto& fact : call.facts)
    if (fact.name == name)
      return std::visit([](const auto& value) { return fmt::format("{}", value); }, fact.value);
  return "";
}

class Record : public RunTest {
 protected:
  std::filesystem::path file() const { return folder() / "calls.jsonl"; }
  RecordedCalls calls() const { return value_or_throw(read_calls(file())); }
  std::uint64_t count_of(const std::string& name) const {
    std::uint64_t sum = 0;
    for (const auto& call : calls().calls) sum += call.name == name ? call.count : 0;
    return sum;
  }
  /// A store and a driver's cache that are new.
  void use_fresh_store(const std::string& name) {
    set("KILN_STORE", fresh_store(name));
    set("POCL_CACHE_DIR", (folder() / (name + "-pocl")).string());
  }
  ProcessResult app(std::vector<std::string> words, const std::string& file = "calls.jsonl") {
    words.insert(words.begin(), {"record", "--calls", file, "--", KILN_RECORDED_APP});
    return kiln(std::move(words));
  }
  /// Whether a run that explained itself met a compiler.
  static bool compiled(const ProcessResult& run) {
    return run.errors.find("    compile ") != run.errors.npos ||
           run.errors.find("    variant ") != run.errors.npos;
  }
  std::size_t compiled_by_prebuild(std::vector<std::string> words) {
    words.insert(words.begin(), {"prebuild", "--json", "--from", "calls.jsonl"});
    const auto built = kiln(std::move(words));
    EXPECT_EQ(built.exit_code, 0) << built.errors;
    std::size_t sum = 0;
    for (const auto& line : json_lines(built.output)) {
      EXPECT_EQ(line.at("status"), "ok") << line;
      EXPECT_GT(line.at("programs"), 0) << line;
      sum += line.at("compiled").get<std::size_t>();
    }
    return sum;
  }
};

TEST_F(Record, counts_the_calls_of_all_threads_of_an_application_of_clblas) {
  const auto run = app({"48", "5", "3"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, "done\n");
  EXPECT_EQ(run.errors, "");
  EXPECT_EQ(count_of("sgemm"), 15u);
  EXPECT_EQ(count_of("saxpy"), 3u);
  ASSERT_EQ(calls().calls.size(), 2u);
  for (const auto& call : calls().calls) {
    EXPECT_EQ(call.devices.size(), 1u);
    EXPECT_GT(call.host_ns, 0u);
    EXPECT_GT(call.prepare_ns, 0u);
    EXPECT_GT(call.bytes, 0);
    if (call.name != "sgemm") continue;
    EXPECT_EQ(value_of(call, "m"), "48");
    EXPECT_EQ(value_of(call, "stride_c"), "48");
    EXPECT_EQ(value_of(call, "trans_b"), "t");
    EXPECT_EQ(value_of(call, "alpha"), "other");
    EXPECT_EQ(call.flops, 2.0 * 48 * 48 * 48);
  }
}

TEST_F(Record, adds_runs_up_and_gives_the_programs_exit_code) {
  EXPECT_EQ(app({"16", "1", "1", "fail"}).exit_code, 7);
  EXPECT_EQ(app({"16", "2", "1"}).exit_code, 0);
  EXPECT_EQ(count_of("sgemm"), 3u);
}

TEST_F(Record, processes_that_run_at_once_share_the_file) {
  set("KILN_APP", KILN_RECORDED_APP);
  const auto run = bash(
      "for i in 1 2 3; do \"$KILN\" record --calls calls.jsonl -- \"$KILN_APP\" 16 4 2 > /dev/null "
      "& "
      "done;"
      " wait");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(count_of("sgemm"), 24u);
  EXPECT_EQ(calls().lines_cut, 0u);
}

TEST_F(Record, what_was_written_survives_a_kill) {
  const auto run = app({"16", "3", "2", "killed"});
  EXPECT_EQ(run.signal, SIGKILL);
  EXPECT_GE(count_of("sgemm"), 6u);
  EXPECT_LE(count_of("sgemm"), 12u);
}

TEST_F(Record, has_the_times_of_profiled_queues) {
  ASSERT_EQ(app({"48", "20", "1", "profile"}).exit_code, 0);
  for (const auto& call : calls().calls)
    if (call.name == "sgemm") {
      EXPECT_GT(call.timed, 0u);
      EXPECT_LT(call.timed, call.count);
      EXPECT_GT(call.device_ns, 0u);
    }
}

TEST_F(Record, nothing_is_written_where_it_is_off) {
  set("KILN_RECORD", "off");
  EXPECT_EQ(program(KILN_RECORDED_APP, {"16", "1", "1"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder() / "off"));
}

TEST_F(Record, a_file_that_cannot_be_written_does_not_stop_the_application) {
  set("KILN_RECORD", "/nowhere/calls.jsonl");
  const auto run = program(KILN_RECORDED_APP, {"16", "1", "1"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.errors, "");
}

TEST_F(Record, refuses_before_the_program_starts) {
  expect_refusal(kiln({"record"}), 2, "PROGRAM");
  expect_refusal(kiln({"record", "--calls", "/nowhere/x", "--", "/bin/true"}), 2, "/nowhere/x");
  expect_refusal(kiln({"record", "--calls", ".", "--", "/bin/true"}), 2, "cannot open");
  expect_refusal(kiln({"record", "--", "no-such-program"}), 2, "cannot run no-such-program");
}

TEST_F(Record, runs_of_specs_have_their_file_and_symbols) {
  copy_spec();
  for (const char* size : {"256", "256", "512"}) {
    const auto run = kiln({"record", "--", KILN_COMMAND, "run", "copy_float.json", "--devices", "0",
                           "--set", std::string("dataset=") + size});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
  }
  ASSERT_EQ(calls().calls.size(), 2u);
  for (const auto& call : calls().calls) {
    EXPECT_EQ(call.kind, "spec");
    EXPECT_EQ(value_of(call, "file"), (folder() / "copy_float.json").string());
    EXPECT_EQ(call.count, value_of(call, "set dataset") == "256" ? 2u : 1u);
    EXPECT_EQ(call.timed, call.count);
  }
}

TEST_F(Record, after_prebuild_an_application_compiles_nothing) {
  use_fresh_store("first");
  ASSERT_EQ(app({"40", "2", "1"}).exit_code, 0);
  set("KILN_EXPLAIN", "1");
  use_fresh_store("control");
  EXPECT_TRUE(compiled(program(KILN_RECORDED_APP, {"40", "1", "1"})));
  use_fresh_store("second");
  EXPECT_GT(compiled_by_prebuild({"--pack", "calls.kiln"}), 0u);
  EXPECT_EQ(compiled_by_prebuild({}), 0u);
  const auto run = program(KILN_RECORDED_APP, {"40", "1", "1"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.errors, HasSubstr("key "));
  EXPECT_FALSE(compiled(run)) << run.errors;

  use_fresh_store("third");
  ASSERT_EQ(kiln({"store", "import", "calls.kiln"}).exit_code, 0);
  const auto imported = program(KILN_RECORDED_APP, {"40", "1", "1"});
  EXPECT_THAT(imported.errors, HasSubstr("key "));
  EXPECT_FALSE(compiled(imported)) << imported.errors;
}

TEST_F(Record, after_prebuild_a_spec_compiles_nothing_split_or_whole) {
  copy_spec();
  const std::string devices = has_two_cores() ? "cpu/2" : "cpu";
  use_fresh_store("first");
  const std::vector<std::string> run{
      "run", "copy_float.json", "--devices", devices, "--partition", "5", "--set", "dataset=4096"};
  std::vector<std::string> recorded{"record", "--", KILN_COMMAND};
  recorded.insert(recorded.end(), run.begin(), run.end());
  ASSERT_EQ(kiln(recorded).exit_code, 0);
  use_fresh_store("second");
  EXPECT_GT(compiled_by_prebuild({}), 0u);
  auto explained = run;
  explained.push_back("--explain");
  const auto again = kiln(explained);
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.output + again.errors, HasSubstr("local store"));
  EXPECT_THAT(again.output + again.errors, Not(HasSubstr("compile  ")));
  EXPECT_THAT(again.output + again.errors, Not(HasSubstr("variant  ")));
}

}  // namespace
}  // namespace kiln::testing
