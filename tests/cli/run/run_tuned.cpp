// A plain run uses what the store has on record for its kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_process.hpp"
#include "spec/tune/spec_tunable.hpp"
#include "store/default_store.hpp"

namespace kiln::cli {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;
using ::testing::Not;

/// Writes WIDE into its output, so that a run shows what it was compiled with.
constexpr const char* source = R"(
kernel void wide(global int *b) { b[get_global_id(0)] = WIDE * 0 + MARK; }
)";

class RunTunedTest : public RunTest {
 protected:
  RunTunedTest() {
    set("KILN_STORE", fresh_store("store"));
    write("wide.cl", source);
    write("wide.json", R"({"name": "wide", "src": "wide.cl", "workDimension": 1, "partition": 10,
  "symbolicVariables": {"WIDE": 4, "MARK": 7}, "macros_values": {"WIDE": "WIDE", "MARK": "MARK"},
  "globalWorkSize": "[dataset]", "localWorkSize": "[WIDE]",
  "outputBuffers": [{"pos": 0, "type": "int", "size": "dataset", "break": 1}]
})");
  }
  std::filesystem::path store() const { return folder() / "store"; }

  void record_wide_16(const std::string& devices = "cpu") const {
    Resolver resolver(open_local_store(store().string()));
    spec::SpecTuning options;
    options.file = folder() / "wide.json";
    options.parameters = {"WIDE=16"};
    const auto made = value_or_throw(spec::make_spec_tunable(options));
    for (const auto& device : value_or_throw(select_devices(devices))) {
      const Queue queue(kiln::Context::create({device}), device);
      made->open(resolver, queue.context(), queue)->record(0, 1e-3, 0);
    }
  }
  std::string explained(std::vector<std::string> more = {}, const std::string& devices = "cpu") {
    std::vector<std::string> words{"run", "wide.json", "--explain", "--devices", devices};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }
};

TEST_F(RunTunedTest, it_says_which_values_from_which_record) {
  EXPECT_THAT(explained(), Not(HasSubstr("tuned")));
  record_wide_16();
  EXPECT_THAT(explained(),
              HasSubstr("  tuned: WIDE 16 (store record: wide with MARK 7, dataset 1024)\n"));
  EXPECT_THAT(explained(), HasSubstr("64 work-groups"));
  EXPECT_THAT(explained({"--store", "off"}), HasSubstr("256 work-groups"));
}

TEST_F(RunTunedTest, what_the_user_sets_wins) {
  record_wide_16();
  const auto own = explained({"--set", "WIDE=8"});
  EXPECT_THAT(own, HasSubstr("128 work-groups"));
  EXPECT_THAT(own, HasSubstr("  not tuned: WIDE 16 on record: WIDE is set to 8\n"));
  EXPECT_THAT(explained({"--local-size", "2"}), HasSubstr("512 work-groups"));
}

TEST_F(RunTunedTest, a_changed_source_is_run_as_the_file_has_it) {
  record_wide_16();
  write("wide.cl", std::string(source) + "// changed\n");
  EXPECT_THAT(explained(), HasSubstr("256 work-groups"));
}

TEST_F(RunTunedTest, json_has_the_values) {
  record_wide_16();
  const auto lines = json_lines(explained({"--json"}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["tuned"]["values"]["WIDE"], 16);
  EXPECT_EQ(lines[0]["tuned"]["record"], "wide with MARK 7, dataset 1024");
  EXPECT_EQ(lines[0]["tuned"]["reason"], "");
}

TEST_F(RunTunedTest, a_split_uses_what_is_on_record_for_all_that_share_it) {
  if (!has_two_cores()) GTEST_SKIP() << "one compute unit";
  record_wide_16();
  EXPECT_THAT(explained({"--partition", "5"}, "cpu/2"), Not(HasSubstr("tuned")))
      << "the whole processor's record is not its halves'";
  record_wide_16("cpu/2");
  const auto halves = explained({"--partition", "5"}, "cpu/2");
  EXPECT_THAT(halves, HasSubstr("  tuned: WIDE 16"));
  EXPECT_THAT(halves, HasSubstr("32 work-groups"));
}

TEST_F(RunTunedTest, a_file_that_needs_a_value_that_nobody_has_says_so) {
  write("wide.json", R"({"name": "wide", "src": "wide.cl", "workDimension": 1, "partition": 10,
  "symbolicVariables": {"WIDE": "WIDE", "MARK": 7},
  "globalWorkSize": "[dataset]", "localWorkSize": "[WIDE]",
  "outputBuffers": [{"pos": 0, "type": "int", "size": "dataset", "break": 1}]
})");
  const auto result = kiln({"run", "wide.json", "--devices", "cpu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("the symbol 'WIDE' without a value"));
}

}  // namespace
}  // namespace kiln::cli
