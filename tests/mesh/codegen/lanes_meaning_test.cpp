// Kernels that work on vectors give what they give element after element.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string_view>

#include "mesh/codegen/loop_data.hpp"
#include "mesh/codegen/loop_text.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

struct Body {
  const char* name;
  const char* text;         ///< of f(const real *x, real *y): 4 components are read, 3 changed
  const char* before = "";  ///< helpers
};

// x and y hold quarters between -4 and 4, so that all is exact.
const Body bodies[] = {
    {"initial_values", "real t[3] = {x[0], 2, -x[1]}; y[0] = t[0] + t[1]; y[1] += t[2];"},
    {"initial_values_of_rows",
     "real m[2][2] = {{x[0], x[1]}, {0.5f}}; const real c[2] = {1.0f, 2.0f};\n"
     "y[0] = m[0][0] * c[1] + m[1][1]; y[1] = m[0][1] + m[1][0]; int n[2] = {1, 0}; y[2] = "
     "x[n[0]];"},
    {"initial_values_without_braces",
     "real m[2][2] = {1, x[2], x[3]}; real z[3] = {0}; y[0] = m[0][1]; y[1] = m[1][0] + m[1][1] + "
     "z[1];"},
    {"if", "if (x[0] > 0) y[0] = x[1];"},
    {"if_else", "if (x[0] < x[1]) { y[0] = 1; y[1] -= x[2]; } else y[0] = x[3] * 2;"},
    {"ifs_within_each_other",
     "if (x[0] > 0) { if (x[1] > 0) y[0] = 1; else if (x[2] > 0) { y[0] = 2; y[1] = x[2]; } } "
     "else\n"
     "  y[2] += 1;"},
    {"if_of_all", "int n = 2; if (n > 1) y[0] = 2 * x[1]; else y[0] = x[2];"},
    {"logic",
     "int n = 1; if ((x[0] > 0 && !(x[1] > 0)) || x[2] == x[3]) y[0] += 1;\n"
     "if (n > 0 && x[0] > 1) y[1] = 3; if (n > 5 || x[1] < 0) y[2] = 4; if (x[2] < 1 && n) y[2] += "
     "8;"},
    {"real_as_truth", "if (x[0] - x[1]) y[0] = 1; if (!x[2]) y[1] = 5;"},
    {"truth_as_number",
     "y[0] = (x[0] > 0) + 2 * x[1]; y[1] = x[2] > 0; y[2] += x[0] > 0 ? 1 : -1;"},
    {"not_a_number",
     "real big = x[0] / (x[1] - x[1]); y[0] = isnan(big) ? 7 : 3;\n"
     "if (isfinite(big)) y[1] = 1; else y[2] = 2;"},
    {"early_return",
     "if (x[0] > 1) return; y[0] = x[1]; if (x[1] < 0) { y[1] = 5; return; }\n"
     "for (int i = 0; i < 3; ++i) y[i] += 1;"},
    {"return_of_all", "int n = 3; y[0] = 2 * x[0]; if (n == 3) return; y[1] = 100;"},
    {"return_from_loop",
     "for (int i = 0; i < 4; ++i) { if (x[i] < 0) return; y[0] += x[i]; } y[1] = 9;"},
    {"while", "real left = x[0]; while (left > 0) { left -= 1; y[0] += 2; }"},
    {"while_counted",
     "real left = x[0]; int i = 0; while (left > 0 && i < 2) { left -= 1; y[i] += 2; i++; }"},
    {"do_while", "real left = x[0]; do { left -= 0.5f; y[1] += 1; } while (left > x[1]);"},
    {"for_until", "for (int i = 0; i < 4 && x[i] > -2; ++i) y[0] += x[i];"},
    {"for_of_reals", "for (real s = x[0]; s < 2; s += 0.75f) y[2] += s;"},
    {"break", "for (int i = 0; i < 4; ++i) { if (x[i] > 1) break; y[0] += x[i]; } y[1] += 1;"},
    {"continue",
     "for (int i = 0; i < 4; ++i) { if (x[i] > 1) continue; y[0] += x[i]; if (x[i] < -1) break; "
     "y[1] += 1; }"},
    {"endless", "real s = x[0]; for (;;) { s += 1; if (s > 3) break; y[0] += s; }"},
    {"endless_return", "real s = x[0]; while (1) { s += 1; if (s > 3) return; y[0] += s; }"},
    {"loops_in_loops",
     "for (int i = 0; i < 3; ++i) { real s = x[i]; while (s > 0) { s -= 1; if (s > 2) continue;\n"
     "  for (int j = 0; j < 2; ++j) { if (s < x[j]) break; y[j] += 1; } y[2] += s; } if (s == 0) "
     "break; }"},
    {"switch",
     "for (int i = 0; i < 3; ++i) switch (i) { case 0: y[0] = x[3]; break;\n"
     "case 1: if (x[1] > 0) y[1] = x[1]; break; default: y[2] += 1; }"},
    {"steps",
     "real s = x[0]; s++; --s; ++s; y[0]--; y[1] += --s;\n"
     "int n = 0; n++; y[n--] += 1; y[n] *= 2; y[2] /= 2; y[2] -= x[1];"},
    {"steps_in_part", "if (x[0] > 0) { y[0]++; --y[1]; real t = x[1]; t *= 2; y[2] -= t; }"},
    {"chains", "y[0] = y[1] = x[0]; if (x[1] > 0) y[1] = y[2] = x[2] + 1;"},
    {"whole_numbers_in_part",
     "if (x[0] > 0) { int k = 1; k += 1; for (int i = k; i < 4; i += 2) y[0] += x[i]; }"},
    {"pointers",
     "const real *p = x + 1; real t[3]; real *q = t; *q = p[1]; q[1] = *p; q[2] = 0;\n"
     "if (*p > 0) *q = 3; y[0] = t[0] + t[1]; if (x[0] > 0) { const real *r = x; y[1] = r[2]; }"},
    {"helpers",
     "y[0] = larger(x[0], x[1]) + larger(1, x[2]); if (x[2] > 0) y[1] = larger(x[3], 0.5f);",
     "static real larger(real a, real b) { if (a > b) return a; return b; }"},
    {"helpers_that_write", "if (x[0] > 0) add(x, y, 2); else add(x + 1, y, 1); add(x, &y[2], 1);",
     "static void inner(real v, real *to) { to[0] -= v; if (v > 2) { to[0] = v; return; } to[0] += "
     "2 * v; }\n"
     "static void add(const real *from, real *to, int n) { for (int i = 0; i < n; ++i) "
     "inner(from[i], to + i); }"},
    {"helpers_of_whole_numbers", "y[0] = x[next(1)]; y[next(0)] -= 2 * x[1];",
     "static int next(int i) { return (i + 1) % 3; }"},
    {"functions",
     "y[0] = fmax(x[0], (real)0) + pown(x[1], 2) + fabs(x[2]); y[1] = clamp(x[3], -(real)1, x[0] + "
     "9);\n"
     "if (fabs(x[0]) > 1) y[2] = sqrt(x[1] * x[1]);"},
    {"macros",
     "if (x[0] > HALF) { y[0] = HALF; y[1] += HALF * x[2]; y[2] = HALF + x[0]; } y[2] *= HALF;\n"
     "real t[2] = {x[0], 1}; if (x[1] < t[0]) y[0] -= HALF; else y[0] = t[1];",
     "#define HALF 0.5f"},
    {"casts",
     "int n = 3; y[0] = x[0] * (real)n + n / 2; y[1] = (real)(x[1] > 0) + (real)2; (void)n;"},
    {"other_precision",
     "double d = 0.5 * x[0]; float f = d + x[1]; f += 0.25 * d; y[0] = f; y[1] = (float)d; y[2] += "
     "d > 0.25 ? f : d;\n"
     "if (d < x[2]) y[2] = 1.0;"},
};

using Values = std::vector<double>;

template <class Real>
Values run(const Body& body, int lanes) {
  constexpr bool is_double = std::is_same_v<Real, double>;
  constexpr std::size_t count = 53;
  Mesh mesh(quiet_options());
  use_form(mesh, Parameters{{"FORM", 0}, {"LANES", lanes}, {"BLOCK", 40}});
  std::mt19937 random(7);
  const auto numbers = [&](std::size_t n) {
    std::vector<Real> values(n);
    for (auto& value : values) value = static_cast<Real>(static_cast<int>(random() % 33) - 16) / 4;
    return values;
  };
  const Set set = mesh.set("set", count);
  const Dat x = mesh.dat<Real>("x", set, 4, numbers(4 * count));
  const Dat y = mesh.dat<Real>("y", set, 3, numbers(3 * count));
  const Kernel kernel(std::string("typedef ") + (is_double ? "double" : "float") + " real;\n" +
                          body.before + "\nvoid f(const real *x, real *y) {\n" + body.text +
                          "\n}\n",
                      "f");
  par_loop(kernel, set, arg(x, READ), arg(y, RW));
  const auto found = y.read<Real>();
  return {found.begin(), found.end()};
}

class LanesMeaning : public ::testing::TestWithParam<Body> {};

template <class Real>
void expect_meaning(const Body& body, std::initializer_list<int> all_lanes) {
  const Values singles = run<Real>(body, 1);
  for (const int lanes : all_lanes) EXPECT_EQ(run<Real>(body, lanes), singles) << lanes;
}

// Each is a program, so that one body is tried in double precision and the next one in single.
TEST_P(LanesMeaning, is_that_of_single_elements) {
  const auto number = std::ranges::find(bodies, std::string_view(GetParam().name), &Body::name) -
                      std::begin(bodies);
  if (std::getenv("KILN_LONG") != nullptr) {
    expect_meaning<double>(GetParam(), {4, 8});
    expect_meaning<float>(GetParam(), {16});
  } else if (number % 2 == 0 || std::string_view(GetParam().name) == "other_precision") {
    expect_meaning<double>(GetParam(), {8});
  } else {
    expect_meaning<float>(GetParam(), {16});
  }
}

// Without this the test above could compare what fell back.
TEST_P(LanesMeaning, has_lanes) {
  for (const auto type : {ScalarType::f64, ScalarType::f32}) {
    const auto shape =
        loop(std::string("typedef ") + std::string(name_of(type)) + " real;\n" + GetParam().before +
                 "\nvoid f(const real *x, real *y) {\n" + GetParam().text + "\n}\n",
             "f", {direct(0, 4, Access::read, type), direct(1, 3, Access::rw, type)});
    const Lanes lanes = lanes_of(shape, value_or_throw(read_kernel(shape)), 8, built_ins_of(shape));
    EXPECT_EQ(lanes.count, 8) << lanes.obstacle;
    EXPECT_EQ(lanes.obstacle, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, LanesMeaning, ::testing::ValuesIn(bodies),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

}  // namespace
}  // namespace kiln::mesh::testing
