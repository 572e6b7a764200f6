// Specification files whose kernel comes as SPIR-V.
#include "cli/run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RunSpirv : public kiln::testing::RunTest {
 protected:
  RunSpirv() {
    for (const char* name : {"scale_tiles.json", "scale_tiles.spv"})
      std::filesystem::copy_file(std::filesystem::path(KILN_SOURCE_DIR) / "examples/spirv" / name,
                                 folder() / name);
    set("KILN_STORE", fresh_store("store"));
  }
  bool is_taken() const {
    const auto device = json_lines(kiln({"devices", "--json", "--devices", "cpu"}).output).at(0);
    return device["il_versions"].get<std::string>().find("SPIR-V") != std::string::npos;
  }
  kiln::ProcessResult run(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"run", "--devices", "cpu", "scale_tiles.json"};
    words.insert(words.end(), more.begin(), more.end());
    return kiln(words);
  }
  std::string steps(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"--json", "--explain"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
    return kiln::testing::steps_of(result.output);
  }
};

TEST_F(RunSpirv, a_device_that_takes_none_is_named) {
  if (is_taken()) GTEST_SKIP() << "the device takes SPIR-V";
  expect_refusal(run(), 2, "takes no SPIR-V");
  expect_refusal(run(), 2, "scale_tiles.spv is SPIR-V 1.1");
}

TEST_F(RunSpirv, the_second_run_neither_converts_nor_compiles) {
  if (!is_taken()) GTEST_SKIP() << "the device takes no SPIR-V";
  EXPECT_EQ(steps(), "-memory -local store +compile +load ");
  set("PATH", "/nonexistent");
  set("KILN_COMPILE_HELPER", "/absent");
  EXPECT_EQ(steps(), "-memory +local store +load ");
}

TEST_F(RunSpirv, other_constants_are_another_program) {
  if (!is_taken()) GTEST_SKIP() << "the device takes no SPIR-V";
  EXPECT_EQ(steps({"--out", "1=a.npy"}), "-memory -local store +compile +load ");
  EXPECT_EQ(steps({"--set", "tile=16", "--out", "1=b.npy"}),
            "-memory -local store +compile +load ");
  EXPECT_EQ(steps({"--set", "tile=16"}), "-memory +local store +load ");
  EXPECT_EQ(kiln::testing::npy_data(folder() / "a.npy"),
            kiln::testing::npy_data(folder() / "b.npy"));
  const auto listed = json_lines(kiln({"store", "ls", "--kind", "artifact", "--json"}).output);
  ASSERT_EQ(listed.size(), 2u);
  const auto compared = kiln({"store", "explain", listed[0]["key"], listed[1]["key"]});
  EXPECT_THAT(compared.output, AllOf(HasSubstr("value: 8"), HasSubstr("value: 16")));
}

TEST_F(RunSpirv, is_verified_whole) {
  if (!is_taken()) GTEST_SKIP() << "the device takes no SPIR-V";
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  const auto result = kiln({"verify", "--devices", "cpu/2", "scale_tiles.json", "--set", "tile=1"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("refused"), HasSubstr("the program is SPIR-V")));
}

TEST_F(RunSpirv, check_holds_the_file_against_the_module) {
  const auto right = kiln({"check", "scale_tiles.json"});
  EXPECT_EQ(right.exit_code, 0) << right.errors;
  EXPECT_EQ(right.output, "scale_tiles.json: ok\n");
  std::string text = kiln::value_or_throw(kiln::read_text(folder() / "scale_tiles.json"));
  text.replace(text.find("\"0\": \"tile\""), 11, "\"0\": 0.5");
  write("wrong.json", text);
  const auto wrong = kiln({"check", "wrong.json"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("wrong.json:8: attribute 'specialization.0': found 0.5, "
                                      "expected an integer"));
}

TEST_F(RunSpirv, damaged_modules_are_one_line) {
  const std::string module = kiln::value_or_throw(kiln::read_text(folder() / "scale_tiles.spv"));
  write("scale_tiles.spv", module.substr(0, module.size() / 8 * 4));
  expect_refusal(run(), 2, "scale_tiles.spv: SPIR-V module: byte ");
  const auto checked = kiln({"check", "scale_tiles.json"});
  EXPECT_EQ(checked.exit_code, 2);
  EXPECT_THAT(checked.errors, HasSubstr("attribute 'src': scale_tiles.spv: SPIR-V module: byte "));
  for (const std::string& content : {std::string(), "\x01" + module.substr(1)}) {
    write("scale_tiles.spv", content);
    expect_refusal(run(), 2, "expected 0x07230203, with which a module begins");
    EXPECT_EQ(kiln({"check", "scale_tiles.json"}).exit_code, 2);
  }
}

TEST_F(RunSpirv, a_file_is_begun_for_no_source_whose_name_is_not_utf8) {
  write("a\xff.spv", kiln::value_or_throw(kiln::read_text(folder() / "scale_tiles.spv")));
  expect_refusal(kiln({"init", "a\xff.spv"}), 2, "found a file name that is not UTF-8");
}

TEST_F(RunSpirv, devices_say_what_they_take) {
  const auto result = kiln({"devices", "-v", "--devices", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("programs    OpenCL C"));
  const bool says_so = result.output.find("SPIR-V_1.") != std::string::npos;
  EXPECT_EQ(says_so, is_taken()) << result.output;
}

}  // namespace
