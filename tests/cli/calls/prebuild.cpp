// `kiln prebuild` on records that are wrong, or of elsewhere.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/run_process.hpp"
#include "kernel/calls/recorded_call.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

class Prebuild : public RunTest {
 protected:
  static RecordedCall product() {
    RecordedCall call;
    call.kind = "blas", call.name = "sgemm";
    call.facts = {{"routine", std::string("gemm")}, {"precision", std::string("s")},
                  {"m", std::int64_t{8}},           {"n", std::int64_t{8}},
                  {"k", std::int64_t{8}},           {"stride_a", std::int64_t{8}},
                  {"stride_b", std::int64_t{8}},    {"stride_c", std::int64_t{8}}};
    call.devices = {RecordedDevice::of(*value_or_throw(select_devices("cpu")).front())};
    call.flops = 1024, call.count = 3;
    return call;
  }
  ProcessResult prebuild(const RecordedCall& call, std::vector<std::string> more = {}) {
    write("calls.jsonl", recorded_line(identity_line(call), call));
    more.insert(more.begin(), {"prebuild", "--from", "calls.jsonl"});
    return kiln(std::move(more));
  }
  /// One line of error that says this; the table is printed all the same.
  void expect_failure(const RecordedCall& call, const std::string& part) {
    const auto result = prebuild(call, {"--json"});
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(part));
    const auto lines = json_lines(result.output);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].at("status"), "failed");
  }
  template <class T>
  static RecordedCall with(const std::string& name, const T& value) {
    RecordedCall call = product();
    for (auto& fact : call.facts)
      if (fact.name == name) {
        fact.value = value;
        return call;
      }
    call.facts.push_back({name, value});
    return call;
  }
};

TEST_F(Prebuild, shows_a_record_without_a_device) {
  RecordedCall call = product();
  call.devices[0] = {"a device of elsewhere", "0123456789abcdef", 3};
  const auto shown = prebuild(call, {"--dry-run", "--json"});
  ASSERT_EQ(shown.exit_code, 0) << shown.errors;
  const auto line = json_lines(shown.output).at(0);
  EXPECT_EQ(line.at("name"), "sgemm");
  EXPECT_EQ(line.at("calls"), 3);
  EXPECT_EQ(line.at("share"), 1);
  EXPECT_EQ(line.at("device"), "a device of elsewhere");
  EXPECT_EQ(line.at("facts").at("n"), 8);
  const auto table = prebuild(call, {"--dry-run"});
  EXPECT_THAT(table.output, HasSubstr("100.0 %"));
}

TEST_F(Prebuild, needs_a_record_and_a_store) {
  expect_refusal(kiln({"prebuild"}), 2, "--from");
  expect_refusal(kiln({"prebuild", "--from", "none.jsonl"}), 2, "none.jsonl");
  write("bad.jsonl", "{\"cache\": {}}\n");
  expect_refusal(kiln({"prebuild", "--from", "bad.jsonl"}), 2, "bad.jsonl:1: missing 'kiln_calls'");
  set("KILN_STORE", "off");
  expect_refusal(prebuild(product()), 2, "--store");
}

TEST_F(Prebuild, names_a_device_that_is_not_here) {
  RecordedCall call = product();
  call.devices[0].fingerprint = "0123456789abcdef";
  expect_failure(call, "there is no device");
  call = product();
  call.devices[0].units += 1;
  expect_failure(call, "there is no device");
  call.devices.clear();
  expect_failure(call, "'devices'");
}

TEST_F(Prebuild, names_the_fields_of_calls_that_no_program_can_have_made) {
  expect_failure(with("routine", std::string("gem")), "'routine': found 'gem'");
  expect_failure(with("precision", std::string("q")), "'precision': found 'q'");
  expect_failure(with("trans_a", std::int64_t{1}), "'trans_a'");
  expect_failure(with("n", std::int64_t{-1}), "'n'");
  expect_failure(with("m", std::int64_t{1} << 41), "'m'");
  expect_failure(with("n", std::int64_t{1} << 40), "sgemm");
  expect_failure(with("stride_a", std::int64_t{1}), "sgemm: ");
  RecordedCall other = product();
  other.kind = "mail";
  expect_failure(other, "'kind': found 'mail'");
}

TEST_F(Prebuild, names_the_fields_of_runs_that_no_program_can_have_made) {
  RecordedCall call = product();
  call.kind = "spec";
  call.facts = {};
  expect_failure(call, "'file'");
  call.facts = {{"file", (folder() / "gone.json").string()}};
  expect_failure(call, "gone.json");
  copy_spec();
  call.facts = {{"file", (folder() / "copy_float.json").string()},
                {"local_size", std::string("0")}};
  expect_failure(call, "'local_size'");
  call.facts[1] = {"set unknown_name", std::string("1")};
  expect_failure(call, "unknown_name");
  call.facts[1] = {"partition", std::string("11")};
  expect_failure(call, "'partition'");
  call.kind = "kernel";
  call.facts = {{"file", (folder() / "copy_float.cl").string()},
                {"kernel", std::string("copy_float")},
                {"global", std::string("64")},
                {"local", std::string("48")}};
  expect_failure(call, "'local'");
  call.facts[3] = {"local", std::string("32")};
  call.facts[1] = {"kernel", std::string("another")};
  expect_failure(call, "another");
}

TEST_F(Prebuild, one_call_that_fails_does_not_stop_the_others) {
  RecordedCall bad = with("routine", std::string("gem")), good = product();
  write("calls.jsonl",
        recorded_line(identity_line(bad), bad) + recorded_line(identity_line(good), good));
  const auto built = kiln({"prebuild", "--from", "calls.jsonl", "--json"});
  EXPECT_EQ(built.exit_code, 2);
  std::map<std::string, int> statuses;
  for (const auto& line : json_lines(built.output)) ++statuses[line.at("status")];
  EXPECT_EQ(statuses["ok"], 1) << built.errors;
  EXPECT_EQ(statuses["failed"], 1);
}

}  // namespace
}  // namespace kiln::testing
