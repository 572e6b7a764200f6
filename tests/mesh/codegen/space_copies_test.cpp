// Kernels that get pointers to where the data lie, helpers and local pointers included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "mesh/codegen/loop_data.hpp"
#include "mesh/codegen/user_kernel.hpp"
#include "mesh/codegen/user_text.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int dim = 40;

LoopShape wide(const std::string& body, const std::string& before = "") {
  return loop(
      before + "\nvoid f(const int *x, const int *table, int *y) { " + body + " }", "f",
      {direct(0, dim, Access::read), global(0, 10, Access::read), direct(1, 2, Access::rw)});
}

std::string text(const LoopShape& shape, std::int64_t form) {
  return LoopGenerator().generate(make_request(shape, {}, 0), {{"FORM", form}, {"GROUP", 4}});
}

/// Runs it in all forms that have no plan; y must be the same in each and what `expected` says.
void expect_results(const LoopShape& shape,
                    const std::function<int(const int*, const int*)>& expected) {
  constexpr int n = 17;
  std::vector<int> x(n * dim), table(10), y(2 * n, 1);
  std::iota(x.begin(), x.end(), 3);
  std::iota(table.begin(), table.end(), 100);
  for (const std::int64_t form : {0, 1, 2}) {
    LoopData data;
    data.end = n;
    data.dats = {{0, raw(x)}, {1, raw(y)}};
    data.globals = {{0, raw(table)}};
    run_loop(shape, {{"FORM", form}, {"GROUP", 4}}, data);
    const auto found = values<int>(data.dats[1]);
    for (int e = 0; e < n; ++e) {
      EXPECT_EQ(found[static_cast<std::size_t>(2 * e)],
                1 + expected(x.data() + e * dim, table.data()));
      EXPECT_EQ(found[static_cast<std::size_t>(2 * e + 1)], 1);
    }
  }
}

TEST(SpaceCopies, hand_large_data_to_the_kernel_where_they_lie) {
  const auto shape = wide("for (int i = 0; i < 40; ++i) y[0] += x[i] * table[i % 10];");
  EXPECT_THAT(
      text(shape, 1),
      HasSubstr(
          "static void f_kiln_ggp(__global const int *x, __global const int *table, int *y)"));
  EXPECT_THAT(text(shape, 1),
              HasSubstr("f_kiln_ggp(kiln_d0 + (size_t)kiln_el0 * 40, kiln_global0, kiln_a2);"));
  expect_results(shape, [](const int* x, const int* t) {
    int sum = 0;
    for (int i = 0; i < dim; ++i) sum += x[i] * t[i % 10];
    return sum;
  });
}

TEST(SpaceCopies, follow_helpers_local_pointers_and_arithmetic) {
  const auto shape = wide(
      "const int *p = x + 4, *q = &x[2]; const int *r; r = p; ++r; int mine[2]; mine[0] = sum(x, "
      "3); mine[1] = 7;"
      "y[0] += sum(p, 2) + sum(q, 2) + sum(mine, 2) + *r + sum(table + 1, 2);",
      "static int first(const int *a) { return *a; }\n"
      "static int sum(const int *a, int n) { const int *end = a + n; int s = 0; while (a != end) s "
      "+= first(a++); return s; }");
  const std::string made = text(shape, 1);
  EXPECT_THAT(
      made,
      HasSubstr("sum_kiln_gp(__global const int *a, int n) { __global const int *end = a + n;"));
  EXPECT_THAT(made, HasSubstr("s += first_kiln_g(a++)"));
  // The same helper with private data is the user's own.
  EXPECT_THAT(made, HasSubstr("sum_kiln_gp(q, 2) + sum(mine, 2)"));
  expect_results(shape, [](const int* x, const int* t) {
    return x[4] + x[5] + x[2] + x[3] + (x[0] + x[1] + x[2]) + 7 + x[5] + t[1] + t[2];
  });
}

TEST(SpaceCopies, write_in_place_through_helpers) {
  auto shape = loop(
      "static void set(int *to, int n) { to[n] = n; }\nvoid g(int *big) { set(big, 3); int *p = "
      "big; p[39] += 5; }",
      "g", {direct(0, dim, Access::rw)});
  for (const std::int64_t form : {0, 1, 2}) {
    LoopData data;
    data.end = 9;
    data.dats = {{0, raw(std::vector<int>(9 * dim, 1))}};
    run_loop(shape, {{"FORM", form}, {"GROUP", 4}}, data);
    auto expected = std::vector<int>(9 * dim, 1);
    for (std::size_t e = 0; e < 9; ++e) {
      expected[e * dim + 3] = 3;
      expected[e * dim + 39] = 6;
    }
    EXPECT_EQ(values<int>(data.dats[0]), expected);
  }
}

// Each has no one space for a pointer; private copies give the right result all the same.
TEST(SpaceCopies, give_way_to_private_copies_where_a_pointer_has_two_spaces) {
  const char* bodies[] = {
      "int mine[1]; mine[0] = x[1]; const int *p = x[0] > 0 ? mine : x; y[0] += *p;",
      "int mine[1]; mine[0] = x[1]; const int *p = x; p = mine; y[0] += *p;",
      "holder_t h; h.p = x + 1; y[0] += *h.p;",
      "const int *all[2] = {table, x}; y[0] += all[1][1];",
      "y[0] += *second(x);",
      "int n = 1, *unused = &n; const int *p = (const int *)(x + n); y[0] += *p + 0 * *unused;"};
  for (const char* body : bodies) {
    const auto shape = wide(body,
                            "typedef struct { const int *p; } holder_t;\nstatic const int "
                            "*second(const int *a) { return a + 1; }");
    EXPECT_THAT(text(shape, 1), Not(HasSubstr("_kiln_g"))) << body;
    expect_results(shape, [](const int* x, const int*) { return x[1]; });
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
