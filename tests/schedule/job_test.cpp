#include "schedule/job.hpp"

#include "kernel/facts/read_facts.hpp"
#include "schedule/run_support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

TEST(ReadKernelFacts, a_macro_behind_a_blank_is_seen) {
  const auto facts = value_or_throw(
      read_kernel_facts("kernel void k(global int* c) { c[get_global_id(0)] = ID(0); }",
                        "-D ID=get_group_id", {"k"}));
  EXPECT_THAT(facts.front().reasons.front(), HasSubstr("get_group_id"));
}

TEST(ReadKernelFacts, options_that_change_the_text_are_refused) {
  const auto splittable = [](const char* options) {
    return value_or_throw(
               read_kernel_facts("kernel void k(global int* c) { c[get_global_id(0)] = 1; }",
                                 options, {"k"}))
        .front()
        .splittable;
  };
  EXPECT_TRUE(splittable(""));
  for (const char* option : {"-include x.h", "-x clc++", "-cl-std=CLC++"})
    EXPECT_FALSE(splittable(option)) << option;
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
