// Reading users' kernels: what is found wrong, and where; and what is done to their text.
#include "mesh/codegen/user_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh/codegen/loop_data.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const LoopShape& shape) {
  const auto kernel = read_kernel(shape);
  if (kernel) return "none";
  EXPECT_EQ(kernel.error().code(), Errc::bad_input);
  return kernel.error().message();
}

std::vector<ArgShape> in_out() {
  return {direct(0, 1, Access::read, f64), direct(1, 1, Access::write, f64)};
}

TEST(UserKernels, that_do_not_parse_are_shown_by_file_line_and_column) {
  EXPECT_THAT(refusal_of(loop("void f(const double *x,\n       double *y) {\n  *y = *x +;\n}", "f",
                              in_out())),
              HasSubstr("user.c:3:12: expected expression"));
}

TEST(UserKernels, that_name_an_unknown_constant_are_told_what_it_may_mean) {
  const auto message = refusal_of(loop("void f(const double *x, double *y) { *y = gamm * *x; }",
                                       "f", in_out(), {{"gamma1"}, {"gam"}}));
  EXPECT_THAT(message, HasSubstr("user.c:1:"));
  EXPECT_THAT(message, HasSubstr("did you mean 'gam"));
  EXPECT_THAT(refusal_of(loop("void f(const double *x, double *y) { *y = zebra; }", "f", in_out(),
                              {{"gam"}})),
              HasSubstr("undeclared identifier 'zebra'; no constant of this name is declared"));
}

TEST(UserKernels, must_have_the_name_that_the_loop_gives) {
  EXPECT_THAT(refusal_of(loop("void res_calk(const double *x, double *y) { *y = *x; }", "res_calc",
                              in_out())),
              HasSubstr("no function 'res_calc' is defined here; did you mean 'res_calk'?"));
}

TEST(UserKernels, must_take_a_parameter_for_each_argument_and_index) {
  EXPECT_THAT(refusal_of(loop("void f(const double *x) { }", "f", in_out())),
              HasSubstr("user.c:1: kernel 'f' takes 1 parameter, the loop has 2 arguments"));
  auto shape = loop("void f(const double *x, double *y, int i) { }", "f", in_out());
  shape.extents = {2, 3};
  EXPECT_THAT(refusal_of(shape),
              HasSubstr("takes 3 parameters, the loop has 2 arguments and 2 iteration indices"));
  shape = loop("void f(const double *x, double *y, double i) { }", "f", in_out());
  shape.extents = {2};
  EXPECT_THAT(refusal_of(shape), HasSubstr("parameter 'i' of 'f' takes iteration index 0"));
}

TEST(UserKernels, must_take_the_types_that_the_data_have) {
  EXPECT_THAT(refusal_of(loop("void f(const double *x,\n float *y) { }", "f", in_out())),
              HasSubstr("user.c:2: argument 1 (Dat of double, WRITE) of the loop goes to parameter "
                        "'y' of 'f', a float *; double * was expected"));
  EXPECT_THAT(refusal_of(loop("void f(double x, double *y) { }", "f", in_out())),
              HasSubstr("argument 0"));
  auto arguments = in_out();
  arguments[0] = through_all(arguments[0], 0, 0, 3);
  EXPECT_THAT(refusal_of(loop("void f(const double *x, double *y) { }", "f", arguments)),
              HasSubstr("double **, a pointer for each entry of the map was expected"));
  EXPECT_EQ(refusal_of(loop("void f(const double *x[3], double *y) { }", "f", arguments)), "none");
  EXPECT_THAT(refusal_of(loop("void f(const double x[3][2], double *y) { }", "f", arguments)),
              HasSubstr("double **, a pointer for each entry of the map was expected"));
}

TEST(UserKernels, must_not_take_more_values_than_there_are) {
  EXPECT_EQ(refusal_of(loop("void f(const double x[1], double y[1]) { }", "f", in_out())), "none");
  EXPECT_THAT(refusal_of(loop("void f(const double *x, double y[7]) { }", "f", in_out())),
              HasSubstr("parameter 'y' of 'f', a double[7]; at most [1] was expected"));
  auto arguments = in_out();
  arguments[0] = through_all(arguments[0], 0, 0, 3);
  EXPECT_EQ(refusal_of(loop("void f(const double *x[2], double *y) { }", "f", arguments)), "none");
  EXPECT_THAT(refusal_of(loop("void f(const double *x[4], double *y) { }", "f", arguments)),
              HasSubstr("a const double *[4]; at most [3] was expected"));
}

TEST(UserKernels, must_take_a_matrix_in_rows_of_its_width_or_in_one_piece) {
  ArgShape mat = through_all(direct(0, 1, Access::inc, f64), 0, 0, 3);
  mat.kind = ArgShape::Kind::mat;
  mat.column_map = 0;
  mat.column_arity = 2;
  const auto refused = [&](const char* parameter) {
    return refusal_of(loop(std::string("void f(") + parameter + ") { }", "f", {mat}));
  };
  for (const char* right :
       {"double m[3][2]", "double (*m)[2]", "double *m", "double m[6]", "double m[][2]"})
    EXPECT_EQ(refused(right), "none") << right;
  for (const char* wrong : {"double m[3][99]", "double m[3][1]", "double **m", "double *m[3]"})
    EXPECT_THAT(refused(wrong), HasSubstr("double [3][2] was expected")) << wrong;
  EXPECT_THAT(refused("double m[4][2]"), HasSubstr("at most [3] was expected"));
  EXPECT_THAT(refused("double m[7]"), HasSubstr("at most [6] was expected"));
}

std::string of_write(const std::string& body, const std::string& before = "") {
  return refusal_of(loop(
      before + "\nvoid k(const double *x, double *u) {\n" + body + "\n}", "k",
      {direct(0, 3, Access::read, ScalarType::f64), direct(1, 3, Access::write, ScalarType::f64)}));
}

TEST(UserKernels, may_not_read_first_where_the_loop_only_writes) {
  EXPECT_THAT(
      of_write("u[0] = x[0];\nu[1] = u[1] + 1;"),
      HasSubstr("user.c:4: kernel 'k' reads through parameter 'u' before it writes there, but "
                "argument 1 of the loop is WRITE; RW was expected"));
  for (const char* body :
       {"u[0] = u[0] + 1;", "*u += x[0];", "u[1]++;", "--*u;", "(u[2]) *= 2;",
        "double t = *u; u[0] = t;", "if (x[0] > 0) { double t = 1; (void)t; } u[0] -= 1;",
        "if (u[0] > 0) u[0] = 1;", "{ u[0] = 1; u[1] = u[0] + u[2]; }",
        "for (int i = 0; i < 3; ++i) u[i] += x[i];", "int n = 2; u[n] = x[0] * u[n];",
        "u[0] = u[1] > 0 && x[0] > 0 ? 1 : 2;", "u[0] = 1; u[1] = sqrt(u[2]);"})
    EXPECT_THAT(of_write(body), HasSubstr("RW was expected")) << body;
}

TEST(UserKernels, may_read_what_they_wrote_and_what_they_perhaps_wrote) {
  for (const char* body :
       {"u[0] = 0; u[0] += 1;",
        "*u = 1; u[1] = u[0]; u[2] = u[1] * *u;",
        "for (int i = 0; i < 3; ++i) u[i] = 0; u[1] += 2;",
        "for (int i = 0; i < 3; ++i) { u[i] = 0; for (int j = 0; j < 3; ++j) u[i] += x[j]; }",
        "if (x[0] > 0) u[0] = 1; u[0] += 1;",
        "if (x[0] > 0) return; u[0] += 1;",
        "set(u); u[0] += 1;",
        "double *p = u; p[0] = 1; u[0] += 1;",
        "*(u + 1) = 1; u[1] += 1;",
        "double *p = &u[0]; *p = 3; u[0] += 1;",
        "int n = sizeof(u[0]); u[0] = n;",
        "(void)u[0]; u[0] = 1;",
        "(void)u; u[0] = 1;",
        "u[0] = u[1] = x[0]; u[1] += 1;",
        "u[0] = x[0] > 0 && u[1] > 0 ? 1 : 2;",
        "u[0] = x[0] > 0 ? u[1] : 2;",
        "int n = 0; u[n] = 1; u[0] += 1;",
        "u[0] = 1; int n = 0; u[n] += 1;",
        "int n = 1; for (int i = 0; i < n; ++i) u[i] += x[i];",
        "u[0x0] = 1; u[0] += 1;",
        "for (int i = 0; i < 3; ++i) { if (i < 1) continue; u[i] += 1; }",
        "switch (3) { default: u[0] = 1; } u[0] += 1;",
        "goto end; end: u[0] += 1;",
        "u[N] = 1; u[0] += 1;",
        "CLEAR(u[0]); u[0] += 1;",
        "SET(u[0], x[0]); u[0] += 1;",
        "CLEAR_ALL(u); u[1] += 1;",
        "SET(*u, 1); *u += 1;",
        "BOTH(u[0], u[1]); u[0] += u[1];",
        "double t[3]; double *v = t; { double *u = v; u[0] = 1; u[0] += 1; } u[0] = t[0];"})
    EXPECT_EQ(of_write(body,
                       "#define N 0\n#define CLEAR(a) a = 0\n#define SET(a, b) a = b\n"
                       "#define CLEAR_ALL(a) a[0] = a[1] = a[2] = 0\n"
                       "#define BOTH(a, b) a = 1, b = 2\n"
                       "void set(double *to) { to[0] = 1; }"),
              "none")
        << body;
}

TEST(UserKernels, may_not_write_where_the_loop_only_reads) {
  const auto writes = [](const std::string& body, const std::string& helper = "") {
    return refusal_of(
        loop(helper + "\nvoid f(double *x, double *y) { " + body + " }", "f", in_out()));
  };
  for (const char* body : {"*x = 1;", "x[0] += 2;", "(*x)++;", "*(x + 1) = 3;", "((x))[0] = *y;",
                           "double *p = x; p[0] = 5;", "double *p = x + 1, *q = p; *q += 1;"})
    EXPECT_THAT(writes(body),
                HasSubstr("writes through parameter 'x', but argument 0 of the loop is READ"))
        << body;
  EXPECT_THAT(writes("set(y, x);", "void set(const double *a, double *b) { b[0] = a[0]; }"),
              HasSubstr("parameter 'x'"));
  EXPECT_EQ(writes("set(x, y);", "void set(double *a, double *b) { b[0] = a[0]; }"), "none");
  // Which it is depends on what runs: no reason to refuse.
  EXPECT_EQ(writes("double *p = *y > 0 ? x : y; *p = 1;"), "none");
  EXPECT_EQ(writes("double *p = x; if (*p > 0) p = y; *p = 1;"), "none");
}

TEST(UserKernels, may_not_hide_a_constant_that_they_use) {
  EXPECT_THAT(
      refusal_of(loop(
          "double g(void) { return gam; }\nvoid f(const double *x, double *gam) { *gam = g(); }",
          "f", in_out(), {{"gam"}})),
      HasSubstr("user.c:2: 'gam' hides the constant of this name"));
}

/// Runs y = f(x) in both CPU forms.
std::vector<double> computed(const std::string& text, std::vector<ConstShape> constants = {},
                             std::vector<Raw> constant_values = {}) {
  const auto shape =
      loop(text, "f", {direct(0, 2, Access::read, f64), direct(1, 1, Access::write, f64)},
           std::move(constants));
  std::vector<double> result;
  for (const std::int64_t lanes : {1, 8}) {
    LoopData data;
    data.end = 11;
    std::vector<double> x(22);
    for (std::size_t i = 0; i < 22; ++i) x[i] = 0.5 * static_cast<double>(i) - 3;
    data.dats = {{0, raw(x)}, {1, raw(std::vector<double>(11))}};
    data.constants = constant_values;
    run_loop(shape, {{"FORM", 0}, {"LANES", lanes}}, data);
    const auto found = values<double>(data.dats[1]);
    if (!result.empty()) {
      EXPECT_EQ(result, found) << text;
    }
    result = found;
  }
  return result;
}

double input(int element, int k) { return 0.5 * (2 * element + k) - 3; }

TEST(UserKernels, may_have_helpers_pointers_structs_macros_and_comments) {
  const auto found = computed(R"(
/* f is the kernel: void f(void) { } */
#define F(a) f_of(a)   // f, too
#define SQUARE(a) ((a) * (a))
typedef struct { double value; int count; } pair_t;
static double f_of(const double *p);
inline double add(const double *p, long long n) { const double *q = p + n; return q[0] + *(q - 1); }
static double f_of(const double *p) { return SQUARE(p[1]) - gam * table[1]; }
static double last(const double *t) { return t[2]; }
void f(const double *x, double *y) {
  double local[2]; double *to = local;   // "f(" in a comment
  pair_t both = { x[0], 1 };
  *to++ = F(x); *to = add(x, 1);
  *y = local[0] + local[1] * both.count + last(table) + both.value;
}
)",
                              {{"gam", f64, 1, true}, {"table", f64, 3, false}},
                              {raw(std::vector<double>{1.5}), raw(std::vector<double>{1, 2, 4})});
  for (int e = 0; e < 11; ++e) {
    const double a = input(e, 0), b = input(e, 1);
    EXPECT_EQ(found[static_cast<std::size_t>(e)], b * b - 3 + (b + a) + 4 + a);
  }
}

// 1.4f is another number than 1.4: an application's check value depends on it.
TEST(UserKernels, keep_their_literals_as_written) {
  const auto found = computed("void f(const double *x, double *y) { *y = x[0] * 1.4f + 1.4; }");
  EXPECT_EQ(found[3], input(3, 0) * static_cast<double>(1.4F) + 1.4);
}

TEST(UserKernels, may_use_names_for_real_types_and_built_in_functions) {
  const auto found = computed(
      "typedef double real;\nstatic real half(real a) { return 0.5 * a; }\nvoid f(const real *x, "
      "real *y) { real s = fabs(x[0]); *y = x[0] > 0 ? half(s) : fmax(s, x[1]); }");
  for (int e = 0; e < 11; ++e) {
    const double a = input(e, 0), b = input(e, 1), s = a < 0 ? -a : a;
    EXPECT_EQ(found[static_cast<std::size_t>(e)], a > 0 ? 0.5 * s : std::max(s, b));
  }
}

TEST(UserKernels, give_equal_results_where_they_cannot_work_in_lanes) {
  const auto found = computed(
      "void f(const double *x, double *y) { int n = x[0] > 0; while (n < 3) ++n; if (x[1] > 1) *y "
      "= n; else *y = -(x[0] < 0); }");
  for (int e = 0; e < 11; ++e)
    EXPECT_EQ(found[static_cast<std::size_t>(e)], input(e, 1) > 1 ? 3 : -(input(e, 0) < 0 ? 1 : 0));
}

}  // namespace
}  // namespace kiln::mesh::testing
