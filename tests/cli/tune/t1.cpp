// `kiln tune` on tuning problems of the T1 format, and back as T4.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/run_process.hpp"
#include "test_paths.hpp"

namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
using kiln::testing::expect_refusal;

class TuneT1 : public kiln::testing::RunTest {
 protected:
  TuneT1() {
    set("KILN_STORE", fresh_store("store"));
    set("XDG_RUNTIME_DIR", servers());
    const std::filesystem::path example =
        std::filesystem::path(KILN_SOURCE_DIR) / "examples/tuning";
    write("matmul_blocked.cl", text_of(example / "matmul_blocked.cl"));
    problem_ = text_of(example / "matmul_blocked.json");
    write_problem("256", "32");
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// The example, with every occurrence of a text replaced.
  void write_problem(const std::string& what, const std::string& by) {
    std::string text = problem_;
    std::size_t count = 0;
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()), ++count)
      text.replace(at, what.size(), by);
    ASSERT_GT(count, 0u) << what;
    write("problem.json", text);
  }
  kiln::ProcessResult tune(std::vector<std::string> more) {
    more.insert(more.begin(), {"tune", "problem.json"});
    return kiln(more);
  }

  std::string problem_;
};

TEST_F(TuneT1, goes_from_the_problem_to_results_that_other_tuners_read) {
  const auto tuned =
      tune({"--strategy", "exhaustive", "--evaluations", "5", "--journal", "j", "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.errors;
  const Json found = Json::parse(tuned.output);
  EXPECT_EQ(found["tuned"], "matmul_blocked");
  EXPECT_EQ(found["evaluated"], 5);
  EXPECT_GT(found["standard_seconds"], 0);
  EXPECT_TRUE(found["best"].contains("WPT"));
  const auto exported = kiln({"tuned", "export", "j", "--format", "t4", "-o", "t4.json"});
  ASSERT_EQ(exported.exit_code, 0) << exported.errors;
  const Json t4 = Json::parse(text_of(folder() / "t4.json"));
  ASSERT_EQ(t4["results"].size(), 5u);
  for (const auto& result : t4["results"]) {
    EXPECT_EQ(result["configuration"].size(), 3u);
    EXPECT_TRUE(result["configuration"]["TS"].is_number_integer());
    EXPECT_EQ(result["invalidity"], "correct");
    EXPECT_GT(result["times"]["runtimes"][0], 0);
  }
  const auto replayed =
      kiln({"tune", "--replay", "t4.json", "--strategy", "random", "--seeds", "3", "--json"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.errors;
}

TEST_F(TuneT1, what_cannot_be_tuned_is_one_line) {
  write_problem("\"OpenCL\",\n    \"KernelName", "\"CUDA\",\n    \"KernelName");
  expect_refusal(tune({}), 2, "problem.json:15: attribute 'KernelSpecification.Language'");
  write_problem("\"KernelName\": \"", "\"KernelName\": \"no_");
  expect_refusal(tune({}), 2, "the source has no kernel 'no_");
  write_problem("matmul_blocked.cl", "absent.cl");
  expect_refusal(tune({}), 2, "absent.cl");
  write_problem("\"Type\": \"float\"", "\"Type\": \"half\"");
  expect_refusal(tune({}), 2, "half");
  write_problem("[4, 8, 16, 32]", "[4, 8.5]");
  expect_refusal(tune({}), 2, "integers");
  write_problem("TS % WPT == 0", "TS > 32");
  expect_refusal(tune({}), 2, "problem.json");
  write_problem("256", "32");
  expect_refusal(tune({"--param", "TS=8"}), 2, "its own");
  expect_refusal(tune({"--set", "TS=8"}), 2, "TS");
}

}  // namespace
