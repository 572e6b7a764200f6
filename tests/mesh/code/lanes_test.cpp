// Which kernels work on vectors, and that the others do not.
#include "mesh/code/lanes.hpp"

#include <gtest/gtest.h>

#include "loop_data.hpp"
#include "mesh/code/loop_text.hpp"
#include "mesh/code/user_kernel.hpp"

namespace kiln::mesh::testing {
namespace {

constexpr ScalarType f64 = ScalarType::f64;

int lanes(const std::string& body, const std::string& before = "") {
  const auto shape = loop(before + "\nvoid f(const double *x, double *y) { " + body + " }", "f",
                          {direct(0, 2, Access::read, f64), direct(1, 2, Access::rw, f64)},
                          {{"gam", f64, 1, true}, {"table", f64, 4, false}});
  return lanes_of(shape, value_or_throw(read_kernel(shape)), 8);
}

TEST(Lanes, take_straight_code_helpers_loops_and_choices) {
  for (const char* body :
       {"*y = 2 * x[0];", "y[1] += gam * sqrt(x[0]) / x[1];",
        "for (int i = 0; i < 2; ++i) y[i] = -x[i];", "*y = x[0] > 0 ? x[0] : x[1];",
        "double t[2]; t[0] = x[1]; t[1] = 1; const double *p = t; *y = p[0] + table[2];",
        "*y = !(x[0] > 0 && x[1] < 1) ? x[0] : -x[0];", "*y = pow(x[0], x[1]) + fmax(x[0], x[1]);",
        "*y = (double)3 * x[0];", "{ double s = 0; s += 2.0f * x[0]; y[0] = s; }"})
    EXPECT_EQ(lanes(body), 8) << body;
  EXPECT_EQ(lanes("*y = g(x, 2);", "static double g(const double *p, int n) { return p[0] * n; }"),
            8);
}

// Each of these would compile as vectors, or nearly, and mean something else.
TEST(Lanes, refuse_what_vectors_would_change) {
  for (const char* body :
       {"if (x[0] > 0) *y = 1;", "while (y[0] < x[0]) y[0] += 1;", "*y = (x[0] > 0) + 1.0;",
        "*y = sizeof(double);", "double t[2] = {x[0], 1.0}; *y = t[1];", "*y = length(x[0]);",
        "*y = dot(x[0], x[1]);", "*y = (int)x[0];", "int n = x[0]; *y = n;",
        "*y = select(x[0], x[1], (long)(x[0] > 0));", "*y = x[0] > 0 ? y[1]++ : 0;",
        "for (double s = 0; s < x[0]; s += 1) *y += 1;", "float s = x[0]; *y = s;",
        "if (x[1] > 2) return; *y = 1;", "*y = x[0] && x[1];", "*y = !x[0];"})
    EXPECT_EQ(lanes(body), 1) << body;
  EXPECT_EQ(lanes("s_t s; s.a = x[0]; *y = s.a;", "typedef struct { double a; } s_t;"), 1);
}

TEST(Lanes, are_not_for_mixed_types_and_indirect_rw) {
  const std::string text = "void f(const double *x, float *y) { *y = *x; }";
  auto shape = loop(
      text, "f", {direct(0, 1, Access::read, f64), direct(1, 1, Access::write, ScalarType::f32)});
  EXPECT_EQ(lanes_of(shape, value_or_throw(read_kernel(shape)), 8), 1);
  shape = loop("void f(double *x) { *x += 1; }", "f",
               {through(direct(0, 1, Access::rw, f64), 0, 0, 2, 0)});
  EXPECT_EQ(lanes_of(shape, value_or_throw(read_kernel(shape)), 8), 1);
}

}  // namespace
}  // namespace kiln::mesh::testing
