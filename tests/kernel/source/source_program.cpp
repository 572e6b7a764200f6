#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/source/program.hpp"

namespace kiln {
namespace {

using ::testing::ElementsAre;

struct Parsed {
  explicit Parsed(std::string_view text)
      : source(preprocess(text, {})), program(parse_program(source)) {}
  std::vector<std::string> functions() const {
    std::vector<std::string> names;
    for (const Function& function : program.functions)
      names.push_back((function.is_kernel ? "kernel " : "") +
                      std::string(source.symbols.name(function.name)));
    return names;
  }
  std::vector<std::string> variables() const {
    std::vector<std::string> names;
    for (const ProgramVariable& variable : program.variables)
      names.push_back((variable.can_change ? "" : "const ") +
                      std::string(source.symbols.name(variable.name)));
    return names;
  }
  std::vector<Parameter> parameters() const {
    return parse_parameters(source, program, program.functions.at(0));
  }
  Preprocessed source;
  SourceProgram program;
};

TEST(SourceProgram, finds_functions_and_kernels) {
  const Parsed parsed(
      "float g(float x);\n"
      "inline float g(float x) { return x; }\n"
      "__attribute__((reqd_work_group_size(8,1,1))) __kernel void a(global int* p) { if (1) {} }\n"
      "kernel __attribute__((vec_type_hint(float4))) void b(void) {}\n"
      "__kernel void c(int n) __attribute__((reqd_work_group_size(8,1,1))) {}\n");
  EXPECT_TRUE(parsed.program.well_formed);
  EXPECT_THAT(parsed.functions(), ElementsAre("g", "kernel a", "kernel b", "kernel c"));
  const Function& c = parsed.program.functions[3];
  EXPECT_EQ(parsed.source.tokens[c.parameters.begin].text, "int");
  EXPECT_EQ(c.body.begin, c.body.end);
}

TEST(SourceProgram, two_heads_of_undecided_branches_share_a_body) {
  const Parsed parsed(
      "#ifdef cl_khr_fp64\nkernel void a(global double* p)\n#else\nkernel void a(global float* p)\n"
      "#endif\n{ }");
  EXPECT_THAT(parsed.functions(), ElementsAre("kernel a"));
}

TEST(SourceProgram, finds_variables_and_whether_they_can_change) {
  const Parsed parsed(
      "constant float t[] = {1, 2}; __global int counter; const int k = 3, l = N;\n"
      "const sampler_t s = 0; global const int* p; int a[4], b = f(x, y), c;\n"
      "struct S { int m; }; struct S; enum { E = 1 }; typedef float real; float f(float q);\n");
  EXPECT_TRUE(parsed.program.well_formed);
  EXPECT_THAT(parsed.variables(), ElementsAre("const t", "counter", "const k", "const l", "const s",
                                              "p", "a", "b", "c"));
  EXPECT_TRUE(parsed.program.typedefs.contains(parsed.source.symbols.find("real")));
  EXPECT_FALSE(parsed.program.has_pointer_members);
}

TEST(SourceProgram, a_structure_with_a_pointer_is_noticed) {
  EXPECT_TRUE(Parsed("typedef struct N { struct N* next; } N;").program.has_pointer_members);
}

TEST(SourceProgram, brackets_that_do_not_match_are_noticed) {
  EXPECT_FALSE(Parsed("void f() { ( }").program.well_formed);
  EXPECT_FALSE(Parsed("void f() { } }").program.well_formed);
  EXPECT_FALSE(Parsed("void f() {").program.well_formed);
  EXPECT_TRUE(Parsed("").program.well_formed);
  EXPECT_TRUE(Parsed(";;").program.well_formed);
}

TEST(SourceProgram, parameters_are_described) {
  const Parsed parsed(
      "typedef __global const float4* row; typedef struct { int* m; } pair;\n"
      "kernel void f(__global const float* restrict a, global unsigned int *b, __local double* c,\n"
      "  constant struct P* d, row e, const int n, float2 v, pair q, global float (*m)[16],\n"
      "  read_only image2d_t i, __write_only image2d_t o, global float* const k, local int l[],\n"
      "  float* g, global float** h, pipe int w) {}");
  const std::vector<Parameter> p = parsed.parameters();
  ASSERT_EQ(p.size(), 16u);
  const auto name = [&](std::size_t i) { return parsed.source.symbols.name(p[i].name); };
  EXPECT_EQ(name(0), "a");
  EXPECT_TRUE(p[0].is_pointer && p[0].is_global && p[0].points_to_const);
  EXPECT_EQ(p[0].type, "float");
  EXPECT_EQ(p[1].type, "unsigned int");
  EXPECT_FALSE(p[1].points_to_const);
  EXPECT_TRUE(p[2].is_local && !p[2].is_global);
  EXPECT_TRUE(p[3].is_constant);
  EXPECT_EQ(p[3].type, "struct P");
  EXPECT_TRUE(p[4].is_pointer && p[4].is_global && p[4].points_to_const);
  EXPECT_EQ(p[4].type, "float4");
  EXPECT_FALSE(p[5].is_pointer || p[5].points_to_const);
  EXPECT_EQ(name(5), "n");
  EXPECT_EQ(p[6].type, "float2");
  EXPECT_FALSE(p[7].is_pointer);
  EXPECT_EQ(name(8), "m");
  EXPECT_TRUE(p[8].is_pointer);
  EXPECT_TRUE(p[9].is_image && !p[9].can_write_image);
  EXPECT_TRUE(p[10].is_image && p[10].can_write_image);
  EXPECT_TRUE(p[11].is_pointer && !p[11].points_to_const);
  EXPECT_EQ(name(11), "k");
  EXPECT_TRUE(p[12].is_pointer && p[12].is_local);
  EXPECT_TRUE(p[13].is_pointer && !p[13].is_global);
  EXPECT_EQ(p[14].indirections, 2);
  EXPECT_TRUE(p[15].is_pipe);
}

TEST(SourceProgram, a_typedef_of_several_names_is_told_apart) {
  const Parsed parsed(
      "typedef float real, *reals, row[4];\ntypedef struct { int m; } Node, *Nodes;\n"
      "kernel void f(real a, reals b, global Node* c, Nodes d, global row* e) {}");
  const std::vector<Parameter> p = parsed.parameters();
  ASSERT_EQ(p.size(), 5u);
  EXPECT_FALSE(p[0].is_pointer);
  EXPECT_EQ(p[0].type, "float");
  EXPECT_TRUE(p[1].is_pointer);
  EXPECT_EQ(p[2].indirections, 1);
  EXPECT_TRUE(p[3].is_pointer);
  EXPECT_EQ(p[4].indirections, 1);
  EXPECT_EQ(p[4].dimensions, 1);
}

TEST(SourceProgram, typedefs_of_all_undecided_branches_count) {
  const Parsed parsed(
      "#ifdef __X\ntypedef global int* P;\n#else\ntypedef int P;\n#endif\nkernel void f(P a) {}");
  EXPECT_TRUE(parsed.parameters().at(0).is_pointer);
  EXPECT_TRUE(parsed.parameters().at(0).is_global);
}

TEST(SourceProgram, no_parameters) {
  EXPECT_TRUE(Parsed("kernel void f(void) {}").parameters().empty());
  EXPECT_TRUE(Parsed("kernel void f() {}").parameters().empty());
}

TEST(SourceWords, vector_and_image_types_are_types) {
  for (const char* word : {"float4", "uchar16", "half8", "double2", "image2d_array_t", "size_t"})
    EXPECT_EQ(classify_word(word), Word::type) << word;
  for (const char* word : {"float5", "float44", "floats", "image", "imagine_t", "x4", ""})
    EXPECT_EQ(classify_word(word), Word::name) << word;
  EXPECT_EQ(classify_word("__local"), Word::local);
  EXPECT_EQ(classify_word("unsigned"), Word::sign);
}

}  // namespace
}  // namespace kiln
