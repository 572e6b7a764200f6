// Which kernels work on vectors, and that the others do not.
#include "mesh/codegen/lanes.hpp"

#include <gtest/gtest.h>

#include "mesh/codegen/loop_data.hpp"
#include "mesh/codegen/loop_text.hpp"
#include "mesh/codegen/user_kernel.hpp"

namespace kiln::mesh::testing {
namespace {

int lanes(const std::string& body, const std::string& before = "") {
  const auto shape = loop(before + "\nvoid f(const double *x, double *y) { " + body + " }", "f",
                          {direct(0, 2, Access::read, f64), direct(1, 2, Access::rw, f64)},
                          {{"gam", f64, 1, true}, {"table", f64, 4, false}});
  return lanes_of(shape, value_or_throw(read_kernel(shape)), 8, built_ins_of(shape)).count;
}

TEST(Lanes, take_straight_code_helpers_loops_and_choices) {
  for (const char* body :
       {"*y = 2 * x[0];", "y[1] += gam * sqrt(x[0]) / x[1];",
        "for (int i = 0; i < 2; ++i) y[i] = -x[i];", "*y = x[0] > 0 ? x[0] : x[1];",
        "double t[2]; t[0] = x[1]; t[1] = 1; const double *p = t; *y = p[0] + table[2];",
        "*y = !(x[0] > 0 && x[1] < 1) ? x[0] : -x[0];", "float s = x[0]; *y = 2 * s;",
        "while (y[0] < x[0]) y[0] += 1;", "if (x[1] > 2) return; *y = 1;",
        "*y = pow(x[0], x[1]) + fmax(x[0], x[1]);", "*y = (double)3 * x[0];",
        "{ double s = 0; s += 2.0f * x[0]; y[0] = s; }"})
    EXPECT_EQ(lanes(body), 8) << body;
  EXPECT_EQ(lanes("*y = g(x, 2);", "static double g(const double *p, int n) { return p[0] * n; }"),
            8);
}

std::string obstacle(const std::string& body, const std::string& before = "") {
  const auto shape = loop(before + "\nvoid f(const double *x, double *y) {\n" + body + "\n}", "f",
                          {direct(0, 2, Access::read, f64), direct(1, 2, Access::rw, f64)});
  const Lanes found = lanes_of(shape, value_or_throw(read_kernel(shape)), 8, built_ins_of(shape));
  EXPECT_EQ(found.count, found.obstacle.empty() ? 8 : 1);
  return found.obstacle;
}

// Each of these would compile as vectors, or nearly, and mean something else.
TEST(Lanes, refuse_what_vectors_would_change_and_say_where) {
  const std::string number = "user.c:3: an integer that depends on floating-point numbers",
                    only_some =
                        "user.c:4: an integer or pointer that changes for some elements only";
  EXPECT_EQ(obstacle("int n = x[0]; *y = n + 1.0;"), number);
  EXPECT_EQ(obstacle("*y = (int)x[0] + 1.0;"), number);
  EXPECT_EQ(obstacle("int n;\nn = x[0] > 1; *y = n;"),
            "user.c:4: an integer that depends on floating-point numbers");
  EXPECT_EQ(obstacle("*y = ((x[0] > 0) + (x[1] > 0)) / 2;"), number);
  EXPECT_EQ(obstacle("*y = x[x[1] > 0];"),
            "user.c:3: an index that depends on floating-point numbers");
  EXPECT_EQ(obstacle("*y = x[0] && x[1] ? 1 / 2 : (x[0] > 0) % 2;"), number);
  EXPECT_EQ(obstacle("*y = select(x[0], x[1], (long)(x[0] > 0));"), "user.c:3: a call of select");
  EXPECT_EQ(obstacle("*y = length(x[0]);"), "user.c:3: a call of length");
  EXPECT_EQ(obstacle("*y = dot(x[0], x[1]);"), "user.c:3: a call of dot");
  EXPECT_EQ(obstacle("*y = x[0] * sizeof(double);"), "user.c:3: what is written here");
  EXPECT_EQ(obstacle("*y = x[0] > 0 ? y[1]++ : 0;"), "user.c:3: the value before a step");
  EXPECT_EQ(obstacle("*y = x[0] > 0 ? (y[1] += 1) : 0;"),
            "user.c:3: an assignment within a condition");
  EXPECT_EQ(obstacle("int n = 0;\nif (x[0] > 0) n = 1; *y = x[n];"), only_some);
  EXPECT_EQ(obstacle("int n = 0;\nwhile (y[0] < x[0]) { y[0] += 1; ++n; } *y = n;"), only_some);
  EXPECT_EQ(obstacle("int n = 0;\nfor (int i = 0; i < 2; ++i) if (x[i] > 0) n++; *y = n;"),
            only_some);
  EXPECT_EQ(obstacle("const double *p = x;\nif (x[0] > 0) p = x + 1; *y = *p;"), only_some);
  EXPECT_EQ(obstacle("int n[2];\nif (x[0] > 0) n[0] = 1; *y = n[0];"), only_some);
  EXPECT_EQ(obstacle("const double *p = x[0] > 0 ? x : x + 1; *y = *p;"),
            "user.c:3: a pointer that depends on floating-point numbers");
  EXPECT_EQ(obstacle("switch (y[0] > 1) { default: *y = x[0]; }"),
            "user.c:3: a switch that elements take in different ways");
  EXPECT_EQ(obstacle("int n = 1;\nswitch (n) { case 1: if (x[0] > 0) break; *y = 1; }"),
            "user.c:4: elements leave this switch one by one");
  EXPECT_EQ(obstacle("goto end; end: *y = x[0] + 1;"), "user.c:3: a goto");
  EXPECT_EQ(obstacle("double t[3] = {[1] = x[0]}; *y = t[1] + 1;"),
            "user.c:3: an initial value with a designator");
}

TEST(Lanes, refuse_what_helpers_change) {
  EXPECT_EQ(obstacle("*y = 1 + f_of(x[0]);", "static int f_of(double a) { return a > 0; }"),
            "user.c:3: an integer that depends on floating-point numbers");
  EXPECT_EQ(obstacle("s_t s; s.a = x[0]; *y = s.a + 1;", "typedef struct { double a; } s_t;"),
            "user.c:3: a variable of type s_t");
  EXPECT_EQ(obstacle("int n = 0; if (x[0] > 0) count(&n); *y = n + 1;",
                     "static void count(int *n) { *n += 1; }"),
            "user.c:1: an integer or pointer that changes for some elements only");
  EXPECT_EQ(obstacle("*y = x[0] > 0 ? set(y) : 1;",
                     "static double set(double *p) { p[1] = 1; return 2; }"),
            "user.c:3: a call within a condition of what may write");
}

// Of what a macro's body wrote libclang says only where the macro is used.
TEST(Lanes, refuse_macros_only_where_they_matter) {
  EXPECT_NE(obstacle("*y = SQUARE(x[0]);", "#define SQUARE(a) ((a) * (a))"), "");
  EXPECT_EQ(obstacle("if (x[1] > LEAST) *y += LEAST * x[0];", "#define LEAST 1e-6"), "");
  EXPECT_NE(obstacle("if (x[1] > 0) SET(*y, x[0]);", "#define SET(a, b) a = b"), "");
  EXPECT_NE(obstacle("if (x[1] > 0) ADD(*y, x[0]);", "#define ADD(a, b) a += b"), "");
  EXPECT_NE(obstacle("int n = 0; WHEN(x[0] > 0) n = 1; *y = n;", "#define WHEN(a) if (a)"), "");
  EXPECT_NE(obstacle("*y = LESS(x[0], x[1]) + 1;", "#define LESS(a, b) a < b"), "");
  EXPECT_NE(obstacle("double t[2] = PAIR; *y = t[0] + x[0];", "#define PAIR {1, 2}"), "");
}

TEST(Lanes, are_not_for_whole_numbers_and_indirect_rw) {
  const auto found = [](const LoopShape& shape, std::int64_t lanes) {
    return lanes_obstacle(shape, {{"FORM", 0}, {"LANES", lanes}}, built_ins_of(shape));
  };
  const auto whole =
      loop("void f(const double *x,\n int *y) { *y = *x; }", "f",
           {direct(0, 1, Access::read, f64), direct(1, 1, Access::write, ScalarType::i32)});
  EXPECT_EQ(found(whole, 1), "user.c:2: argument 1 ('y') is of an integer type (int)");
  const auto swaps = loop("void f(double *x) { *x += 1; }", "f",
                          {through(direct(0, 1, Access::rw, f64), 0, 0, 2, 0)});
  EXPECT_EQ(found(swaps, 8),
            "user.c:1: argument 0 ('x') is RW through a Map: elements may share a target");
  const auto moves = loop("void f(const double *x, double *y) { *y = *x; }", "f",
                          {direct(0, 1, Access::read, f64), direct(1, 1, Access::write, f64)});
  EXPECT_EQ(found(moves, 8), "the kernel only moves numbers: vectors would gain nothing");
  const auto good = loop("void f(const double *x, double *y) { *y = *x + 1; }", "f",
                         {direct(0, 1, Access::read, f64), direct(1, 1, Access::write, f64)});
  EXPECT_EQ(found(good, 8), "");
  EXPECT_EQ(found(good, 1), "LANES=1");
  // 4 lanes would have room: that 8 have not is no reason of one that asks for a single lane.
  const auto large = loop("void f(const double *x, double *y) { *y = *x + 1; }", "f",
                          {direct(0, 100, Access::read, f64), direct(1, 100, Access::write, f64)});
  EXPECT_EQ(found(large, 8), "8 lanes have 1600 values, more than 1024");
  EXPECT_EQ(found(large, 1), "LANES=1");
}

TEST(Lanes, may_mix_precisions) {
  const auto shape =
      loop("void f(const double *x, float *y) { *y = 2 * *x; }", "f",
           {direct(0, 1, Access::read, f64), direct(1, 1, Access::write, ScalarType::f32)});
  EXPECT_EQ(lanes_of(shape, value_or_throw(read_kernel(shape)), 16, built_ins_of(shape)).count, 16);
}

}  // namespace
}  // namespace kiln::mesh::testing
