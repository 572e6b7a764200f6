// Specification files that are written for a kernel: what they say by themselves, what they leave
// to be filled in, and that a completed one runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/init_spec.hpp"
#include "spec/texts.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* init_source = R"~(
typedef struct { float x, y; int n; } node;
typedef float real;
__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void step(__global const real* a, __global float4* b, __global node* c, int n, node p,
          __local float* t, __constant uchar* k) {
  int i = get_global_id(0) + n * get_global_id(1);
  b[i] = (float4)(a[i] * k[0]);
  c[i].x += p.x;
  t[0] = 0;
}
)~";

Expected<InitFile> init(const std::string& text, const std::string& kernel = "",
                        std::vector<std::pair<std::string, std::string>> macros = {}) {
  return init_spec({value_or_throw(from_text(text, "k.cl")), "k.cl", kernel, std::move(macros)});
}

TEST(Init, says_what_the_source_says_and_marks_the_rest) {
  const auto file = value_or_throw(init(init_source));
  EXPECT_EQ(file.kernel, "step");
  EXPECT_EQ(file.marks, 8u);
  for (
      const char* line :
      {R"("name": "step")", R"("src": "k.cl")", R"("workDimension": 2)",
       R"("localWorkSize": [8,4])",
       R"({"pos": 0, "type": "float", "size": "FILL IN: elements of a, as \"dataset\"", "break": 0})",
       R"({"pos": 2, "type": "struct", "bytes": 12, "size": )",
       R"({"pos": 3, "type": "int", "value": "FILL IN: the value of n"})",
       R"({"pos": 6, "type": "uchar", "size": )"})
    EXPECT_THAT(file.text, HasSubstr(line));
  const auto at = [&](const char* what) { return file.text.find(what); };
  EXPECT_LT(at("inputBuffers"), at("\"pos\": 0"));
  EXPECT_LT(at("outputBuffers"), at("\"pos\": 1"));
  EXPECT_LT(at("ioBuffers"), at("\"pos\": 2"));
  EXPECT_LT(at("localArguments"), at("\"pos\": 5"));
}

TEST(Init, a_check_lists_what_is_to_be_filled_in_and_nothing_else) {
  const auto file = value_or_throw(init(init_source));
  const auto errors = errors_in(file.text);
  EXPECT_THAT(errors, SizeIs(file.marks));
  EXPECT_THAT(errors.front(), HasSubstr("attribute 'globalWorkSize': still to be filled in: "
                                        "work-items in 2 dimensions, as \"[dataset, dataset]\""));
  EXPECT_THAT(errors.back(), HasSubstr("'localArguments[0].size': still to be filled in: elements "
                                       "of t for each work-group"));
  EXPECT_THAT(warnings_in(file.text), IsEmpty());
  const auto loaded = parse_spec(file.text, "a.json");
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message(), HasSubstr("(and 7 more: kiln check lists them)"));
}

TEST(Init, a_completed_file_is_right) {
  auto text = value_or_throw(init(init_source)).text;
  const std::pair<const char*, const char*> answers[] = {
      {"globalWorkSize", "\"[dataset, 8]\""},
      {"pos\": 0", "\"8 * dataset\""},
      {"pos\": 1", "\"8 * dataset\""},
      {"pos\": 2", "\"8 * dataset\""},
      {"pos\": 3", "8"},
      {"pos\": 4",
       R"([{"type": "float", "count": 2, "value": [1, 2]}, {"type": "int", "value": "dataset"}])"},
      {"pos\": 5", "64"},
      {"pos\": 6", "1"}};
  for (const auto& [where, answer] : answers) {
    const auto begin = text.find("\"FILL IN", text.find(where));
    auto end = begin + 1;
    while (text[end] != '"' || text[end - 1] == '\\') ++end;
    text.replace(begin, end + 1 - begin, answer);
  }
  EXPECT_THAT(check_text(text, "a.json"), IsEmpty()) << text;
  const auto bound = bound_of(text);
  EXPECT_THAT(bound.global, ElementsAre(1024, 8));
  EXPECT_EQ(bound.arguments[4].bytes, 12u);
}

TEST(Init, macros_take_part_and_go_into_the_file) {
  const std::string text = "kernel void k(global TYPE* a, UNKNOWN b) { a[get_global_id(0)] = b; }";
  const auto file = value_or_throw(init(text, "", {{"TYPE", "double2"}}));
  EXPECT_THAT(file.text, HasSubstr(R"("type": "double2")"));
  EXPECT_THAT(file.text, HasSubstr(R"("macros_values": {"TYPE": "double2"})"));
  EXPECT_THAT(file.text, HasSubstr(R"("type": "FILL IN: the type of b (UNKNOWN), as \"int\"")"));
}

TEST(Init, counts_the_dimensions_of_the_kernel_and_not_of_its_neighbours) {
  const std::string text =
      "int row() { return get_global_id(1); }\n"
      "kernel void flat(global int* a) { a[get_global_id(0)] = 1; }\n"
      "kernel void rows(global int* a) { a[row()] = 1; }\n"
      "kernel void deep(global int* a) { a[get_global_id(2)] = 1; }\n";
  EXPECT_THAT(value_or_throw(init(text, "deep")).text, HasSubstr(R"("workDimension": 3)"));
  EXPECT_THAT(value_or_throw(init(text, "rows")).text, HasSubstr(R"("workDimension": 2)"))
      << "by a helper";
  EXPECT_THAT(value_or_throw(init(text, "flat")).text, HasSubstr(R"("workDimension": 1)"));
}

TEST(Init, names_the_kernels_where_it_cannot_choose) {
  const std::string two = "kernel void a(global int* x) {} kernel void b(global int* x) {}";
  EXPECT_EQ(init(two).error().message(), "k.cl: it has 2 kernels (a, b); --kernel NAME says which");
  EXPECT_EQ(init(two, "c").error().message(), "k.cl: it has no kernel 'c'; it has: a, b");
  EXPECT_EQ(value_or_throw(init(two, "b")).kernel, "b");
  EXPECT_EQ(init("void f() {}").error().message(), "k.cl: the source has no __kernel function");
  const auto image = init("kernel void k(global int* a, read_only image2d_t b) {}");
  EXPECT_EQ(image.error().code(), Errc::unsupported);
  EXPECT_THAT(image.error().message(), HasSubstr("argument 1 (b) is of type image2d_t"));
}

}  // namespace
}  // namespace kiln::spec
