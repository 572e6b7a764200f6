#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/source/condition.hpp"
#include "kernel/source/preprocess.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Macros = std::vector<std::pair<std::string, std::string>>;

std::string joined(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) text += (text.empty() ? "" : " ") + std::string(token.text);
  return text;
}

/// The tokens that are left, "| " and what undecided names may stand for, "! " where it gave up.
std::string after(std::string_view text, const Macros& macros = {}) {
  const Preprocessed result = preprocess(text, macros);
  std::string shown = joined(result.tokens);
  if (!result.alternatives.empty()) shown += " | " + joined(result.alternatives);
  if (!result.obstacles.empty()) shown += " ! " + result.obstacles[0].what;
  return shown;
}

TEST(Preprocess, macros_are_expanded) {
  EXPECT_EQ(after("#define N 16\n#define SQ(x) ((x)*(x))\nSQ(N) SQ (a+b) SQ"),
            "( ( 16 ) * ( 16 ) ) ( ( a + b ) * ( a + b ) ) SQ");
}

TEST(Preprocess, macros_of_the_command_line_count) {
  EXPECT_EQ(
      after("T x = N + F(2) + E 1;", {{"T", "float"}, {"N", "4"}, {"F(x)", "x*2"}, {"E", ""}}),
      "float x = 4 + 2 * 2 + 1 ;");
  EXPECT_EQ(after("X", {{"X", "1"}, {"X", "2"}}), "2");
}

TEST(Preprocess, a_macro_does_not_expand_in_itself) {
  EXPECT_EQ(after("#define f(x) f(x+1)\n#define a b\n#define b a\nf(f(2)) a b"),
            "f ( f ( 2 + 1 ) + 1 ) a b");
}

TEST(Preprocess, the_examples_of_the_standard_hold) {  // ISO C99 6.10.3.5, examples 3 and 7
  EXPECT_EQ(after("#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n"
                  "#define z z[0]\n#define h g(~\n#define m(a) a(w)\n#define w 0,1\n"
                  "#define t(a) a\nf(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n"
                  "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) "
            "; f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( "
            "0 , 1 ) ;");
  EXPECT_EQ(after("#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,11,) "
                  "t(,,12) t(,,);"),
            "123 45 67 89 10 11 12 ;");
}

TEST(Preprocess, pasting_makes_names_that_are_macros_again) {
  EXPECT_EQ(after("#define AB 7\n#define CAT(a,b) a##b\n#define XCAT(a,b) CAT(a,b)\n#define P A\n"
                  "CAT(A,B) CAT(P,B) XCAT(P,B) CAT(get_group,_id)(0)"),
            "7 PB 7 get_group_id ( 0 )");
}

TEST(Preprocess, variable_arguments_are_joined) {
  EXPECT_EQ(after("#define L(f, ...) p(f, ## __VA_ARGS__)\n#define M(a...) q(a)\n"
                  "L(1) L(1, 2, 3) M() M(4, 5)"),
            "p ( 1 ) p ( 1 , 2 , 3 ) q ( ) q ( 4 , 5 )");
}

TEST(Preprocess, a_call_may_span_lines_and_definitions) {
  EXPECT_EQ(after("#define F(x) <x>\nF\n(\n1\n) F(\n#define Y 2\nY)"), "< 1 > < 2 >");
}

TEST(Preprocess, a_macro_means_what_it_means_at_that_place) {
  EXPECT_EQ(after("#define A 1\nA\n#undef A\nA\n#define A 2\nA"), "1 A 2");
}

TEST(Preprocess, text_that_is_not_compiled_is_gone) {
  EXPECT_EQ(after("#if 0\nno don't \"\n#if 1\nno\n#endif\n#else\nyes\n#endif"), "yes");
  EXPECT_EQ(after("#define X\n#ifdef X\n1\n#else\n2\n#endif\n#ifndef X\n3\n#elif 1\n4\n#else\n5\n"
                  "#endif"),
            "1 4");
  EXPECT_EQ(after("#if N > 8\nbig\n#elif N == 8\neight\n#else\nsmall\n#endif", {{"N", "8"}}),
            "eight");
}

TEST(Preprocess, a_plain_name_that_nobody_defines_is_undefined) {
  EXPECT_EQ(after("#ifdef USE_X\n1\n#else\n2\n#endif\n#ifndef TILE\n#define TILE 16\n#endif\nTILE"),
            "2 16");
}

TEST(Preprocess, what_the_compiler_may_define_leaves_both_branches) {
  for (const std::string name : {"__OPENCL_C_VERSION__", "cl_khr_fp64", "CL_VERSION_2_0",
                                 "__IMAGE_SUPPORT__", "FP_FAST_FMA", "linux", "INT_MAX"})
    EXPECT_EQ(after("#ifdef " + name + "\n1\n#else\n2\n#endif"), "1 2") << name;
  EXPECT_EQ(after("#if __OPENCL_VERSION__ >= 200\n1\n#elif 1\n2\n#else\n3\n#endif"), "1 2");
  EXPECT_EQ(after("#if 0 && __X\n1\n#endif\n#if 1 || __X\n2\n#endif\n#if 1 && __X\n3\n#endif"),
            "2 3");
}

TEST(Preprocess, a_condition_that_is_no_expression_leaves_both_branches) {
  for (const std::string condition : {"defined(", "defined(X", "defined", "defined 1", "defined()",
                                      "", "(", "1 +", "defined(X) &&", "\"x\"", "@"})
    EXPECT_EQ(after("#if " + condition + "\n1\n#else\n2\n#endif"), "1 2") << condition;
}

TEST(Preprocess, an_opencl_compiler_is_known_to_be_one) {
  EXPECT_EQ(after("#ifdef __OPENCL_VERSION__\n1\n#else\n#include <stdint.h>\n#endif"), "1");
  EXPECT_EQ(after("#if !defined(__OPENCL_VERSION__)\n1\n#endif\n__OPENCL_VERSION__"),
            "__OPENCL_VERSION__");
  EXPECT_EQ(after("#undef __OPENCL_VERSION__\n#ifdef __OPENCL_VERSION__\n1\n#else\n2\n#endif"),
            "2");
}

TEST(Preprocess, a_name_with_two_meanings_stays_and_both_are_alternatives) {
  EXPECT_EQ(after("#ifdef cl_khr_fp64\n#define T double\n#else\n#define T float\n#endif\nT x;"),
            "T x ; | double float");
  const Preprocessed result = preprocess(
      "#ifdef cl_a\n#define F(x) g(x)\n#else\n#define F(x) h(x)\n#endif\nF(1+F(2));", {});
  EXPECT_EQ(joined(result.tokens), "F ( 1 + F ( 2 ) ) ;");
  EXPECT_THAT(joined(result.alternatives), HasSubstr("g ( 1 + F ( 2 ) )"));
  EXPECT_THAT(joined(result.alternatives), HasSubstr("h ( 2 )"));
  EXPECT_TRUE(result.tokens[0].flags & Token::undecided);
}

TEST(Preprocess, equal_definitions_in_all_branches_are_one_meaning) {
  EXPECT_EQ(after("#if __X\n#define A 1\n#else\n#define A 1\n#endif\nA"), "1");
}

TEST(Preprocess, a_definition_in_one_branch_is_unknown_to_the_other) {
  EXPECT_EQ(after("#if __X\n#define A 1\nA\n#else\nA\n#endif"), "1 A");
  EXPECT_EQ(after("#define A 0\n#if __X\n#undef A\n#define A 1\n#elif __Y\nA\n#endif\nA"),
            "0 A | 1 0");
}

TEST(Preprocess, nested_conditions_restore_what_they_changed) {
  EXPECT_EQ(
      after("#define A 0\n#if __X\n#if 1\n#undef A\n#define A 1\n#endif\nA\n#else\nA\n#endif"),
      "1 0");
}

TEST(Preprocess, pasting_an_undecided_name_is_marked) {
  const Preprocessed result = preprocess(
      "#ifdef cl_a\n#define P group\n#else\n#define P global\n#endif\n"
      "#define CAT(a,b) get_##a##b\n#define X(a) CAT(a,_id)\nX(P)(0)",
      {});
  EXPECT_TRUE(result.tokens[0].flags & Token::unclear_paste) << joined(result.tokens);
}

TEST(Preprocess, expansions_stand_at_the_line_of_the_call) {
  const Preprocessed result = preprocess("#define A x y\n\n\nA\n", {});
  ASSERT_THAT(result.tokens, SizeIs(2));
  EXPECT_EQ(result.tokens[1].line, 4u);
  EXPECT_EQ(result.symbols.name(result.tokens[1].macro), "A");
}

TEST(Preprocess, obstacles_are_named) {
  EXPECT_EQ(after("#if __X\n#include <x.h>\n#endif"), " ! <x.h>");
  EXPECT_EQ(after("#if 0\n#include <x.h>\n#endif"), "");
  EXPECT_THAT(after("#if __X\nvoid f() {\n#endif\n}"), HasSubstr("! a conditional whose branches"));
  EXPECT_THAT(after("#if 1\nvoid f() {\n#endif\n}"), "void f ( ) { }");
  EXPECT_THAT(after("#if 1\n"), HasSubstr("without #endif"));
  EXPECT_THAT(after("#endif\n"), HasSubstr("without #if"));
  EXPECT_THAT(after("#if 1\n#else\n#else\n#endif"), HasSubstr("after #else"));
  EXPECT_THAT(after("#define F(x) x\nF(1"), HasSubstr("cannot expand"));
  EXPECT_THAT(after("#define F(x,y) x\nF(1)"), HasSubstr("cannot expand"));
  EXPECT_THAT(after("#define F(x x\nF(1)"), HasSubstr("cannot expand"));
  EXPECT_THAT(after("#define C(a,b) a##b\nC(-,/)"), HasSubstr("cannot expand"));
  EXPECT_THAT(after("#pragma push_macro(\"X\")"), HasSubstr("push_macro"));
}

TEST(Preprocess, macros_that_multiply_are_stopped) {
  std::string text = "#define A0 x x x x x x x x\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "A" + std::to_string(i - 1);
    text += "#define A" + std::to_string(i) + " " + last + " " + last + " " + last + "\n";
  }
  EXPECT_THAT(preprocess(text + "A39", {}).obstacles, SizeIs(1));
  std::string nested = "x";
  for (int i = 0; i < 1000; ++i) nested = "F(" + nested + ")";
  EXPECT_THAT(preprocess("#define F(x) x x\n" + nested, {}).obstacles, SizeIs(1));
}

Truth truth(std::string_view text) {
  const Lexed lexed = lex(text);
  return evaluate_condition(lexed.tokens,
                            [](const Token& name) { return name.text.find("U") != 0; });
}

TEST(Condition, arithmetic_is_that_of_c) {
  for (const char* text :
       {"1",        "1+2*3==7", "(1+2)*3==9", "10/3==3", "-7/2==-3", "-7%3==-1", "1<<4==16",
        "0x10==16", "010==8",   "~0==-1",     "!0",      "1?2:0",    "0?0:1",    "3>2&&2>1",
        "0||1",     "6&3^1|8",  "x==0",       "1ull",    "7-2-1==4", "0?1/0:5"})
    EXPECT_EQ(truth(text), Truth::yes) << text;
  for (const char* text : {"0", "x", "1&&0", "0||0", "2<1", "1==2", "!5", "1?0:1"})
    EXPECT_EQ(truth(text), Truth::no) << text;
}

TEST(Condition, what_is_not_known_or_no_expression_is_unknown) {
  for (const char* text : {"U", "U+1", "U&&1", "U||0", "!U", "U?1:0", "1/0", "1%0", "1.5", "'a'",
                           "", "1+", "(1", "1 2", "-1<1u", "99999999999999999999", "U(2)", "#"})
    EXPECT_EQ(truth(text), Truth::unknown) << text;
  EXPECT_EQ(truth("U&&0"), Truth::no);
  EXPECT_EQ(truth("U(a,(b))||1"), Truth::yes);
  EXPECT_EQ(truth("U?1:1"), Truth::yes);
}

TEST(Condition, depth_is_bounded) {
  EXPECT_EQ(truth(std::string(100'000, '(') + "1"), Truth::unknown);
  EXPECT_EQ(truth(std::string(100'000, '!') + "1"), Truth::unknown);
}

RC_GTEST_PROP(Preprocess, any_text_ends_and_leaves_no_directive, ()) {
  const auto lines = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "#if __X", "#if 1", "#if 0", "#ifdef A", "#ifndef cl_b", "#elif __Y", "#else", "#endif",
      "#define A B", "#define B A(1)", "#define A(x) x B", "#define A(x,...) x##B __VA_ARGS__",
      "#undef A", "A", "A(B", ")", "B(A(2),3)", "{ (", "} )", "#if A", "#define C(x) A(x) A"));
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const Preprocessed result = preprocess(text, {{"B", "7"}});
  for (const Token& token : result.tokens) RC_ASSERT(token.kind != TokenKind::directive);
  RC_ASSERT(result.words.size() == result.symbols.size());
}

}  // namespace
}  // namespace kiln
