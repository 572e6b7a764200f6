#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_process.hpp"
#include "test_paths.hpp"

namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class Check : public kiln::testing::CommandTest {
 protected:
  Check() {
    write("VectorAdd.cl", "kernel void VectorAdd(global float *a, global float *b) {}\n");
    write("good.json", R"({
  "name": "VectorAdd", "src": "VectorAdd.cl", "partition": 10, "workDimension": 1,
  "globalWorkSize": "[dataset]",
  "inputBuffers": [{"type": "float", "size": "dataset", "pos": 0, "break": 1}],
  "outputBuffers": [{"type": "float", "size": "dataset", "pos": 1, "break": 1}]
})");
    write("bad.json", R"({
  "name": "VectorAdd", "src": "VectorAdd.cl", "workDimension": 1,
  "globalWorkSize": "[dataset]", "partition": 12,
  "inputBuffers": [{"type": "flot", "size": "dataset", "pos": 0, "break": 1}],
  "outputBuffers": [{"type": "float", "size": "dataset", "pos": 1, "break": 1}]
})");
    write("broken.json", "{\n  \"name\": \"VectorAdd\",\n  oops\n}\n");
  }
};

TEST_F(Check, a_kernel_that_the_source_lacks_is_an_error) {
  const auto named = [&](const std::string& name) {
    write("named.json", R"({"name": ")" + name + R"(", "src": "two.cl", "workDimension": 1,
  "globalWorkSize": "[dataset]",
  "outputBuffers": [{"type": "float", "size": "dataset", "pos": 0, "break": 1}]})");
    return kiln({"check", "named.json"});
  };
  write("two.cl",
        "// scal\nkernel void scale(global float* a) { a[0] = 1; }\n"
        "__kernel void sum(global float* a) { a[0] = 2; }\n");
  EXPECT_EQ(named("sum").output, "named.json: ok\n");
  const auto wrong = named("scal");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.output + wrong.errors,
              HasSubstr("attribute 'name': two.cl has no kernel 'scal'; it has: scale, sum"));
  // What macros make is the compiler's to know.
  write("two.cl",
        "#define NAME(t) sum_##t\nkernel void NAME(int)(global float* a) { a[0] = 1; }\n");
  EXPECT_EQ(named("sum_int").exit_code, 0);
}

TEST_F(Check, a_right_file_is_ok) {
  const auto result = kiln({"check", "good.json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "good.json: ok\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(kiln({"check", "-q", "good.json"}).output, "");
}

TEST_F(Check, errors_name_file_line_attribute_and_what_was_found) {
  const auto result = kiln({"check", "bad.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("kiln: bad.json:3:"));
  EXPECT_THAT(result.errors, HasSubstr("'partition'"));
  EXPECT_THAT(result.errors, HasSubstr("12"));
  EXPECT_THAT(result.errors, HasSubstr("kiln: bad.json:4:"));
  EXPECT_THAT(result.errors, HasSubstr("inputBuffers[0].type"));
  EXPECT_THAT(result.errors, HasSubstr("flot"));
  EXPECT_EQ(result.output, "bad.json: 2 errors\n");
}

TEST_F(Check, broken_json_names_the_line) {
  const auto result = kiln({"check", "broken.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("kiln: broken.json:3:"));
}

TEST_F(Check, a_missing_file_is_an_error) {
  const auto result = kiln({"check", "absent.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("absent.json"));
  EXPECT_THAT(result.errors, HasSubstr("No such file"));
}

TEST_F(Check, one_bad_file_does_not_hide_the_others) {
  const auto result = kiln({"check", "bad.json", "good.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("good.json: ok\n"));
}

TEST_F(Check, json_has_one_object_a_file) {
  const auto result = kiln({"check", "--json", "good.json", "bad.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "");
  std::istringstream lines(result.output);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(Json::parse(line), Json::parse(R"({"spec": "good.json", "ok": true, "messages": []})"));
  ASSERT_TRUE(std::getline(lines, line));
  const Json bad = Json::parse(line);
  EXPECT_EQ(bad["ok"], false);
  ASSERT_EQ(bad["messages"].size(), 2u);
  EXPECT_EQ(bad["messages"][0]["severity"], "error");
  EXPECT_EQ(bad["messages"][0]["line"], 3);
  EXPECT_EQ(bad["messages"][1]["attribute"], "inputBuffers[0].type");
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(Check, a_source_that_is_nowhere_is_a_warning) {
  write("sources/other.cl", "kernel void VectorAdd(global float *a, global float *b) {}\n");
  write("far.json", R"({"name": "VectorAdd", "src": "other.cl", "workDimension": 1,
    "globalWorkSize": "[dataset]",
    "inputBuffers": [{"type": "float", "size": "dataset", "pos": 0, "break": 1}],
    "outputBuffers": [{"type": "float", "size": "dataset", "pos": 1, "break": 1}]})");
  const auto result = kiln({"check", "far.json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "far.json: ok, 1 warning\n");
  EXPECT_THAT(result.errors, HasSubstr("kiln: far.json: warning: attribute 'src': missing file"));
  EXPECT_EQ(kiln({"check", "far.json", "--source-dir", "sources"}).output, "far.json: ok\n");
}

TEST_F(Check, a_path_of_a_source_that_no_file_can_have_is_a_warning_that_names_the_file_once) {
  write("long.json", R"({"name": "VectorAdd", "src": ")" + std::string(5000, 'a') +
                         R"(", "workDimension": 1, "globalWorkSize": "[dataset]",
    "inputBuffers": [{"type": "float", "size": "dataset", "pos": 0, "break": 1}],
    "outputBuffers": [{"type": "float", "size": "dataset", "pos": 1, "break": 1}]})");
  EXPECT_EQ(kiln({"check", "long.json"}).errors,
            "kiln: long.json: warning: attribute 'src': found a path of 5000 characters, expected "
            "at most 4096\n");
}

TEST_F(Check, a_source_that_is_no_regular_file_is_an_error) {
  write("folder.json", R"({"name": "VectorAdd", "src": "place.cl", "workDimension": 1,
    "globalWorkSize": "[dataset]",
    "outputBuffers": [{"type": "float", "size": "dataset", "pos": 0, "break": 1}]})");
  std::filesystem::create_directory(folder() / "place.cl");
  const auto result = kiln({"check", "folder.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "folder.json: 1 error\n");
  EXPECT_THAT(result.errors, HasSubstr("attribute 'src': found place.cl, expected a regular file"));
}

TEST_F(Check, a_warning_says_once_that_it_is_one) {
  write("odd.json", R"({"name": "VectorAdd", "src": "VectorAdd.cl", "workDimension": 1,
    "globalWorkSize": "[dataset]", "colour": 3,
    "outputBuffers": [{"type": "float", "size": "dataset", "pos": 0, "break": 1}]})");
  EXPECT_EQ(kiln({"check", "odd.json"}).errors,
            "kiln: odd.json:2: warning: attribute 'colour': found an unknown attribute, which is "
            "ignored\n");
}

TEST_F(Check, values_given_by_set_are_tried) {
  EXPECT_EQ(kiln({"check", "--set", "dataset=64", "good.json"}).exit_code, 0);
  EXPECT_EQ(kiln({"check", "--set", "dataset=-1", "good.json"}).exit_code, 2);
  EXPECT_EQ(kiln({"check", "--set", "nothing=1", "good.json"}).exit_code, 2);
  EXPECT_EQ(kiln({"check", "--set-if", "nothing=1", "good.json"}).exit_code, 0);
}

TEST_F(Check, the_published_files_are_right) {
  const std::filesystem::path specs = KILN_SHARED_DIR "/data/pyschedcl-specs";
  if (!std::filesystem::exists(specs)) GTEST_SKIP() << specs << " is absent";
  std::vector<std::string> words{"check"};
  for (const auto& entry : std::filesystem::directory_iterator(specs))
    if (entry.path().extension() == ".json") words.push_back(entry.path().string());
  ASSERT_EQ(words.size(), 28u);
  const auto result = kiln(words);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(Check, progress_and_colours_are_for_terminals_only) {
  if (find_program("script").empty()) GTEST_SKIP() << "script is not installed";
  if (bash("script -qec true /dev/null").exit_code != 0)
    GTEST_SKIP() << "no pseudo-terminal can be opened here";
  const std::string line = "$KILN check good.json good.json";
  EXPECT_EQ(bash(line).errors, "");
  const auto watched = bash("TERM=xterm KILN=$KILN script -qec '" + line + "' /dev/null");
  EXPECT_EQ(watched.exit_code, 0);
  EXPECT_THAT(watched.output, HasSubstr("\rcheck 0/2 ["));
  EXPECT_THAT(watched.output, HasSubstr("\r\x1b[Kgood.json: ok"));
}

}  // namespace
