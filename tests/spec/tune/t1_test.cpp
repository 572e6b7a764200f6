// Tuning problems of the T1 format on the CPU.
#include "spec/t1/support.hpp"
#include "support.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tune::Failure;

class T1TuneTest : public SpecTuneTest {
 protected:
  T1TuneTest() {
    write("scale.cl", t1_source);
    write("p.json", t1_problem);
  }
  SpecTuning problem() const {
    SpecTuning options;
    options.file = file("p.json");
    return options;
  }
  void change(const std::string& what, const std::string& by) {
    const auto changed = replaced(t1_problem, what, by);
    ASSERT_NE(changed, t1_problem) << what;
    write("p.json", changed);
  }
  tune::Report prepared(const std::string& text, const SpecTuning& options) {
    const auto made = tunable(options);
    return bench(*made)->prepare(id(*made, text));
  }
};

TEST_F(T1TuneTest, is_searched_and_compared_like_any_specification) {
  const auto made = tunable(problem());
  EXPECT_EQ(made->space().size(), 12u);  // N 1, 2, 4 by GROUP by MODE
  ASSERT_TRUE(made->standard());
  EXPECT_EQ(made->space().text(*made->standard()), "N=2 GROUP=8 MODE=0");
  const auto measured = bench(*made);
  const auto right = id(*made, "N=1 GROUP=16 MODE=0");
  const auto report = measured->prepare(right);
  ASSERT_TRUE(report.outcome.ok()) << report.message;
  EXPECT_GT(measured->run(right, 3), 0);
  EXPECT_EQ(measured->prepare(id(*made, "N=1 GROUP=16 MODE=1")).outcome.failure,
            Failure::wrong_result);
  // It leaves the array as it began, which no right one does.
  const auto nothing = measured->prepare(id(*made, "N=4 GROUP=8 MODE=0"));
  EXPECT_EQ(nothing.outcome.failure, Failure::wrong_result);
  EXPECT_THAT(nothing.message, HasSubstr("argument 1: element 0: -1 instead of"));
}

TEST_F(T1TuneTest, compiler_options_reach_the_compiler_and_the_identity) {
  const auto identity = tunable(problem())->identity();
  EXPECT_EQ(tunable(problem())->identity(), identity);
  change("-D FACTOR=3", "-D FACTOR=4");
  EXPECT_NE(tunable(problem())->identity(), identity);
  change("\"-D FACTOR=3\"", "");
  EXPECT_THROW(bench(*tunable(problem())), Error);
}

TEST_F(T1TuneTest, what_is_on_record_is_asked_for_with_the_compiler_options) {
  const auto made = tunable(problem());
  const auto asked = made->problem();
  EXPECT_THAT(asked.problem_class, HasSubstr("-D FACTOR=3"));
  bench(*made)->record(*made->standard(), 1e-3, 0);
  Request request;
  request.family = asked.family;
  request.version = asked.version;
  request.problem_class = asked.problem_class;
  EXPECT_FALSE(resolver_.tuning_record(request, *device_).history.empty());
}

TEST_F(T1TuneTest, data_is_part_of_the_identity) {
  const auto identity = tunable(problem())->identity();
  change("\"FillValue\": 5.0", "\"FillValue\": 6.0");
  EXPECT_NE(tunable(problem())->identity(), identity);
}

TEST_F(T1TuneTest, without_usable_defaults_the_first_configuration_is_the_reference) {
  change("\"Default\": 2", "\"Default\": 7");
  const auto made = tunable(problem());
  EXPECT_EQ(made->space().text(*made->standard()), "N=1 GROUP=8 MODE=0");
  change(", \"Default\": false", "");
  EXPECT_TRUE(prepared("N=2 GROUP=16 MODE=0", problem()).outcome.ok());
}

TEST_F(T1TuneTest, references_tell_right_from_wrong) {
  change("\"Size\": \"GROUP\"}\n    ]",
         R"("Size": "GROUP"}], "ReferenceArguments": [{"Name": "r", "TargetName": "b",
           "FillType": "Generator", "DataSource": "3 * (i % 7) + 4.0005",
           "ValidationMethod": "SideBySideComparison", "ValidationThreshold": 0.001}])");
  auto text = value_or_throw(read_text(file("p.json")));
  write("p.json", replaced(text, "\"FillType\": \"Random\", \"FillValue\": 5.0",
                           "\"FillType\": \"Generator\", \"DataSource\": \"i % 7\""));
  EXPECT_TRUE(prepared("N=1 GROUP=8 MODE=0", problem()).outcome.ok());
  EXPECT_EQ(prepared("N=1 GROUP=8 MODE=1", problem()).outcome.failure, Failure::wrong_result);
  auto strict = problem();
  strict.rtol = 1e-6;
  EXPECT_EQ(prepared("N=1 GROUP=8 MODE=0", strict).outcome.failure, Failure::wrong_result);
}

TEST_F(T1TuneTest, the_command_s_constraints_come_on_top_and_parameters_do_not) {
  auto options = problem();
  options.constraints = {"N > 1"};
  EXPECT_EQ(tunable(options)->space().size(), 8u);
  options.parameters = {"N=1,2"};
  EXPECT_THAT(error_of(options), HasSubstr("whose parameters are its own"));
}

TEST_F(T1TuneTest, what_is_missing_or_wrong_is_one_line) {
  std::filesystem::remove(file("scale.cl"));
  EXPECT_THAT(error_of(problem()), HasSubstr("scale.cl"));
  write("scale.cl", t1_source);
  change("64 % (N * GROUP) == 0", "N > 4");
  EXPECT_THAT(error_of(problem()), AllOf(HasSubstr("p.json"), HasSubstr("N > 4")));
  change("\"FillType\": \"Random\"", "\"FillType\": \"BinaryRaw\", \"DataSource\": \"no.bin\"");
  EXPECT_THAT(error_of(problem()), AllOf(HasSubstr("p.json:"), HasSubstr("no.bin")));
}

TEST_F(T1TuneTest, the_default_s_failure_says_which_run_failed) {
  write("scale.cl", "#if N == 2\n#error not two\n#endif\n" + t1_source);
  try {
    bench(*tunable(problem()));
    FAIL() << "the reference does not compile";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("the run with N=2 GROUP=8 MODE=0, which says"));
  }
}

}  // namespace
}  // namespace kiln::spec
