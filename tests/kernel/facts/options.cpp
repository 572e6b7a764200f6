// What build options say to the reader of kernels.
#include "kernel/facts/kernels.hpp"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using testing::kernel;
using ::testing::Pair;
using testing::shown;

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

TEST(FactsOptions, those_that_change_the_text_are_refused_and_sizes_are_not_known_then) {
  const std::string text = kernel("out[i] = 1;");
  EXPECT_EQ(judge(text).parameters.at(0).layout.bytes, 4u);
  for (const char* option : {"-include x.h", "-x clc++", "-cl-std=CLC++", "-Xclang -fplugin=x"}) {
    const auto facts = judge(text, {}, option);
    EXPECT_FALSE(facts.splittable) << option;
    EXPECT_EQ(facts.parameters.at(0).layout.bytes, 0u) << option;
  }
}

TEST(FactsOptions, the_version_of_the_language_counts) {
  const std::string text =
      "#if __OPENCL_C_VERSION__ >= 200\n#define ID get_group_id\n#else\n"
      "#define ID get_global_id\n#endif\n" +
      kernel("out[ID(0)] = 1;");
  EXPECT_TRUE(judge(text).splittable);
  EXPECT_FALSE(judge(text, {}, "-cl-std=CL2.0").splittable);
  EXPECT_THAT(shown(judge(text, {}, "-cl-std=CL9")), HasSubstr("is not known"));
  const std::string relaxed =
      kernel("\n#ifdef __FAST_RELAXED_MATH__\nout[i] = get_group_id(0);\n#endif\n");
  EXPECT_TRUE(judge(relaxed).splittable);
  EXPECT_FALSE(judge(relaxed, {}, "-cl-fast-relaxed-math").splittable);
}

TEST(FactsOptions, what_is_known_of_the_device_decides) {
  const std::string text = kernel("\n#ifdef cl_khr_x\nout[i] = get_group_id(0);\n#endif\n");
  const auto splittable = [&](std::string_view source, const TargetMacros& target) {
    return value_or_throw(read_kernel_facts(source, "", {"k"}, target)).front().splittable;
  };
  EXPECT_FALSE(splittable(text, {}));
  EXPECT_FALSE(splittable(text, {{{"cl_khr_x", "cl_khr_y"}}, 0}));
  EXPECT_TRUE(splittable(text, {{{"cl_khr_y"}}, 0}));
  const std::string version =
      kernel("\n#if __OPENCL_VERSION__ >= 300\nout[i] = get_group_id(0);\n#endif\n");
  EXPECT_FALSE(splittable(version, {}));
  EXPECT_FALSE(splittable(version, {{}, 300}));
  EXPECT_TRUE(splittable(version, {{}, 120}));
}

TEST(FactsOptions, more_ways_through_the_text_than_are_followed_are_refused) {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += "#ifdef cl_x" + std::to_string(i) + "\n#define M" + std::to_string(i) + "\n#endif\n";
  const auto facts = judge(text + kernel("out[i] = 1;"));
  EXPECT_TRUE(facts.found && !facts.splittable);
  EXPECT_THAT(shown(facts), HasSubstr("more of its conditionals"));
  // Those that only switch an extension on are none.
  text.clear();
  for (int i = 0; i < 9; ++i)
    text += "#ifdef cl_x" + std::to_string(i) + "\n#pragma OPENCL EXTENSION cl_x" +
            std::to_string(i) + " : enable\n#else\n#error no x\n#endif\n";
  EXPECT_SPLITTABLE(text + kernel("out[i] = 1;"));
}

TEST(FactsOptions, a_way_that_ends_at_an_error_is_no_devices) {
  const std::string text =
      "#ifdef cl_khr_fp64\ntypedef double real;\n#else\n#error no doubles\n#endif\n" +
      kernel("real x = in[i]; out[i] = x;");
  EXPECT_SPLITTABLE(text);
  EXPECT_REFUSED("#error always\n" + kernel("out[i] = 1;"), "always");
}

TEST(FactsOptions, an_include_guard_is_no_choice) {
  EXPECT_SPLITTABLE("#ifndef _A_H_\n#define _A_H_\ntypedef float real;\n#endif\n" +
                    kernel("real x = in[i]; out[i] = x;"));
}

TEST(FactsOptions, other_languages_are_no_choice) {
  EXPECT_SPLITTABLE("#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + kernel("out[i] = 1;") +
                    "#ifdef __cplusplus\n}\n#endif\n");
}

TEST(FactsOptions, a_macro_in_a_pragma_is_expanded) {
  EXPECT_SPLITTABLE("#define N 4\n" +
                    kernel("\n#pragma unroll N\nfor (int j = 0; j < N; ++j) out[i] += in[j];"));
}

TEST(FactsOptions, what_an_option_undefines_is_not_there) {
  const std::string text =
      kernel("\n#ifndef __ENDIAN_LITTLE__\nout[i] = get_group_id(0);\n#endif\n");
  EXPECT_TRUE(judge(text).splittable);
  EXPECT_FALSE(judge(text, {}, "-U __ENDIAN_LITTLE__").splittable);
  EXPECT_FALSE(judge(text, {}, "-U__ENDIAN_LITTLE__").splittable);
}

/// `count` times a piece.
std::string repeated(const std::string& piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(FactsBounds, what_would_be_too_much_for_clang_is_refused_and_ends) {
  for (const int count : {3000, 100'000})
    for (const std::string& body : std::vector<std::string>{
             "out[i] = " + repeated("- ", count) + "n;", repeated("if (n) ", count) + "out[i] = 1;",
             "out[i] = " + repeated("(", count) + "n" + repeated(")", count) + ";",
             "out[i] = " + repeated("n ? n : ", count) + "n;",
             repeated("{", count) + repeated("}", count), repeated("if (n) {", count),
             repeated("if (n) n = 1; else ", count) + ";", "int " + repeated("*", count) + "p;"})
      EXPECT_FALSE(judge(kernel(body)).splittable) << body.substr(0, 40);
  // About as deep as is read: what lies deeper is left out, and nothing may ask for it.
  for (int depth = 390; depth < 410; ++depth)
    (void)judge(kernel(repeated("if (n) ", depth) + "{ int x = (int)n; out[i] = x; }"));
  std::string doubled = "#define M0 n + n\n#define F(x) x + x\n";
  for (int i = 1; i < 60; ++i)
    doubled += "#define M" + std::to_string(i) + " M" + std::to_string(i - 1) + " + M" +
               std::to_string(i - 1) + "\n";
  EXPECT_REFUSED(doubled + kernel("out[i] = M59;"), "macros expand to more");
  EXPECT_REFUSED(doubled + kernel("out[i] = " + repeated("F(", 60) + "n" + repeated(")", 60) + ";"),
                 "macros expand to more");
}

TEST(FactsBounds, large_texts_are_read) {
  EXPECT_SPLITTABLE(
      "#define ROUND(a) ((a) * 3 + ((a) >> 7))\n" +
      kernel("int x = n;\n" + repeated("x = ROUND(ROUND(ROUND(x)));\n", 300) + "out[i] = x;"));
  EXPECT_SPLITTABLE("constant int table[] = {" + repeated("1, 2, ", 3000) + "3};\n" +
                    kernel("out[i] = table[i & 7];"));
  EXPECT_SPLITTABLE(
      kernel(repeated("if (n == 1) { n = 2; } else ", 100) + "{ n = 3; } out[i] = n;"));
}

TEST(FactsOptions, all_kernels_are_given_in_the_order_of_the_text) {
  const auto all = value_or_throw(
      read_kernel_facts("kernel void b(int n) {}\nvoid c(void) {}\nkernel "
                        "__attribute__((reqd_work_group_size(8, 4, 1))) void a(global int* p) {\n"
                        "  p[get_global_id(1)] = 1; barrier(1); }\n",
                        "", {}));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "b");
  EXPECT_EQ(all[1].name, "a");
  EXPECT_EQ(all[1].dimensions, 2u);
  EXPECT_TRUE(all[1].uses_barrier && !all[0].uses_barrier);
  EXPECT_THAT(all[1].required_local_size, ElementsAre(8, 4, 1));
}

}  // namespace
}  // namespace kiln
