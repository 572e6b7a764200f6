#include "cli/run_process.hpp"
#include "test_paths.hpp"

namespace {

using kiln::testing::expect_refusal;
using ::testing::HasSubstr;

/// The original's split: right where each element depends on its own inputs only.
class Legacy : public kiln::testing::RunTest {
 protected:
  Legacy() {
    copy_spec();
    spec("spread",
         "kernel void spread(global const float *a, global float *b) {\n"
         "  b[get_global_id(0)] = a[get_global_id(0) / 2];\n}\n");
  }
  kiln::ProcessResult compare(const std::string& name, const std::string& partition,
                              const std::string& n) {
    const auto whole = kiln({"run", "-q", name, "--out", "1=whole.npy", "--set", "dataset=" + n});
    EXPECT_EQ(whole.exit_code, 0) << whole.errors;
    return kiln({"run", "-q", name, "--legacy", "--devices", "cpu/2", "--partition", partition,
                 "--expect", "1=whole.npy", "--set", "dataset=" + n});
  }
};

TEST_F(Legacy, an_element_wise_kernel_is_right_at_even_sizes) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  for (int p = 0; p <= 10; ++p)
    EXPECT_EQ(compare("copy_float.json", std::to_string(p), "256").exit_code, 0) << p;
}

TEST_F(Legacy, one_that_reads_elsewhere_is_wrong_where_the_second_part_begins) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  expect_refusal(compare("spread.json", "5", "256"), 1,
                 "argument 1 differs from whole.npy: element 128:");
  // Thirty percent of 256 are 60 elements there.
  expect_refusal(compare("spread.json", "3", "256"), 1, "element 60:");
  EXPECT_EQ(compare("spread.json", "10", "256").exit_code, 0);
}

TEST_F(Legacy, an_odd_size_loses_its_first_element_as_in_the_original) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  for (const char* p : {"0", "3", "7"})
    expect_refusal(compare("copy_float.json", p, "257"), 1, "argument 1 differs from whole.npy");
}

TEST_F(Legacy, the_published_vector_addition_is_right_at_5_of_10) {
  const std::filesystem::path spec = KILN_SHARED_DIR "/data/pyschedcl-specs/VectorAdd.json";
  const std::string kernels = KILN_SOURCE_DIR "/tests/published/kernel_src";
  if (!std::filesystem::exists(spec)) GTEST_SKIP() << spec << " is absent";
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run",   "-q",    spec.string(), "--source-dir",
                                   kernels, "--set", "dataset=256"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  };
  run({"--out", "2=whole.npy"});
  run({"--legacy", "--devices", "cpu/2", "--partition", "5", "--expect", "2=whole.npy"});
}

TEST_F(Legacy, what_it_cannot_do_is_one_line) {
  expect_refusal(kiln({"run", "copy_float.json", "--legacy", "--partition", "auto"}), 2,
                 "--legacy needs a partition class 0 to 10");
  expect_refusal(kiln({"run", "copy_float.json", "--legacy", "--partition", "5", "--devices", "0"}),
                 2, "needs 2 devices; 1 given");
  expect_refusal(kiln({"run", "copy_float.json", "--legacy", "--partition", "1", "--set",
                       "dataset=8", "--devices", "0"}),
                 1, "the original fails here");
}

TEST_F(Legacy, shows_who_did_how_much) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  const auto result = kiln({"run", "copy_float.json", "--legacy", "--devices", "cpu/2",
                            "--partition", "5", "--explain"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("device 0 "));
  EXPECT_THAT(result.output, HasSubstr(": 8 work-groups"));
  EXPECT_THAT(result.output, HasSubstr("local store"));
}

}  // namespace
