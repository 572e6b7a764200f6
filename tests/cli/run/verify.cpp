#include "cli/run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::HasSubstr;

class Verify : public kiln::testing::RunTest {
 protected:
  Verify() {
    copy_spec();
    spec("groups",
         "kernel void groups(global const float *a, global float *b) {\n"
         "  b[get_global_id(0)] = get_group_id(0);\n}\n");
  }
  void SetUp() override {
    if (!has_two_cores()) GTEST_SKIP() << "one core";
  }
};

TEST_F(Verify, splits_of_one_outcome_stand_in_one_line) {
  const auto result = kiln({"verify", "copy_float.json", "groups.json", "--devices", "cpu/2"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(
      result.output,
      ::testing::MatchesRegex(
          "equal    copy_float.json  \\[0 1 2 3 4 5 6 7 8 9 10\\]\n"
          "equal    groups.json  \\[0 10\\]\n"
          "refused  groups.json  \\[1 2 3 4 5 6 7 8 9\\]  line 2: calls get_group_id[^\n]*\n"
          "13 equal, 9 refused, 0 wrong on .*\\([0-9]+ units?\\) \\+ .*\n"));
}

TEST_F(Verify, json_has_one_object_a_spec_and_split) {
  const auto result = kiln({"verify", "--json", "copy_float.json", "groups.json", "--devices",
                            "cpu/2", "--splits", "0,3,1:3,auto,dynamic", "--datasets", "64,256"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const auto lines = json_lines(result.output);
  ASSERT_EQ(lines.size(), 20u);
  const std::vector<std::string> splits{"0", "3", "1:3", "auto", "dynamic"};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["spec"], i < 10 ? "copy_float.json" : "groups.json");
    EXPECT_EQ(lines[i]["split"], splits[i % 5]);
    EXPECT_EQ(lines[i]["dataset"], i % 10 < 5 ? 64 : 256);
    EXPECT_THAT(lines[i]["devices"].get<std::string>(), HasSubstr(" + "));
    if (i < 10) {
      EXPECT_EQ(lines[i]["outcome"], "equal") << lines[i];
    }
    EXPECT_EQ(lines[i]["reason"] == "", lines[i]["outcome"] == "equal") << lines[i];
  }
  EXPECT_EQ(lines[11]["outcome"], "equal") << "64 elements are one work-group";
  EXPECT_EQ(lines[16]["outcome"], "refused");
}

TEST_F(Verify, a_kernel_whose_result_changes_by_itself_is_wrong) {
  // Each run counts on in memory that a kernel is not given: no analysis of the text can see what
  // the address holds, and the one-device run differs from every later one.
  spec("clock",
       "kernel void clock(global const float *a, global ulong *b) {\n"
       "  b[get_global_id(0)] = (ulong)__builtin_readcyclecounter();\n}\n",
       "ulong");
  write("clock.cl",
        "kernel void clock(global const ulong *a, global ulong *b) {\n"
        "  b[get_global_id(0)] = (ulong)__builtin_readcyclecounter();\n}\n");
  const auto result =
      kiln({"verify", "--json", "clock.json", "--devices", "cpu/2", "--splits", "10"});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  const auto line = nlohmann::json::parse(result.output);
  EXPECT_EQ(line["outcome"], "wrong");
  EXPECT_THAT(line["reason"].get<std::string>(),
              HasSubstr("two runs on one device differ already: argument 1: element 0: "));
  const auto text =
      kiln({"verify", "clock.json", "copy_float.json", "--devices", "cpu/2", "--splits", "10"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.output,
              ::testing::StartsWith("wrong    clock.json  [10]  two runs on one device "));
  EXPECT_THAT(text.output,
              HasSubstr("\nequal    copy_float.json  [10]\n1 equal, 0 refused, 1 wrong"));
}

TEST_F(Verify, one_processor_is_halved_unless_devices_are_named) {
  const auto plain = kiln({"verify", "copy_float.json", "--splits", "5"});
  EXPECT_EQ(plain.exit_code, 0) << plain.errors;
  EXPECT_EQ(plain.errors, "");
  EXPECT_THAT(plain.output, HasSubstr(" + ")) << "two devices, or the halves of one";
  const auto single = kiln({"verify", "copy_float.json", "--splits", "5", "--devices", "0"});
  EXPECT_EQ(single.exit_code, 0);
  EXPECT_THAT(single.errors, HasSubstr("warning: there is one device, so nothing is split"));
}

TEST_F(Verify, what_does_not_run_is_an_error_and_the_rest_goes_on) {
  const auto result =
      kiln({"verify", "absent.json", "copy_float.json", "--devices", "cpu/2", "--splits", "5"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "kiln: cannot open absent.json: No such file or directory\n");
  EXPECT_THAT(result.output,
              HasSubstr("equal    copy_float.json  [5]\n1 equal, 0 refused, 0 wrong"));
  EXPECT_THAT(result.output, ::testing::EndsWith("\n1 did not run\n"));
}

TEST_F(Verify, bad_lists_are_one_line) {
  for (const char* wrong : {"0", "-1", "a", "1,,2", "1,"})
    expect_refusal(kiln({"verify", "copy_float.json", "--datasets", wrong}), 2, "--datasets: ");
  for (const char* wrong : {"11", "a", "3,,4", "1:b"})
    expect_refusal(kiln({"verify", "copy_float.json", "--splits", wrong}), 2, "partition: found '");
}

}  // namespace
