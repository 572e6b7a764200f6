// Tuning problems of the T1 format as they are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/t1/support.hpp"
#include "spec/t1/t1.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string with(const std::string& what, const std::string& by) {
  std::string text = t1_problem;
  const auto at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), by);
}

T1Problem read(const std::string& text) { return value_or_throw(read_t1(text, "p.json")); }

/// Bound with the parameters' values of its defaults, or others.
BoundSpec bound(T1Problem problem, const std::vector<std::int64_t>& values = {2, 8, 0}) {
  set_untuned_values(problem, values);
  return value_or_throw(bind(problem.spec));
}

Error error_of(const std::string& text) {
  const auto problem = read_t1(text, "p.json");
  EXPECT_FALSE(problem);
  return problem ? Error(Errc::internal, "") : problem.error();
}

std::vector<std::int64_t> values_of(const std::string& text) {
  const auto problem = read(with("\"[1, 2, 3, 4]\"", text));
  std::vector<std::int64_t> values;
  for (const auto& value : problem.parameters[0].values) values.push_back(*value.to_integer());
  return values;
}

TEST(T1, is_told_from_a_specification_by_its_members) {
  EXPECT_TRUE(is_t1(t1_problem));
  EXPECT_TRUE(is_t1(R"({"KernelSpecification": 1})"));
  EXPECT_FALSE(is_t1(R"({"name": "k", "src": "k.cl"})"));
  EXPECT_FALSE(is_t1("[1]"));
  EXPECT_FALSE(is_t1("{\"ConfigurationSpace\": "));
}

TEST(T1, has_parameters_conditions_and_defaults) {
  const auto problem = read(t1_problem);
  ASSERT_EQ(problem.parameters.size(), 3u);
  EXPECT_EQ(problem.parameters[1].name, "GROUP");
  EXPECT_EQ(problem.parameters[2].values, (std::vector<expr::Value>{0, 1})) << "truth values";
  ASSERT_EQ(problem.constraints.size(), 1u);
  EXPECT_EQ(problem.defaults,
            (std::map<std::string, std::int64_t>{{"N", 2}, {"GROUP", 8}, {"MODE", 0}}));
  EXPECT_THAT(problem.compiler_options, ElementsAre("-D FACTOR=3"));
}

TEST(T1, reads_values_as_python_and_as_json) {
  EXPECT_THAT(values_of("\"list(range(1, 9, 3))\""), ElementsAre(1, 4, 7));
  EXPECT_THAT(values_of("\"range(2)\""), ElementsAre(0, 1));
  EXPECT_THAT(values_of("\"[2**3, 4 * 4, -1]\""), ElementsAre(8, 16, -1));
  EXPECT_THAT(values_of("\"(1, 2)\""), ElementsAre(1, 2));
  EXPECT_THAT(values_of("[5, 6]"), ElementsAre(5, 6));
}

TEST(T1, sizes_are_expressions_over_parameters_and_the_problem_s_size) {
  const auto problem = read(t1_problem);
  EXPECT_THAT(bound(problem).global, ElementsAre(32));
  EXPECT_THAT(bound(problem).local, ElementsAre(8));
  EXPECT_THAT(bound(problem, {4, 16, 1}).global, ElementsAre(16));
  EXPECT_EQ(bound(problem, {4, 16, 1}).arguments[3].bytes, 64u) << "local memory follows";
  EXPECT_EQ(bound(problem).arguments[1].count, 64u) << "max over all values";
}

TEST(T1, global_sizes_of_other_languages_count_work_groups) {
  for (const std::string type : {"CUDA", "Vulkan"}) {
    auto text = with("\"GlobalSizeType\": \"OpenCL\"", "\"GlobalSizeType\": \"" + type + "\"");
    EXPECT_THAT(bound(read(text)).global, ElementsAre(32 * 8)) << type;
  }
}

TEST(T1, grid_divisors_cover_the_problem_s_size) {
  const auto problem = read(with("\"GlobalSizeType\"", "\"GridDivX\": [\"GROUP\", \"N\"], \"x\""));
  EXPECT_THAT(bound(problem).global, ElementsAre(32));              // 64 / (8 * 2) groups of 8
  EXPECT_THAT(bound(problem, {3, 16, 0}).global, ElementsAre(32));  // 2 groups, rounded up
}

TEST(T1, grid_divisors_with_a_problem_size_need_no_global_size) {
  const std::string global = "\"GlobalSize\": {\"X\": \"ProblemSize[0] // N\"},";
  const auto problem = read(with(global, "\"GridDivX\": [\"GROUP\", \"N\"],"));
  EXPECT_THAT(bound(problem).global, ElementsAre(32));
  EXPECT_THAT(bound(problem, {3, 16, 0}).global, ElementsAre(32));
  // Without a problem's size, or without divisors, there is nothing to work it out from.
  for (const auto& [what, by] :
       {std::pair(std::string("\"ProblemSize\": [64],"), std::string()),
        std::pair(std::string("\"GridDivX\": [\"GROUP\", \"N\"],"), std::string())}) {
    auto text = with(global, "\"GridDivX\": [\"GROUP\", \"N\"],");
    text.replace(text.find(what), what.size(), by);
    const auto broken = read_t1(text, "p.json");
    ASSERT_FALSE(broken);
    EXPECT_THAT(broken.error().message(), HasSubstr("GlobalSize"));
  }
}

TEST(T1, arguments_have_the_schema_s_types_and_access) {
  const auto arguments = bound(read(t1_problem)).arguments;
  EXPECT_EQ(arguments[0].kind, ArgumentKind::input);
  EXPECT_EQ(arguments[1].kind, ArgumentKind::output);
  EXPECT_EQ(arguments[2].kind, ArgumentKind::scalar);
  EXPECT_EQ(arguments[3].kind, ArgumentKind::local);
  const auto type_of = [](const std::string& name) {
    return bound(read(with("\"Type\": \"int32\"", "\"Type\": \"" + name + "\"")))
        .arguments[2]
        .type.opencl_name();
  };
  EXPECT_EQ(type_of("int8"), "char");
  EXPECT_EQ(type_of("uint64"), "ulong");
  EXPECT_EQ(type_of("double"), "double");
  const auto both = read(with("\"AccessType\": \"WriteOnly\",", ""));
  EXPECT_EQ(bound(both).arguments[1].kind, ArgumentKind::inout);
}

TEST(T1, reads_how_arrays_begin_and_must_end) {
  const auto problem =
      read(with("\"Size\": \"GROUP\"}\n    ]",
                R"("Size": "GROUP"}], "ReferenceArguments": [{"Name": "r", "TargetName": "b",
         "FillType": "BinaryRaw", "DataSource": "b.bin",
         "ValidationMethod": "SideBySideRelativeComparison", "ValidationThreshold": 0.25}])"));
  ASSERT_EQ(problem.fills.size(), 2u);
  EXPECT_EQ(problem.fills[0].how, Fill::How::random);
  EXPECT_EQ(problem.fills[1].value, expr::Value(-1.0));
  ASSERT_EQ(problem.references.size(), 1u);
  EXPECT_EQ(problem.references[0].fill.position, 1u);
  EXPECT_EQ(problem.references[0].fill.file, "b.bin");
  EXPECT_EQ(problem.references[0].relative, 0.25);
  EXPECT_EQ(problem.references[0].absolute, 0);
}

struct Refusal {
  std::string what, by;
  Errc code;
  std::string says;
};

class T1Refusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(T1Refusal, is_one_line_with_the_place) {
  const auto& [what, by, code, says] = GetParam();
  const Error error = error_of(with(what, by));
  EXPECT_EQ(error.code(), code) << error.message();
  EXPECT_THAT(error.message(), AllOf(HasSubstr("p.json:"), HasSubstr(says)));
  EXPECT_EQ(error.message().find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Of, T1Refusal,
    ::testing::Values(
        Refusal{"\"OpenCL\", \"KernelName\"", "\"CUDA\", \"KernelName\"", Errc::unsupported,
                "KernelSpecification.Language': found the string \"CUDA\", expected \"OpenCL\""},
        Refusal{"\"Language\": \"OpenCL\", ", "", Errc::bad_input, "missing"},
        Refusal{"\"KernelFile\": \"scale.cl\"", "\"KernelFile\": 3", Errc::bad_input, "KernelFile"},
        Refusal{"\"KernelName\": \"scale\", ", "", Errc::bad_input, "KernelName"},
        Refusal{"\"LocalSize\": {\"X\": \"GROUP\"}", "\"LocalSize\": {\"X\": \"GROPU\"}",
                Errc::bad_input, "nothing is named 'GROPU'; did you mean 'GROUP'?"},
        Refusal{"ProblemSize[0] // N", "ProblemSize[0] // ", Errc::bad_input, "GlobalSize.X"},
        Refusal{"ProblemSize[0] // N", "half(N)", Errc::bad_input, "no function 'half'"},
        Refusal{"\"GlobalSizeType\": \"OpenCL\"", "\"GlobalSizeType\": \"Metal\"", Errc::bad_input,
                "GlobalSizeType"},
        Refusal{"\"ProblemSize\": [64]", "\"ProblemSize\": [0]", Errc::bad_input, "ProblemSize[0]"},
        Refusal{"\"[1, 2, 3, 4]\"", "\"[1, 2.5]\"", Errc::unsupported, "the value 2.5"},
        Refusal{"\"[1, 2, 3, 4]\"", "\"['float', 'double']\"", Errc::unsupported, "'float'"},
        Refusal{"\"[1, 2, 3, 4]\"", "\"[]\"", Errc::bad_input, "a list of values"},
        Refusal{"\"[1, 2, 3, 4]\"", "\"[2*i for i in x]\"", Errc::bad_input, "Values"},
        Refusal{"\"[1, 2, 3, 4]\"", "\"range(10**9)\"", Errc::bad_input, "more than 65535"},
        Refusal{"\"[1, 2, 3, 4]\"", "\"range(1, 5, 0)\"", Errc::bad_input, "the step 0"},
        Refusal{"\"Type\": \"uint\"", "\"Type\": \"complex\"", Errc::bad_input, "Type"},
        Refusal{"\"Name\": \"GROUP\"", "\"Name\": \"G-1\"", Errc::bad_input, "Name"},
        Refusal{"64 % (N * GROUP) == 0", "64 % M == 0", Errc::bad_input, "no parameter is named"},
        Refusal{"\"Type\": \"int32\"", "\"Type\": \"half\"", Errc::unsupported, "half"},
        Refusal{"\"Type\": \"int32\"", "\"Type\": \"custom\"", Errc::unsupported, "custom"},
        Refusal{"\"MemoryType\": \"Scalar\"", "\"MemoryType\": \"Symbol\"", Errc::unsupported,
                "MemoryType"},
        Refusal{"\"FillType\": \"Random\"", "\"FillType\": \"Script\"", Errc::unsupported,
                "FillType"},
        Refusal{"\"FillValue\": 4", "\"FillValue\": \"four\"", Errc::bad_input, "FillValue"},
        Refusal{", \"FillValue\": 4", "", Errc::bad_input, "FillValue"},
        Refusal{"max(N) * 16", "N * 16 + 1", Errc::bad_input, "the list of its values"},
        Refusal{"\"Size\": \"GROUP\"}\n    ]",
                "\"Size\": \"GROUP\"}], \"ReferenceArguments\": [{\"TargetName\": \"a\"}]",
                Errc::bad_input, "that the kernel writes"}));

TEST(T1, what_has_no_kernel_or_no_parameters_is_refused) {
  EXPECT_THAT(error_of(R"({"ConfigurationSpace": {"TuningParameters": []}})").message(),
              HasSubstr("KernelSpecification"));
  EXPECT_THAT(error_of(R"({"KernelSpecification": {"Language": "OpenCL"}})").message(),
              HasSubstr("ConfigurationSpace"));
  EXPECT_THAT(error_of(R"({"ConfigurationSpace": 3, "KernelSpecification": []})").message(),
              HasSubstr("expected an object"));
  EXPECT_THAT(error_of("{").message(), HasSubstr("not a JSON object"));
}

}  // namespace
}  // namespace kiln::spec
