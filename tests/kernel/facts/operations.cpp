#include "kernel/facts/operations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

OperationCount count(const std::string& text, const std::string& options = "") {
  const auto counted = count_operations(text, options, {"k"});
  if (!counted) return {"k", 0, 0, counted.error().message()};
  return counted->front();
}

/// Operations of a work-item of a kernel with this body, which must be countable.
double operations(const std::string& body, const std::string& options = "") {
  const auto counted = count(
      "kernel void k(global float4* v, global float* f, global int* i, "
      "float a, int n) {\n" +
          body + "\n}\n",
      options);
  EXPECT_EQ(counted.reason, "") << body;
  return counted.per_work_item;
}

/// Why the operations of a kernel with this body are not counted.
std::string reason(const std::string& body) {
  return count("kernel void k(global float* f, global int* i, int n) {\n" + body + "\n}\n").reason;
}

TEST(Operations, ArithmeticCountsForEachElement) {
  EXPECT_EQ(operations("f[0] = f[1] + f[2] * f[3] - f[4] / a;"), 4);
  EXPECT_EQ(operations("v[0] = v[1] + v[2] * a;"), 8);
  EXPECT_EQ(operations("v[0] *= v[1];"), 4);
  EXPECT_EQ(operations("f[0] = -f[1];"), 0);
  EXPECT_EQ(operations("i[0] = i[1] * i[2] + n;"), 0);
  EXPECT_EQ(operations("f[i[0] * 4 + n] = f[0];"), 0);
}

TEST(Operations, BuiltInFunctionsCountByWhatTheyDo) {
  EXPECT_EQ(operations("f[0] = fma(f[1], f[2], f[3]);"), 2);
  EXPECT_EQ(operations("v[0] = mad(v[1], v[2], v[3]);"), 8);
  EXPECT_EQ(operations("v[0] = native_exp(v[1]);"), 4);
  EXPECT_EQ(operations("f[0] = dot(v[1], v[2]);"), 8);
  EXPECT_EQ(operations("v[0] = vload4(0, f);"), 0);
  EXPECT_EQ(operations("v[0] = convert_float4(convert_int4(v[1]));"), 0);
}

TEST(Operations, LoopsWithConstantBoundsMultiply) {
  EXPECT_EQ(operations("for (int j = 0; j < 10; ++j) f[0] += f[j];"), 10);
  EXPECT_EQ(operations("for (int j = 16; j > 0; j >>= 1) f[0] += f[j];"), 5);
  EXPECT_EQ(operations("for (int j = 0; j < N; j += 2) for (int l = 0; l < 3; l++) f[0] += f[j];",
                       "-D N=8"),
            12);
  EXPECT_EQ(operations("const int m = 4; float s = 0; int j;\n"
                       "for (j = 0; j < m * 2; j++) s += f[j]; f[0] = s;"),
            8);
}

TEST(Operations, FunctionsAndMacrosAreFollowed) {
  EXPECT_EQ(count("#define TWICE(x) ((x) + (x))\n"
                  "float cube(float x) { return x * x * x; }\n"
                  "kernel void k(global float* f) { f[0] = TWICE(cube(f[1])); }\n")
                .per_work_item,
            5);
}

TEST(Operations, DoublesAreToldApart) {
  const auto counted = count(
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "kernel void k(global double2* d, global float* f) {\n"
      "  d[0] = d[1] * d[2]; f[0] = f[1] + f[2]; }\n");
  EXPECT_EQ(counted.per_work_item, 3);
  EXPECT_EQ(counted.of_doubles, 2);
}

TEST(Operations, ATestOfIdsCountsAsPassed) {
  EXPECT_EQ(operations("int g = get_global_id(0); if (g < n) f[g] = a * f[g] + 1;"), 2);
  EXPECT_EQ(operations("int g = get_global_id(0); if (g >= n) return; f[g] = a * f[g] + 1;"), 2);
  EXPECT_EQ(operations("if (n > 3) f[0] = f[1] + a; else f[0] = f[1] * a;"), 1);
}

TEST(Operations, WhatDataDecideIsNotCounted) {
  using ::testing::HasSubstr;
  EXPECT_THAT(reason("for (int j = 0; j < n; ++j) f[0] += f[j];"), HasSubstr("line 2: how often"));
  EXPECT_THAT(reason("for (int j = 0; j < 8; ++j) { if (i[j]) break; f[0] += f[j]; }"),
              HasSubstr("may end early"));
  EXPECT_THAT(reason("if (i[0] > 0) f[0] = f[1] + f[2];"), HasSubstr("condition decides"));
  EXPECT_THAT(reason("f[0] = n > 1 ? f[1] * f[2] : f[1];"), HasSubstr("two expressions"));
  EXPECT_THAT(reason("switch (n) { case 1: f[0] += f[1]; }"), HasSubstr("switch"));
  EXPECT_THAT(reason("for (int j = 0; j < 8; ++j) { j += i[j]; f[0] += f[j]; }"),
              HasSubstr("how often"));
}

TEST(Operations, IntegerWorkMayDependOnAnything) {
  EXPECT_EQ(operations("for (int j = 0; j < n; ++j) if (i[j] > 3) i[0] += j; f[0] = f[1] + a;"), 1);
}

TEST(Operations, KernelsThatAreNotReadHaveTheirReason) {
  EXPECT_NE(count("kernel void other(global float* f) { f[0] = 1; }").reason, "");
  EXPECT_NE(count("kernel void k(global float* f) { f[0] = undeclared; }").reason, "");
  EXPECT_NE(count("#include \"absent.h\"\nkernel void k(global float* f) { f[0] = 1; }").reason,
            "");
  EXPECT_NE(count("").reason, "");
}

TEST(Operations, WhatTheDeviceDefinesMayDecide) {
  const std::string kernel = "kernel void k(global float* f) { f[0] = f[1] + f[2]; }\n";
  // Devices without it have no such kernel: that one is built is known.
  EXPECT_EQ(count("#ifdef cl_khr_fp64\n" + kernel + "#endif\n").per_work_item, 1);
  EXPECT_NE(count("#ifdef cl_khr_fp64\n" + kernel +
                  "#else\nkernel void k(global float* f) { f[0] = f[1]; }\n#endif\n")
                .reason,
            "");
}

}  // namespace
}  // namespace kiln
