// Records that come with Kiln: `kiln tuned export --format shipped`, `kiln tuned ls --shipped`, and
// what `kiln blas explain` says of them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_process.hpp"
#include "device/device.hpp"
#include "kernel/request/shipped_file.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
using testing::expect_refusal;
using testing::json_lines;

/// With a record of products in the store, of the processor that is here.
class ShippedCommand : public testing::RunTest {
 protected:
  ShippedCommand() {
    set("KILN_STORE", (folder() / "store").string());
    set("KILN_TRUSTED_KEYS", "off");
  }
  const DevicePtr& device() const { return device_; }

  /// `gain`: how many times as fast as the built-in parameters.
  void record(const std::string& problem_class, double gain) const {
    LocalStore store((folder() / "store").string());
    const Measurement one{{{"columns", 10}, {"depth", 320}, {"rows", 32}},
                          500,
                          3,
                          Measurement::Of::kiln,
                          "kiln tune",
                          {},
                          3 * gain};
    ASSERT_TRUE(
        add_to_record(store, {"blas.gemm", 5, problem_class, device()->speed_identity()}, {one}));
  }
  ProcessResult ok(std::vector<std::string> words) const {
    auto result = kiln(std::move(words));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }
  /// What an export says it has written.
  std::string shipped(const std::string& file, std::vector<std::string> more = {}) const {
    more.insert(more.begin(),
                {"tuned", "export", "--format", "shipped", "--device", "cpu", "-o", file});
    return ok(std::move(more)).output;
  }
  /// The step of a product of 500, of which this process's store knows nothing.
  Json explained() const {
    return json_lines(ok({"blas", "explain", "sgemm", "-n", "500", "--device", "cpu", "--store",
                          "off", "--json"})
                          .output)
        .at(0)["steps"]
        .back();
  }

 private:
  DevicePtr device_ = value_or_throw(select_devices("cpu")).front();
};

TEST_F(ShippedCommand, an_export_has_the_records_of_one_device) {
  record("gemm float COLUMN_MAJOR", 1.25);
  record("gemm double COLUMN_MAJOR", 1.01);
  EXPECT_EQ(shipped("a.jsonl", {"--note", "on a quiet machine"}),
            "2 records of " + text_of(DeviceFacts::of(*device())) +
                ", 1 of them faster than the built-in parameters by 2 % or more\n");
  const auto file =
      value_or_throw(read_shipped_file(value_or_throw(read_text(folder() / "a.jsonl")), "a.jsonl"));
  EXPECT_EQ(file.device, DeviceFacts::of(*device()));
  EXPECT_EQ(file.made, "on a quiet machine");
  ASSERT_EQ(file.records.size(), 2u);
  EXPECT_EQ(file.records[1].problem_class, "gemm float COLUMN_MAJOR");
  EXPECT_THAT(file.records[1].record.history.at(0).from, HasSubstr("kiln tune, 20"));
  EXPECT_EQ(shipped("b.jsonl", {"--family", "none"}).substr(0, 9), "0 records");
}

TEST_F(ShippedCommand, ls_shows_a_file_with_gains_and_where_they_are_from) {
  record("gemm float COLUMN_MAJOR", 1.25);
  shipped("a.jsonl", {"--note", "on a quiet machine"});
  const auto text = ok({"tuned", "ls", "--shipped", "a.jsonl"}).output;
  for (const auto* part : {"gemm float COLUMN_MAJOR", "500", "columns 10, depth 320, rows 32",
                           "1.250 x", "kiln tune, 20"})
    EXPECT_THAT(text, HasSubstr(part));
  const auto lines = json_lines(ok({"tuned", "ls", "--shipped", "a.jsonl", "--json"}).output);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["made"], "on a quiet machine");
  EXPECT_EQ(lines[0]["units"], device()->compute_units);
  EXPECT_EQ(lines[0]["measured"][0]["parameters"]["columns"], 10);
  EXPECT_EQ(
      json_lines(ok({"tuned", "ls", "--shipped", "a.jsonl", "--json", "--family", "none"}).output)
          .size(),
      0u);
}

TEST_F(ShippedCommand, ls_shows_those_of_the_folder_that_is_named_or_installed) {
  record("gemm float COLUMN_MAJOR", 1.25);
  std::filesystem::create_directory(folder() / "tuned");
  shipped("tuned/a.jsonl");
  set("KILN_TUNED", (folder() / "tuned").string());
  EXPECT_EQ(json_lines(ok({"tuned", "ls", "--shipped", "--json"}).output).size(), 1u);
  set("KILN_TUNED", "off");
  EXPECT_EQ(ok({"tuned", "ls", "--shipped", "--json"}).output, "");
  set("KILN_TUNED", "");
  EXPECT_THAT(ok({"tuned", "ls", "--shipped"}).output, HasSubstr("NVIDIA H200"))
      << "what is in share/tuned of the sources";
}

TEST_F(ShippedCommand, what_is_no_folder_is_refused_and_told_of_by_calls) {
  set("KILN_TUNED", (folder() / "typo").string());
  const std::string line =
      "KILN_TUNED: found '" + (folder() / "typo").string() + "', expected a folder, or off";
  expect_refusal(kiln({"tuned", "ls", "--shipped"}), 2, line);
  const auto result = ok({"blas", "explain", "sgemm", "-n", "500", "--device", "cpu"});
  EXPECT_THAT(result.errors, HasSubstr("shipped records are not used: " + line));
}

TEST_F(ShippedCommand, options_that_would_say_nothing_are_refused) {
  expect_refusal(kiln({"tuned", "export", "--note", "quiet"}), 2,
                 "tuned export: found --note with --format json, expected shipped");
  expect_refusal(kiln({"tuned", "ls", "--shipped", "--searches"}), 2,
                 "tuned ls: found --shipped and --searches, expected one of them");
  record("gemm float COLUMN_MAJOR", 1.25);
  const auto result = kiln({"tuned", "export", "--format", "shipped", "--device", "cpu", "-o",
                            "a.jsonl", "--note", std::string(5000, 'n')});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("made"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "a.jsonl"));
}

TEST_F(ShippedCommand, explain_says_of_which_device_the_parameters_are) {
  EXPECT_EQ(explained()["parameters_from"], "default");
  record("gemm float COLUMN_MAJOR", 1.25);
  std::filesystem::create_directory(folder() / "tuned");
  shipped("tuned/a.jsonl");
  set("KILN_TUNED", (folder() / "tuned").string());
  auto step = explained();
  EXPECT_EQ(step["parameters_from"], "shipped record");
  EXPECT_EQ(step["parameters"]["columns"], 10);
  EXPECT_EQ(step["parameters_record"],
            "for " + text_of(DeviceFacts::of(*device())) +
                ", with kernels of another version, size 500, 1.25 x the built-in there");
  // The same of a device that is not here.
  auto text = value_or_throw(read_text(folder() / "tuned/a.jsonl"));
  const auto model = DeviceFacts::of(*device()).model;
  write("tuned/a.jsonl", text.replace(text.find(model), model.size(), "Some Processor"));
  EXPECT_THAT(explained()["parameters_record"].get<std::string>(),
              HasSubstr("for Some Processor, " + std::to_string(device()->compute_units)));
  EXPECT_THAT(explained()["parameters_record"].get<std::string>(),
              HasSubstr(", the nearest to this device, "));
  EXPECT_THAT(
      ok({"blas", "explain", "sgemm", "-n", "500", "--device", "cpu", "--store", "off"}).output,
      HasSubstr("shipped record"));
  set("KILN_TUNED", "off");
  EXPECT_EQ(explained()["parameters_from"], "default");
}

TEST_F(ShippedCommand, a_record_of_the_users_own_goes_first) {
  record("gemm float COLUMN_MAJOR", 1.25);
  std::filesystem::create_directory(folder() / "tuned");
  shipped("tuned/a.jsonl");
  set("KILN_TUNED", (folder() / "tuned").string());
  ok({"tune", "sgemm", "-n", "500", "--device", "cpu", "--evaluations", "2", "--journal", "j",
      "--from-scratch"});
  const auto step =
      json_lines(ok({"blas", "explain", "sgemm", "-n", "500", "--device", "cpu", "--json"}).output)
          .at(0)["steps"]
          .back();
  EXPECT_THAT(step["parameters_from"].get<std::string>(), Not(HasSubstr("shipped")));
}

TEST_F(ShippedCommand, a_bad_file_is_one_line_and_ignored_where_it_is_not_named) {
  record("gemm float COLUMN_MAJOR", 1.25);
  std::filesystem::create_directory(folder() / "tuned");
  shipped("tuned/b.jsonl");
  write("tuned/a.jsonl", "{\"kiln shipped records\":9}\n");
  set("KILN_TUNED", (folder() / "tuned").string());
  expect_refusal(kiln({"tuned", "ls", "--shipped", "tuned/a.jsonl"}), 2,
                 "tuned/a.jsonl: line 1: kiln shipped records: found '9', expected version 1");
  expect_refusal(kiln({"tuned", "ls", "--shipped", "none.jsonl"}), 2, "none.jsonl");
  const auto all = kiln({"tuned", "ls", "--shipped", "--json"});
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_EQ(json_lines(all.output).size(), 1u);
  EXPECT_THAT(all.errors, HasSubstr("a.jsonl: line 1"));
  EXPECT_EQ(explained()["parameters_from"], "shipped record");
}

TEST_F(ShippedCommand, mistakes_are_one_line) {
  expect_refusal(kiln({"tuned", "ls", "a.jsonl"}), 2, "without --shipped");
  expect_refusal(kiln({"tuned", "export", "--format", "shipped", "a.jsonl"}), 2,
                 "shipped writes the records of the store");
  expect_refusal(kiln({"tuned", "export", "--format", "shipped", "--device", "~none"}), 2, "none");
}

}  // namespace
}  // namespace kiln
