// How large the kernel's own types are, read from its text, and that the compiler agrees.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "device/context.hpp"
#include "kernel/facts/read_facts.hpp"
#include "kernel/program/program.hpp"

namespace kiln {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> sizes_in(std::string_view text) {
  std::vector<std::size_t> sizes;
  const auto facts = value_or_throw(read_kernel_facts(text, "-DN=3", {}));
  for (const auto& use : facts.at(0).parameters) sizes.push_back(use.layout.bytes);
  return sizes;
}

TEST(TypeLayout, of_built_in_types) {
  EXPECT_THAT(
      sizes_in("kernel void k(char a, global const float* restrict b, unsigned long int c, float3 "
               "d, local double4* e, unsigned f, signed char g, global atomic_int* h, long i) {}"),
      ElementsAre(1, 4, 8, 16, 32, 4, 1, 4, 8));
}

TEST(TypeLayout, of_structures_and_typedefs) {
  EXPECT_THAT(sizes_in("typedef struct { int a; float4 b; } item;\n"
                       "struct pair { float x, y; };\n"
                       "typedef struct pair pair_t; typedef float real, *reals, grid[4][N + 1];\n"
                       "kernel void k(item a, global item* b, struct pair c, global pair_t* d,\n"
                       "  real e, global real* f, global grid* g, global float h[][2]) {}"),
              ElementsAre(32, 32, 8, 8, 4, 4, 64, 8));
}

TEST(TypeLayout, knows_unions_arrays_nested_structures_packing_and_alignment) {
  EXPECT_THAT(
      sizes_in("struct in { char c; short s; };\n"
               "union u { struct in i; double d; uchar b[N * 7]; };\n"
               "struct __attribute__((packed)) p { char c; int i; };\n"
               "struct a { char c; } __attribute__((aligned(32)));\n"
               "enum e { A, B };\n"
               "struct n { char c; union { int i; long l; }; struct in x[2], y; enum e z; };\n"
               "kernel void k(struct in a, union u b, struct p c, struct a d, struct n e) {}"),
      ElementsAre(4, 24, 5, 32, 32));
}

TEST(TypeLayout, leaves_open_what_the_device_decides) {
  EXPECT_THAT(
      sizes_in("#ifdef cl_khr_fp64\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
               "struct where { global int* p; }; struct maybe { int a;\n"
               "#ifdef cl_khr_fp64\n int b;\n#endif\n};\nstruct sized { int a[sizeof(int)]; };\n"
               "kernel void k(real a, global struct where* c, struct maybe d,\n"
               "  struct sized e, read_only image2d_t f, global size_t* g) {}"),
      ElementsAre(0, 0, 0, 16, 0, 0));
  EXPECT_THAT(sizes_in("struct bits { int a : 3; }; kernel void k(struct bits a, int b) {}"),
              ElementsAre(0, 4));
  EXPECT_THAT(sizes_in("#pragma pack(1)\nstruct p { char c; int i; };\n"
                       "kernel void k(struct p a, int b) {}"),
              ElementsAre(0, 4));
  EXPECT_THAT(sizes_in("struct odd { int a; } __attribute__((strange));\n"
                       "kernel void k(struct odd a, int b) {}"),
              ElementsAre(0, 4));
  EXPECT_THAT(sizes_in("struct absent; kernel void k(global struct absent* a, int b) {}"),
              ElementsAre(0, 4));
}

TEST(TypeLayout, of_an_enumeration_with_attributes_is_not_known) {
  EXPECT_THAT(sizes_in("enum __attribute__((packed)) small { A };\n"
                       "kernel void k(enum small a, int b) {}"),
              ElementsAre(0, 4));
}

// Each structure is looked at once, however often others have it as a member.
TEST(TypeLayout, of_structures_that_double_at_each_level_takes_no_time) {
  std::string text = "struct S0 { char c; };\ntypedef struct S0 T0;\n";
  for (int i = 1; i <= 30; ++i)
    text += fmt::format(
        "struct S{0} {{ struct S{1} a; struct S{1} b; }}; typedef struct S{0} T{0};\n", i, i - 1);
  EXPECT_THAT(sizes_in(text + "kernel void k(global struct S30* a, global T20* b, T3 c) {}"),
              ElementsAre(1u << 30, 1u << 20, 8));
  for (int i = 31; i <= 100; ++i)
    text += fmt::format("struct S{0} {{ struct S{1} a; }};\n", i, i - 1);
  EXPECT_THAT(sizes_in(text + "kernel void k(global struct S100* a, global T20* b) {}"),
              ElementsAre(1u << 30, 1u << 20));
}

/// A structure of random members, with the structures before it among them.
std::string random_structure(std::mt19937& random, int number) {
  static constexpr const char* types[] = {"char",  "uchar3", "short",  "ushort4", "int",   "uint2",
                                          "float", "float3", "float8", "long",    "ulong2"};
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  static constexpr const char* attributes[] = {"", "", "__attribute__((packed)) ",
                                               "__attribute__((aligned(16))) "};
  std::string text = std::string(below(5) == 0 ? "union " : "struct ") + attributes[below(4)] +
                     "S" + std::to_string(number) + " {";
  for (int i = 0, members = 1 + below(5); i < members; ++i) {
    const bool nested = number > 0 && below(4) == 0;
    text += " " + (nested ? "T" + std::to_string(below(number)) : std::string(types[below(11)]));
    text += " m" + std::to_string(i);
    if (below(3) == 0) text += "[" + std::to_string(1 + below(4)) + "]";
    text += ";";
  }
  text += " };\ntypedef " + text.substr(0, text.find(' ')) + " S" + std::to_string(number) + " T" +
          std::to_string(number) + ";\n";
  return text;
}

TEST(TypeLayout, is_the_compilers) {
  constexpr unsigned seed = 20240607;
  SCOPED_TRACE(seed);
  constexpr int count = 60;
  std::mt19937 random(seed);
  std::string text, body, parameters;
  for (int i = 0; i < count; ++i) {
    text += random_structure(random, i);
    body += "  out[" + std::to_string(i) + "] = sizeof(T" + std::to_string(i) + ");\n";
    parameters += ", T" + std::to_string(i) + " p" + std::to_string(i);
  }
  std::vector<std::size_t> ours = sizes_in(text + "kernel void f(int first" + parameters + ") {}");
  ours.erase(ours.begin());

  const auto device = value_or_throw(all_devices()).front();
  const auto context = Context::create({device});
  const Queue queue(context, device);
  const auto options = device->pocl ? "" : "-cl-std=CL1.2";
  cl::Program program =
      build_here(*context, *device, text + "kernel void k(global uint* out) {\n" + body + "}\n",
                 options, "structures");
  cl::Kernel kernel(program, "k");
  cl::Buffer out(context->cl(), CL_MEM_READ_WRITE, count * sizeof(cl_uint));
  kernel.setArg(0, out);
  queue.cl().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
  std::vector<cl_uint> theirs(count);
  queue.cl().enqueueReadBuffer(out, CL_TRUE, 0, count * sizeof(cl_uint), theirs.data());
  ASSERT_EQ(ours.size(), theirs.size());
  for (int i = 0; i < count; ++i) EXPECT_EQ(ours[i], theirs[i]) << "T" << i << " in\n" << text;
}

}  // namespace
}  // namespace kiln
