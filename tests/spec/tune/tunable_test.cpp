// What a user may ask to tune, and what a search sees of it.
#include "support.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::HasSubstr;

class SpecTunableTest : public SpecTuneTest {};

TEST_F(SpecTunableTest, its_space_is_what_parameters_and_constraints_say) {
  auto options = tuning("TS=2..16:*2");
  options.parameters.push_back("SHIFT=0,1,2");
  options.constraints = {"TS >= 4", "SHIFT == 0 or TS > 8"};
  const auto made = tunable(options);
  EXPECT_EQ(made->space().size(), 5u);
  EXPECT_EQ(made->label(), "turn, dataset 48");
}

TEST_F(SpecTunableTest, its_standard_is_what_the_file_has) {
  const auto made = tunable(tuning());
  ASSERT_TRUE(made->standard());
  EXPECT_EQ(made->space().text(*made->standard()), "TS=8");
  EXPECT_EQ(tunable(tuning("TS=2,4"))->standard(), std::nullopt);
  EXPECT_EQ(tunable(tuning("SHIFT=0,1"))->standard(), std::nullopt) << "the file has no value";
}

TEST_F(SpecTunableTest, a_macro_of_the_file_is_a_standard_too) {
  write("turn.json", replaced(transpose_spec, R"({"TS": "TS"})", R"({"TS": "TS", "SHIFT": 0})"));
  const auto made = tunable(tuning("SHIFT=1,0"));
  ASSERT_TRUE(made->standard());
  EXPECT_EQ(made->space().text(*made->standard()), "SHIFT=0");
}

TEST_F(SpecTunableTest, its_identity_is_the_kernel_the_problem_and_the_data) {
  const auto before = tunable(tuning())->identity();
  EXPECT_EQ(tunable(tuning("TS=2,4"))->identity(), before) << "other values, the same problem";
  std::set<std::string> identities{before};
  const auto changes = [&](const SpecTuning& options) {
    return identities.insert(tunable(options)->identity()).second;
  };
  auto options = tuning();
  options.dataset = 96;
  EXPECT_TRUE(changes(options));
  options = tuning();
  options.seed = 1;
  EXPECT_TRUE(changes(options));
  options = tuning();
  options.rtol = 1e-3;
  EXPECT_TRUE(changes(options));
  write("turn.cl", transpose_source + "\n");
  EXPECT_TRUE(changes(tuning()));
}

TEST_F(SpecTunableTest, its_identity_does_not_hang_on_names_and_layout_of_files) {
  const auto before = tunable(tuning())->identity();
  write("other.json", replaced(transpose_spec, R"("src")", R"(  "description": "x",
    "partition": 3, "src")"));
  auto options = tuning();
  options.file = file("other.json");
  EXPECT_EQ(tunable(options)->identity(), before);
}

TEST_F(SpecTunableTest, values_that_cannot_be_on_record_are_refused) {
  for (const auto* values : {"TS=8,1.5", "TS=8,fast", "TS=True,False"})
    EXPECT_THAT(error_of(tuning(values)), HasSubstr("expected integers")) << values;
}

TEST_F(SpecTunableTest, a_name_that_nobody_uses_is_a_slip) {
  EXPECT_THAT(error_of(tuning("TZ=1,2")), HasSubstr("parameter 'TZ': neither "));
  EXPECT_EQ(error_of(tuning("SHIFT=0,1")), "") << "the source uses it";
  EXPECT_THAT(error_of(tuning("SHIF=0,1")), HasSubstr("'SHIF'")) << "a part of a word is none";
}

TEST_F(SpecTunableTest, names_of_the_problem_are_no_parameters) {
  EXPECT_THAT(error_of(tuning("dataset=16,32")), HasSubstr("the problem's own"));
  auto options = tuning();
  options.symbols.set["TS"] = 8;
  EXPECT_THAT(error_of(options), HasSubstr("given twice"));
}

TEST_F(SpecTunableTest, bad_input_is_one_line) {
  auto options = tuning("TS");
  EXPECT_THAT(error_of(options), HasSubstr("parameter 'TS': "));
  options = tuning();
  options.constraints = {"TZ > 2"};
  EXPECT_THAT(error_of(options), HasSubstr("did you mean 'TS'"));
  options.constraints = {"TS > 99"};
  EXPECT_NE(error_of(options), "");
  options = tuning();
  options.parameters.clear();
  EXPECT_NE(error_of(options), "");
  options.file = file("absent.json");
  EXPECT_THAT(error_of(options), HasSubstr("absent.json"));
  options = tuning();
  write("turn.json", replaced(transpose_spec, R"("name")", R"("task": 1, "name")"));
  EXPECT_THAT(error_of(options), HasSubstr("part of a graph"));
}

TEST_F(SpecTunableTest, a_kernel_without_results_has_nothing_to_compare) {
  write("turn.json", R"({"name": "turn", "src": "turn.cl", "workDimension": 1,
    "globalWorkSize": "[8]", "symbolicVariables": {"TS": 8}, "macros_values": {"TS": "TS"},
    "inputBuffers": [{"pos": 0, "type": "float", "size": 8, "break": 0}]})");
  EXPECT_THAT(error_of(tuning()), HasSubstr("no output buffer"));
}

}  // namespace
}  // namespace kiln::spec
