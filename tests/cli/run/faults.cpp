// A device that disappears at any of its calls: every run ends with one clear line, the right exit
// code and no half-written file. The fault is put in between the loader and PoCL by an OpenCL
// layer (tests/faults/layer.cpp).
#include "cli/run_process.hpp"
#include "test_paths.hpp"

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Faults : public kiln::testing::RunTest, public ::testing::WithParamInterface<const char*> {
 protected:
  Faults() { copy_spec(); }

  /// Lines but for warnings: what is tried again says so.
  static int errors_in(const std::string& text) {
    std::istringstream stream(text);
    int count = 0;
    for (std::string line; std::getline(stream, line);)
      count += !line.starts_with("kiln: warning:");
    return count;
  }

  kiln::ProcessResult run_with_fault(const std::string& fault, std::vector<std::string> more = {}) {
    set("OPENCL_LAYERS", KILN_FAULT_LAYER);
    set("KILN_TEST_FAULT", fault);
    std::vector<std::string> words{"run", "copy_float.json", "-q", "--out", "1=out.npy"};
    words.insert(words.end(), more.begin(), more.end());
    return kiln(words);
  }
};

TEST_F(Faults, the_layer_is_there_and_changes_nothing_by_itself) {
  const auto result = run_with_fault("");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(fs::exists(folder() / "out.npy"));
}

/// The n-th call fails, for every n that a run reaches. A run that survives must be right.
TEST_P(Faults, a_device_that_goes_at_this_call_is_one_clear_error) {
  const std::vector<std::vector<std::string>> ways{{"--devices", "cpu"},
                                                   {"--devices", "cpu/2", "--partition", "5"}};
  kiln({"run", "copy_float.json", "-q", "--out", "1=expected.npy"});
  const auto expected = value_or_throw(kiln::read_file(folder() / "expected.npy"));
  int failures = 0;
  for (const auto& way : ways) {
    if (way.size() > 2 && !has_two_cores()) continue;
    for (int call = 1; call <= 12; ++call) {
      SCOPED_TRACE(::testing::Message() << GetParam() << ":" << call << " " << way[1]);
      const auto result = run_with_fault(std::string(GetParam()) + ":" + std::to_string(call), way);
      ASSERT_EQ(result.signal, 0);
      const bool written = fs::exists(folder() / "out.npy");
      if (result.exit_code == 0) {
        ASSERT_TRUE(written);
        EXPECT_EQ(value_or_throw(kiln::read_file(folder() / "out.npy")), expected);
        fs::remove(folder() / "out.npy");
        continue;
      }
      ++failures;
      EXPECT_EQ(result.exit_code, 1) << result.errors;
      EXPECT_FALSE(written) << "a file of a run that failed";
      EXPECT_THAT(result.errors, HasSubstr("CL_DEVICE_NOT_AVAILABLE")) << result.errors;
      // Contexts and queues belong to no spec.
      if (!std::string_view(GetParam()).starts_with("clCreateCo")) {
        EXPECT_THAT(result.errors, HasSubstr("copy_float.json")) << "which spec?";
      }
      EXPECT_EQ(errors_in(result.errors), 1) << result.errors;
    }
  }
  EXPECT_GT(failures, 0) << "no run ever made this call";
}

INSTANTIATE_TEST_SUITE_P(Calls, Faults,
                         ::testing::Values("clCreateContext", "clCreateCommandQueue",
                                           "clBuildProgram", "clCreateKernel", "clCreateBuffer",
                                           "clSetKernelArg", "clEnqueueNDRangeKernel", "clFinish"),
                         [](const auto& call) { return std::string(call.param); });

TEST_F(Faults, specs_behind_a_device_that_goes_are_not_run_and_told_in_one_line) {
  set("OPENCL_LAYERS", KILN_FAULT_LAYER);
  set("KILN_TEST_FAULT", "clFinish:1");
  for (const char* command : {"run", "verify"}) {
    std::vector<std::string> words{command,           "--devices",       "cpu",
                                   "copy_float.json", "copy_float.json", "copy_float.json"};
    const auto told = kiln(words);
    EXPECT_EQ(told.exit_code, 1);
    EXPECT_THAT(told.errors, HasSubstr("copy_float.json: clFinish failed"));
    EXPECT_THAT(told.errors, HasSubstr("takes no more work of this process\n"));
    EXPECT_THAT(told.errors, HasSubstr("\nkiln: 2 more runs were left out, since "));
    words.insert(words.begin() + 1, "--json");
    const auto lines = kiln::testing::json_lines(kiln(words).output);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_THAT(lines[1]["error"].get<std::string>(), HasSubstr("2 more runs"));
  }
}

TEST_F(Faults, a_device_that_goes_takes_no_other_spec_with_it_when_isolated) {
  spec("other",
       "kernel void other(global const float* a, global float* b) {"
       " b[get_global_id(0)] = a[get_global_id(0)]; }");
  set("OPENCL_LAYERS", KILN_FAULT_LAYER);
  set("KILN_TEST_FAULT", "clFinish:1");
  const auto result = kiln({"run", "--isolate", "--json", "copy_float.json", "other.json"});
  EXPECT_EQ(result.exit_code, 1);
  const auto lines = kiln::testing::json_lines(result.output);
  ASSERT_EQ(lines.size(), 2u) << result.output;
  for (const auto& line : lines) {
    EXPECT_EQ(line.at("status"), "failed");
    EXPECT_THAT(line.at("message").get<std::string>(), HasSubstr("CL_DEVICE_NOT_AVAILABLE"));
  }
}

}  // namespace
