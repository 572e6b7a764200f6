#include "cli/run_process.hpp"

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunStore : public kiln::testing::RunTest {
 protected:
  RunStore() {
    copy_spec();
    set("KILN_STORE", fresh_store("store"));
  }
  /// The layers of a run's first program, and whether each answered.
  std::string steps(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", "--json", "--explain", "copy_float.json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
    return kiln::testing::steps_of(result.output);
  }
};

TEST_F(RunStore, the_second_run_starts_no_compiler) {
  EXPECT_EQ(steps(), "-memory -local store +compile +load ");
  EXPECT_EQ(steps(), "-memory +local store +load ");
  set("KILN_COMPILE_HELPER", "/absent");
  EXPECT_EQ(steps(), "-memory +local store +load ");
}

TEST_F(RunStore, an_isolated_run_and_a_plain_one_find_each_others_programs) {
  EXPECT_EQ(kiln({"run", "--isolate", "copy_float.json"}).exit_code, 0);
  EXPECT_EQ(steps(), "-memory +local store +load ");
}

TEST_F(RunStore, another_local_size_is_added_to_the_same_entry) {
  steps();
  EXPECT_EQ(steps({"--local-size", "32"}), "-memory +local store +variant +load ");
  EXPECT_EQ(steps({"--local-size", "32"}), "-memory +local store +load ");
  EXPECT_EQ(steps(), "-memory +local store +load ");
}

TEST_F(RunStore, macros_includes_and_source_make_another_program) {
  write("n.h", "#define N 1\n");
  spec("copy_float",
       "#include \"n.h\"\nkernel void copy_float(global const float *a, global float "
       "*b) { b[get_global_id(0)] = a[get_global_id(0)] * N; }\n");
  EXPECT_EQ(steps(), "-memory -local store +compile +load ");
  EXPECT_EQ(steps(), "-memory +local store +load ");
  write("n.h", "#define N 2\n");
  EXPECT_EQ(steps(), "-memory -local store +compile +load ");
}

TEST_F(RunStore, off_keeps_nothing_and_the_option_beats_the_environment) {
  set("KILN_STORE", (folder() / "none").string());
  EXPECT_THAT(steps({"--store", "off"}), Not(HasSubstr("local store")));
  EXPECT_FALSE(std::filesystem::exists(folder() / "none"));
  EXPECT_EQ(steps({"--store", "other"}), "-memory -local store +compile +load ");
  EXPECT_TRUE(std::filesystem::exists(folder() / "other"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "none"));
  set("KILN_STORE", "off");
  EXPECT_THAT(steps(), Not(HasSubstr("local store")));
}

TEST_F(RunStore, one_that_cannot_be_used_costs_a_compile_and_one_log_line) {
  write("file", "no folder");
  spec("second", "kernel void second(global const float *a, global float *b) {}\n");
  for (const auto& place : {std::string("/proc/none"), (folder() / "file").string()}) {
    set("KILN_STORE", place);
    const auto result = kiln({"run", "-q", "copy_float.json", "second.json"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.errors,
                ::testing::StartsWith("kiln: warning: the store in " + place + " is unusable: "));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
}

TEST_F(RunStore, a_damaged_entry_is_not_used) {
  steps();
  std::size_t damaged = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder() / "store")) {
    if (!entry.is_regular_file() || entry.file_size() < 20'000) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
    file.write("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    ++damaged;
  }
  ASSERT_GT(damaged, 0u);
  EXPECT_THAT(steps(), ::testing::StartsWith("-memory -local store "));
}

}  // namespace
