#include "cli/run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using kiln::testing::npy_data;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Run : public kiln::testing::RunTest {
 protected:
  Run() { copy_spec(); }
};

TEST_F(Run, says_what_ran_where_and_the_first_values) {
  const auto result = kiln({"run", "copy_float.json", "--set", "dataset=4096"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(result.output, StartsWith("copy_float.json: 4096 work-items, "));
  EXPECT_THAT(result.output, HasSubstr("\n  device 0 "));
  EXPECT_THAT(result.output, HasSubstr(": 64 work-groups, kernel "));
  EXPECT_THAT(result.output, HasSubstr("\n  argument 1 float[4096]: "));
}

TEST_F(Run, quiet_prints_errors_only) {
  const auto result = kiln({"run", "-q", "copy_float.json", "absent.json"});
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors, "kiln: cannot open absent.json: No such file or directory\n");
  EXPECT_EQ(result.exit_code, 2);
}

TEST_F(Run, json_has_one_object_a_spec) {
  const auto result = kiln({"run", "--json", "copy_float.json", "absent.json", "copy_float.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "");
  const auto lines = json_lines(result.output);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["spec"], "copy_float.json");
  EXPECT_EQ(lines[0]["status"], "ok");
  EXPECT_GT(lines[0]["seconds"].get<double>(), 0);
  EXPECT_EQ(lines[0]["message"], "");
  EXPECT_EQ(lines[0]["split"], false);
  EXPECT_EQ(lines[0]["devices"].size(), 1u);
  EXPECT_EQ(lines[0]["devices"][0]["groups"], 16);
  EXPECT_EQ(lines[1]["status"], "failed");
  EXPECT_EQ(lines[1]["message"], "cannot open absent.json: No such file or directory");
  EXPECT_EQ(lines[1]["code"], "not_found");
  EXPECT_EQ(lines[2]["status"], "ok");
}

TEST_F(Run, explain_ends_no_line_with_blanks) {
  const auto result = kiln({"run", "--explain", "copy_float.json"});
  EXPECT_THAT(result.output, HasSubstr("\n    load "));
  EXPECT_THAT(result.output, Not(HasSubstr(" \n")));
}

TEST_F(Run, the_seed_decides_the_data) {
  const auto run = [&](const std::string& seed, const std::string& file) {
    EXPECT_EQ(kiln({"run", "-q", "copy_float.json", "--seed", seed, "--out", "1=" + file}).errors,
              "");
    return npy_data(folder() / file);
  };
  const auto zero = run("0", "a.npy");
  EXPECT_EQ(zero.size(), 4096u);
  EXPECT_EQ(run("0", "b.npy"), zero);
  EXPECT_NE(run("1", "c.npy"), zero);
  kiln({"run", "-q", "copy_float.json", "--out", "1=d.npy"});
  EXPECT_EQ(npy_data(folder() / "d.npy"), zero) << "the default seed is 0";
}

TEST_F(Run, runs_as_often_as_asked_from_the_same_data) {
  write("add.cl", "kernel void add(global int *a) { a[get_global_id(0)] += 1; }\n");
  write("add.json", R"({"name": "add", "src": "add.cl", "workDimension": 1, "partition": 10,
  "globalWorkSize": "[dataset]", "inputBuffers": [], "outputBuffers": [],
  "ioBuffers": [{"pos": 0, "type": "int", "size": "dataset", "break": 1}]})");
  const auto many = kiln({"run", "add.json", "--runs", "7", "--out", "0=many.npy"});
  EXPECT_THAT(many.output, HasSubstr("(median of 7)"));
  kiln({"run", "add.json", "--out", "0=one.npy"});
  EXPECT_EQ(npy_data(folder() / "many.npy"), npy_data(folder() / "one.npy"));
  expect_refusal(kiln({"run", "add.json", "--runs", "0"}), 2, "--runs: found '0'");
}

TEST_F(Run, local_size_replaces_that_of_the_spec) {
  EXPECT_THAT(kiln({"run", "copy_float.json", "--local-size", "16"}).output,
              HasSubstr("64 work-groups"));
  // A local size that does not divide the global one would leave work-items out.
  expect_refusal(kiln({"run", "copy_float.json", "--local-size", "7"}), 2,
                 "--local-size: found 7, expected a divisor of the global size 1024");
  expect_refusal(kiln({"run", "copy_float.json", "--local-size", "16,1"}), 2,
                 "found 2 dimensions, expected 1");
  for (const char* wrong : {"16,", ",", "0", "-1", "a", "1,1,1,1", "99999999999999999999"})
    expect_refusal(kiln({"run", "copy_float.json", "--local-size", wrong}), 2,
                   "--local-size: found '" + std::string(wrong) + "'");
  expect_refusal(
      kiln({"run", "copy_float.json", "--set", "dataset=1048576", "--local-size", "1048576"}), 2,
      "local size 1048576 in dimension 0 is above");
}

TEST_F(Run, work_groups_are_counted_in_all_dimensions) {
  write("plane.cl",
        "kernel void plane(global float *b) {\n"
        "  b[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 1;\n}\n");
  write("plane.json", R"({"name": "plane", "src": "plane.cl", "workDimension": 2,
    "globalWorkSize": "[64, 24]", "localWorkSize": "[16, 8]",
    "outputBuffers": [{"pos": 0, "type": "float", "size": "64 * 24", "break": 0}]})");
  const auto text = kiln({"run", "plane.json", "--devices", "0"});
  EXPECT_THAT(text.output, HasSubstr("64 x 24 work-items")) << text.errors;
  EXPECT_THAT(text.output, HasSubstr(": 12 work-groups, ")) << text.errors;
  const auto lines = json_lines(kiln({"run", "--json", "plane.json", "--devices", "0"}).output);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["devices"][0]["groups"], 12);
  EXPECT_THAT(kiln({"run", "plane.json", "--devices", "0", "--local-size", "64,24"}).output,
              HasSubstr(": 1 work-group, "));
}

TEST_F(Run, a_split_over_one_device_says_why_it_is_none) {
  for (const char* partition : {"5", "auto", "dynamic"}) {
    const auto result =
        kiln({"run", "copy_float.json", "--devices", "0", "--partition", partition});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("  not split: there is one device")) << partition;
  }
  EXPECT_THAT(kiln({"run", "copy_float.json", "--devices", "0", "--partition", "10"}).output,
              Not(HasSubstr("not split")));
}

TEST_F(Run, too_few_work_groups_for_a_split_are_the_reason) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  const auto output = [&](const std::string& dataset, const std::string& partition) {
    return kiln({"run", "copy_float.json", "--devices", "cpu/2", "--local-size", "64", "--set",
                 "dataset=" + dataset, "--partition", partition})
        .output;
  };
  for (const char* partition : {"5", "1:1", "auto", "dynamic"})
    EXPECT_THAT(output("64", partition), HasSubstr("not split: there is one work-group along"));
  EXPECT_THAT(output("128", "1:1000"), HasSubstr("not split: all 2 work-groups along dimension 0"));
  EXPECT_THAT(output("64", "0:1"), Not(HasSubstr("not split")));
  EXPECT_THAT(output("128", "1:1"), Not(HasSubstr("not split")));
}

TEST_F(Run, every_partition_gives_the_same_result) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  EXPECT_EQ(kiln({"run", "-q", "copy_float.json", "--out", "1=whole.npy"}).exit_code, 0);
  for (const char* partition : {"0", "5", "10", "1:3", "auto", "dynamic"}) {
    const auto result = kiln({"run", "--json", "copy_float.json", "--devices", "cpu/2",
                              "--partition", partition, "--expect", "1=whole.npy", "--rtol", "0"});
    EXPECT_EQ(result.exit_code, 0) << partition << result.errors << result.output;
  }
  expect_refusal(kiln({"run", "copy_float.json", "--devices", "cpu/2", "--partition", "1:1:1"}), 2,
                 "found 3 weights (1:1:1), expected 2, one for each device");
  expect_refusal(kiln({"run", "copy_float.json", "--partition", "11"}), 2,
                 "partition: found '11', expected 0 to 10");
}

TEST_F(Run, several_hundred_specs_in_one_process) {
  std::vector<std::string> words{"run", "--json"};
  words.insert(words.end(), 400, "copy_float.json");
  const auto result = kiln(words);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(json_lines(result.output).size(), 400u);
}

TEST_F(Run, a_full_disk_fails_and_leaves_nothing) {
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--out", "1=/dev/full"},
                                                 {"--trace", "/dev/full"},
                                                 {"--gantt", "/dev/full"}}) {
    std::vector<std::string> words{"run", "-q", "copy_float.json"};
    words.insert(words.end(), option.begin(), option.end());
    expect_refusal(kiln(words), 1, "cannot write /dev/full: No space left on device");
    ASSERT_TRUE(std::filesystem::is_character_file("/dev/full"))
        << "a file took the device's place";
  }
}

TEST_F(Run, a_result_that_cannot_be_written_keeps_the_old_file) {
  write("old/c.npy", "old");
  const auto result = bash(
      "ulimit -f 1000; trap '' XFSZ; $KILN run -q copy_float.json "
      "--set dataset=1048576 --out 1=old/c.npy");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("cannot write"));
  EXPECT_EQ(kiln::value_or_throw(kiln::read_text(folder() / "old/c.npy")), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder() / "old"), {}), 1);
  expect_refusal(kiln({"run", "-q", "copy_float.json", "--out", "1=absent/c.npy"}), 2,
                 "cannot write absent/c.npy: there is no folder absent");
}

TEST_F(Run, one_result_file_cannot_be_of_two_specs) {
  expect_refusal(kiln({"run", "copy_float.json", "copy_float.json", "--out", "1=c.npy"}), 2,
                 "--out: found 2 specs, expected one");
}

TEST_F(Run, standard_output_can_take_a_result) {
  const auto result = kiln({"run", "-q", "copy_float.json", "--out", "1=/dev/stdout"});
  EXPECT_THAT(result.output, StartsWith("\x93NUMPY"));
  EXPECT_EQ(result.errors, "");
}

TEST_F(Run, macros_of_several_words_reach_the_kernel) {
  spec("words",
       "kernel void words(global const float *a, global float *b) { TYPE n = AREA;"
       " b[get_global_id(0)] = a[get_global_id(0)] + n; }\n",
       "float",
       R"("symbolicVariables": {"TS": 16},
          "macros_values": {"TYPE": "unsigned int", "AREA": "TS * TS"}, )");
  write("in.npy", kiln::testing::npy("<f4", "(2,)", kiln::testing::bytes_of<float>({1, 2})));
  write("right.npy", kiln::testing::npy("<f4", "(2,)", kiln::testing::bytes_of<float>({257, 258})));
  const auto result = kiln(
      {"run", "words.json", "--set", "dataset=2", "--in", "0=in.npy", "--expect", "1=right.npy"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

}  // namespace
