#include "schedule/job.hpp"

#include "schedule/run_support.hpp"

namespace kiln::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(MacrosOf, options_are_read_as_compilers_read_them) {
  EXPECT_THAT(macros_of("-DA=1 -DB"), ElementsAre(Pair("A", "1"), Pair("B", "1")));
  EXPECT_THAT(macros_of("-D A=1 -D  B -cl-mad-enable"),
              ElementsAre(Pair("A", "1"), Pair("B", "1")));
  EXPECT_THAT(macros_of("-DA= -DB=C=D"), ElementsAre(Pair("A", ""), Pair("B", "C=D")));
  EXPECT_THAT(macros_of("-D \"A=b c\"\t'-DB=\"x\"'"),
              ElementsAre(Pair("A", "b c"), Pair("B", "\"x\"")));
  EXPECT_THAT(macros_of("-DA=1 -DB=2 -U A"), ElementsAre(Pair("B", "2")));
  EXPECT_THAT(macros_of(" -cl-fast-relaxed-math  -w "), IsEmpty());
}

TEST(MacrosOf, a_macro_behind_a_blank_is_seen_by_the_analysis) {
  TestJob test("kernel void k(global int* c) { c[get_global_id(0)] = ID(0); }",
               range_of({64}, {8}));
  test.out(256);
  Job job = test.job();
  job.request.options = "-D ID=get_group_id";
  EXPECT_THAT(analyse_job(job).reasons.front(), HasSubstr("get_group_id"));
}

TEST(AnalyseJob, options_that_change_the_text_are_refused) {
  TestJob test("kernel void k(global int* c) { c[get_global_id(0)] = 1; }", range_of({64}, {8}));
  test.out(256);
  Job job = test.job();
  EXPECT_TRUE(analyse_job(job).splittable);
  for (const char* option : {"-include x.h", "-x clc++", "-cl-std=CLC++"}) {
    job.request.options = option;
    EXPECT_FALSE(analyse_job(job).splittable) << option;
  }
}

TEST(TypeBytes, are_those_of_opencl) {
  const std::pair<const char*, std::size_t> known[] = {
      {"char", 1},          {"uchar16", 16}, {"half2", 4},      {"int", 4},
      {"float3", 16},       {"float4*", 16}, {"double16", 128}, {"unsigned int*", 4},
      {"unsigned char", 1}, {"ulong8", 64}};
  for (const auto& [name, bytes] : known) EXPECT_EQ(type_bytes(name), bytes) << name;
}

TEST(TypeBytes, of_anything_else_are_not_known) {
  for (const char* name : {"", "*", "real", "struct node*", "float5", "floaty", "int4x",
                           "image2d_t", "int-4", "float99999999999999999999"})
    EXPECT_EQ(type_bytes(name), 0u) << name;
}

}  // namespace
}  // namespace kiln::testing
