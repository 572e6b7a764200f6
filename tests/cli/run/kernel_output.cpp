// Kernels that print: results have a channel of their own.
#include "cli/run_process.hpp"

namespace {

using kiln::testing::bytes_of;
using kiln::testing::json_lines;
using ::testing::HasSubstr;
using ::testing::Not;

class KernelOutput : public kiln::testing::RunTest {
 protected:
  KernelOutput() {
    const std::string body = "b[get_global_id(0)] = a[get_global_id(0)]; }\n";
    const std::string head = "(global const float *a, global float *b) {\n";
    spec("prints",
         "kernel void prints" + head + "printf(\"at %d\\n\", (int)get_global_id(0)); " + body,
         "float", R"("localWorkSize": "[4]", )");
    spec("floods",
         "kernel void floods" + head +
             "for (int i = 0; i < 4000; ++i) printf(\"0123456789abcdef0123456789abcdef\\n\"); " +
             body,
         "float", R"("localWorkSize": "[4]", )");
    write("a.npy", kiln::testing::npy("<f4", "(8,)", bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8})));
  }
  static std::vector<std::string> run_of(const std::string& kernel,
                                         std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run", kernel + ".json", "--set", "dataset=8"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
};

TEST_F(KernelOutput, goes_to_standard_error_in_full) {
  const auto result = kiln(run_of("prints"));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("prints.json: 8 work-items"));
  EXPECT_THAT(result.output, Not(HasSubstr("at ")));
  EXPECT_EQ(count(result.errors, "at "), 8u) << result.errors;
  // The driver's threads may write into one another's lines.
  EXPECT_EQ(kiln(run_of("floods")).errors.size(), 32'000u * 33);
}

TEST_F(KernelOutput, is_a_field_of_json_with_a_bound) {
  const auto result = kiln(run_of("prints", {"--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const auto lines = json_lines(result.output);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["status"], "ok");
  EXPECT_EQ(count(lines[0]["kernel_output"], "at "), 8u) << lines[0];
  EXPECT_FALSE(lines[0].contains("kernel_output_bytes"));

  const auto flood = json_lines(kiln(run_of("floods", {"--json"})).output);
  ASSERT_EQ(flood.size(), 1u);
  EXPECT_EQ(flood[0]["kernel_output"].get<std::string>().size(), 65'536u);
  EXPECT_EQ(flood[0]["kernel_output_bytes"], 8 * 4000 * 33);
}

TEST_F(KernelOutput, of_each_spec_is_in_its_own_object) {
  const auto lines = json_lines(
      kiln({"run", "--json", "--set", "dataset=8", "prints.json", "absent.json", "floods.json"})
          .output);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(count(lines[0]["kernel_output"], "at "), 8u);
  EXPECT_FALSE(lines[1].contains("kernel_output"));
  EXPECT_THAT(lines[2]["kernel_output"].get<std::string>(), Not(HasSubstr("at ")));
}

TEST_F(KernelOutput, stays_out_of_data_on_standard_output) {
  for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    const auto result =
        kiln(run_of("prints", {"-q", "--in", "0=a.npy", "--out", std::string("1=") + name}));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.output, kiln::value_or_throw(kiln::read_text(folder() / "a.npy"))) << name;
  }
  // Into a file that stands behind standard output already; what is printed goes elsewhere.
  const auto mixed = bash(
      "echo before > all; $KILN run prints.json --set dataset=8 --in 0=a.npy --out 1=/dev/stdout"
      " >> all && cat all");
  ASSERT_EQ(mixed.exit_code, 0) << mixed.errors;
  EXPECT_TRUE(mixed.output.starts_with("before\n\x93NUMPY")) << mixed.output;
  EXPECT_THAT(mixed.output, Not(HasSubstr("prints.json")));
  EXPECT_THAT(mixed.errors, HasSubstr("prints.json: 8 work-items"));
}

TEST_F(KernelOutput, of_isolated_runs_is_no_failure) {
  const auto json = kiln(run_of("prints", {"--isolate", "--json"}));
  EXPECT_EQ(json.exit_code, 0) << json.output;
  const auto lines = json_lines(json.output);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["status"], "ok") << lines[0];
  EXPECT_EQ(count(lines[0]["kernel_output"], "at "), 8u);

  const auto people = kiln(run_of("floods", {"--isolate"}));
  EXPECT_EQ(people.exit_code, 0) << people.output;
  EXPECT_TRUE(people.output.starts_with("ok ")) << people.output;
  EXPECT_THAT(people.errors, HasSubstr("990464 more bytes that the kernel printed are not shown"));
}

TEST_F(KernelOutput, leaves_the_lines_of_verify_whole) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  const std::vector<std::string> words{"verify",    "prints.json", "--set",    "dataset=8",
                                       "--devices", "cpu/2",       "--splits", "0,5,10"};
  auto with_json = words;
  with_json.push_back("--json");
  const auto json = kiln(with_json);
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  EXPECT_EQ(json.errors, "");
  std::size_t printed = 0;
  for (const auto& line : json_lines(json.output)) {
    EXPECT_EQ(line["outcome"], "equal") << line;
    printed += count(line.value("kernel_output", ""), "at ");
  }
  EXPECT_GT(printed, 0u);
  EXPECT_EQ(printed % 8, 0u) << json.output;
  const auto people = kiln(words);
  EXPECT_THAT(people.output, Not(HasSubstr("at ")));
  EXPECT_GT(count(people.errors, "at "), 0u);
}

TEST_F(KernelOutput, does_not_break_the_line_of_progress) {
  // A terminal of its own, which shows what a person would see.
  if (find_program("script").empty()) GTEST_SKIP() << "script is absent";
  if (bash("script -qec true /dev/null < /dev/null").exit_code != 0)
    GTEST_SKIP() << "there are no pseudo-terminals";
  const auto result = bash(
      "TERM=xterm script -qec \"$KILN run prints.json prints.json --set dataset=8\" /dev/null"
      " < /dev/null");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(count(result.output, "at "), 16u) << result.output;
  for (auto at = result.output.find("at "); at != std::string::npos;
       at = result.output.find("at ", at + 1)) {
    const auto begin = result.output.find_last_of("\n\r", at);
    const std::string line = result.output.substr(begin + 1, at - begin - 1);
    EXPECT_TRUE(line.empty() || line == "\x1b[K") << result.output;
  }
}

TEST_F(KernelOutput, finds_no_file_where_the_streams_are_closed) {
  const auto result = bash(
      "$KILN run -q prints.json --set dataset=8 --in 0=a.npy --out 1=b.npy >&- 2>&- && cmp a.npy"
      " b.npy && ! grep -rl 'at 3' --include='*' --exclude='*.cl' .");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

}  // namespace
