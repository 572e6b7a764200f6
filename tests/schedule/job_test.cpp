#include "schedule/job.hpp"

#include "schedule/run_support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

TEST(AnalyseJob, a_macro_behind_a_blank_is_seen) {
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
