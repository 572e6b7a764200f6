// Globals under INC, MIN and MAX.
#include <cmath>
#include <limits>

#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

template <class T>
struct TypeName;
template <>
struct TypeName<std::int8_t> {
  static constexpr const char* text = "char";
};
template <>
struct TypeName<std::uint8_t> {
  static constexpr const char* text = "unsigned char";
};
template <>
struct TypeName<std::int16_t> {
  static constexpr const char* text = "short";
};
template <>
struct TypeName<std::uint16_t> {
  static constexpr const char* text = "unsigned short";
};
template <>
struct TypeName<std::int32_t> {
  static constexpr const char* text = "int";
};
template <>
struct TypeName<std::uint32_t> {
  static constexpr const char* text = "unsigned int";
};
template <>
struct TypeName<std::int64_t> {
  static constexpr const char* text = "long";
};
template <>
struct TypeName<std::uint64_t> {
  static constexpr const char* text = "unsigned long";
};
template <>
struct TypeName<float> {
  static constexpr const char* text = "float";
};
template <>
struct TypeName<double> {
  static constexpr const char* text = "double";
};

template <class T>
class ReductionTest : public MeshTest {
 protected:
  static constexpr std::size_t count = 2000;
  Set elements = mesh.set("elements", count);
  /// `body` with T for the type.
  Kernel kernel(const char* body) const {
    std::string text = body;
    for (std::size_t at; (at = text.find('@')) != std::string::npos;)
      text.replace(at, 1, TypeName<T>::text);
    return Kernel(text, "k");
  }
  Kernel least = kernel("void k(const @ *x, @ *g) { if (*x < *g) *g = *x; }");
  Kernel greatest = kernel("void k(const @ *x, @ *g) { if (*x > *g) *g = *x; }");
};
using Types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(ReductionTest, Types);

TYPED_TEST(ReductionTest, sums_add_to_what_the_global_has) {
  using T = TypeParam;
  const std::vector<T> ones(this->count, T{1});
  const Dat x = this->template dat<T>("x", this->elements, 1, ones);
  const Global g = this->mesh.global("g", T{3});
  const Kernel sum = this->kernel("void k(const @ *x, @ *g) { *g += *x; }");
  par_loop(sum, this->elements, arg(x, READ), arg(g, INC));
  EXPECT_EQ(g.value<T>(), static_cast<T>(this->count + 3));  // integers wrap round as C's do
  par_loop(sum, this->elements, arg(x, READ), arg(g, INC));
  EXPECT_EQ(g.value<T>(), static_cast<T>(2 * this->count + 3));
}

TYPED_TEST(ReductionTest, extremes_reach_the_ends_of_the_type) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  std::vector<T> values(this->count, T{5});
  values[1234] = limits::lowest();
  values[77] = limits::max();
  const Dat x = this->template dat<T>("x", this->elements, 1, values);
  const Global l = this->mesh.global("l", T{9}), g = this->mesh.global("g", T{2});
  par_loop(this->least, this->elements, arg(x, READ), arg(l, MIN));
  par_loop(this->greatest, this->elements, arg(x, READ), arg(g, MAX));
  EXPECT_EQ(l.value<T>(), limits::lowest());
  EXPECT_EQ(g.value<T>(), limits::max());
  // and data at an end of the type is not mistaken for a start
  for (const T end : {limits::lowest(), limits::max()}) {
    const Dat all =
        this->template dat<T>("all", this->elements, 1, std::vector<T>(this->count, end));
    Global low = this->mesh.global("low", limits::max());
    Global high = this->mesh.global("high", limits::lowest());
    par_loop(this->least, this->elements, arg(all, READ), arg(low, MIN));
    par_loop(this->greatest, this->elements, arg(all, READ), arg(high, MAX));
    EXPECT_EQ(low.value<T>(), end);
    EXPECT_EQ(high.value<T>(), end);
  }
}

TYPED_TEST(ReductionTest, extremes_keep_what_the_global_has_where_that_is_further) {
  using T = TypeParam;
  const Dat x = this->template dat<T>("x", this->elements, 1, std::vector<T>(this->count, T{50}));
  const Global l = this->mesh.global("l", T{7}), g = this->mesh.global("g", T{99});
  par_loop(this->least, this->elements, arg(x, READ), arg(l, MIN));
  par_loop(this->greatest, this->elements, arg(x, READ), arg(g, MAX));
  EXPECT_EQ(l.value<T>(), T{7});
  EXPECT_EQ(g.value<T>(), T{99});
}

TYPED_TEST(ReductionTest, each_component_is_reduced_by_itself) {
  using T = TypeParam;
  std::vector<T> values(2 * this->count);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 50);
  const Dat x = this->template dat<T>("x", this->elements, 2, values);
  const Global g = this->mesh.template global<T>("g", std::vector<T>{T{1}, T{100}, T{60}});
  const Kernel k = this->kernel(
      "void k(const @ *x, @ *g) { for (int i = 0; i < 2; ++i) if (x[i] < g[i]) g[i] = x[i]; "
      "if (x[0] > 100) g[2] = 0; }");
  par_loop(k, this->elements, arg(x, READ), arg(g, MIN));
  EXPECT_EQ(g.values<T>(), (std::vector<T>{T{0}, T{1}, T{60}}));
}

class GlobalTest : public MeshTest {
 protected:
  Set elements = mesh.set("elements", 500);
  Dat x = dat<double>("x", elements, 1, counting<double>(500));
  Kernel sum{"void sum(const double *x, double *g) { *g += *x; }", "sum"};
};

// PyOP2's text for MIN and MAX in loops through maps did not compile.
TYPED_TEST(ReductionTest, extremes_beside_increments_through_a_map_in_every_form) {
  using T = TypeParam;
  const std::size_t n = this->count;
  const Set nodes = this->mesh.set("nodes", n + 1);
  Indices ends;
  for (std::size_t e = 0; e < n; ++e)
    for (const std::size_t end : {e, e + 1}) ends.push_back(static_cast<std::int32_t>(end));
  const Map links = this->mesh.map("links", this->elements, nodes, 2, ends);
  // Of two components, with the extremes of their sum and difference where few elements are.
  std::vector<T> values;
  for (std::size_t i = 0; i <= n; ++i) values.push_back(static_cast<T>(20 + i * 7 % 13));
  values[n / 3] = 40;
  values[n - 1] = 1;
  const Dat x = this->template dat<T>("x", nodes, 1, values);
  const Kernel kernel = this->kernel(
      "void k(const @ *a, const @ *b, int *degree_a, int *degree_b, @ *least, @ *greatest) {\n"
      "  @ sum = (@)(*a + *b), first = *a;\n"
      "  *degree_a += 1; *degree_b += 1;\n"
      "  if (sum < least[0]) least[0] = sum;\n"
      "  if (first < least[1]) least[1] = first;\n"
      "  if (sum > greatest[0]) greatest[0] = sum;\n"
      "  if (first > greatest[1]) greatest[1] = first; }");
  std::vector<T> lows{100, 100}, highs{0, 0};
  for (std::size_t e = 0; e < n; ++e) {
    const T a = values[e], sum = static_cast<T>(a + values[e + 1]);
    lows = {std::min(lows[0], sum), std::min(lows[1], a)};
    highs = {std::max(highs[0], sum), std::max(highs[1], a)};
  }
  for (const Parameters& form : {Parameters{{"FORM", 0}, {"BLOCK", 64}},
                                 {{"FORM", 0}, {"LANES", 8}},
                                 {{"FORM", 1}, {"GROUP", 32}},
                                 {{"FORM", 2}, {"GROUP", 32}},
                                 {{"FORM", 3}, {"GROUP", 32}, {"BLOCK", 128}}}) {
    this->use_form(form);
    const Dat degree = this->template zeros<int>("degree", nodes);
    const Global low = this->mesh.template global<T>("low", std::vector<T>{100, 100});
    const Global high = this->mesh.template global<T>("high", std::vector<T>{0, 0});
    par_loop(kernel, this->elements, arg(x, links[0], READ), arg(x, links[1], READ),
             arg(degree, links[0], INC), arg(degree, links[1], INC), arg(low, MIN), arg(high, MAX));
    EXPECT_EQ(low.values<T>(), lows);
    EXPECT_EQ(high.values<T>(), highs);
    std::vector<int> degrees(n + 1, 2);
    degrees.front() = degrees.back() = 1;
    EXPECT_EQ(read<int>(degree), degrees);
  }
}

TEST_F(GlobalTest, globals_of_several_types_in_one_loop) {
  const Global i = mesh.global("i", 0), f = mesh.global("f", 0.0f), d = mesh.global("d", 1e300);
  const Global c = mesh.global("c", std::int8_t{100});
  const Kernel k(
      "void k(const double *x, int *i, float *f, double *d, char *c) { *i += 1; *f += 0.5f; "
      "if (*x < *d) *d = *x; if (*x < *c) *c = (char)*x; }",
      "k");
  par_loop(k, elements, arg(x, READ), arg(i, INC), arg(f, INC), arg(d, MIN), arg(c, MIN));
  EXPECT_EQ(i.value<int>(), 500);
  EXPECT_EQ(f.value<float>(), 250.0f);
  EXPECT_EQ(d.value<double>(), 0.0);
  EXPECT_EQ(c.value<std::int8_t>(), 0);
}

TEST_F(GlobalTest, one_global_as_two_sums_of_a_loop) {
  const Global g = mesh.global("g", 0);
  const Kernel k("void k(const double *x, int *a, int *b) { *a += 1; *b += 10; }", "k");
  par_loop(k, elements, arg(x, READ), arg(g, INC), arg(g, INC));
  EXPECT_EQ(g.value<int>(), 11 * 500);
}

TEST_F(GlobalTest, a_global_that_is_read_and_summed_is_read_as_it_was) {
  const Global g = mesh.global("g", 2);
  const Kernel k("void k(const double *x, const int *a, int *b) { *b += *a; }", "k");
  par_loop(k, elements, arg(x, READ), arg(g, READ), arg(g, INC));
  EXPECT_EQ(g.value<int>(), 2 + 2 * 500);
}

TEST_F(GlobalTest, sums_are_the_same_each_time) {
  Dat y = zeros<double>("y", elements);
  auto values = y.write<double>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i)) / 3;
  std::vector<double> sums;
  for (int round = 0; round < 5; ++round) {
    const Global g = mesh.global("g", 0.1);
    par_loop(sum, elements, arg(y, READ), arg(g, INC));
    sums.push_back(g.value<double>());
  }
  EXPECT_EQ(sums, std::vector<double>(5, sums[0]));
}

/// NaN among the elements, in every place where vector lanes or work-groups might lose it.
class NanTest : public MeshTest, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(NanTest, data_that_is_no_number_is_met_and_told) {
  const Set elements = mesh.set("elements", 500);
  const auto check = [&](auto zero, const char* type) {
    using T = decltype(zero);
    auto values = counting<T>(500, T{1});
    values[GetParam()] = std::numeric_limits<T>::quiet_NaN();
    const Dat x = dat<T>("x", elements, 1, values);
    for (const Access access : {MIN, MAX}) {
      // fmin and fmax would drop a NaN before it is seen, as C says.
      Global g = mesh.global("g", T{7});
      const std::string t = type;
      par_loop(Kernel("void k(const " + t + " *x, " + t + " *g) { *g = *x; }", "k"), elements,
               arg(x, READ), arg(g, access));
      EXPECT_EQ(refusal([&] { g.value<T>(); }), "global g: MIN or MAX met a NaN");
      g.set(T{3});
      EXPECT_EQ(g.value<T>(), T{3});
    }
  };
  check(float{}, "float");
  check(double{}, "double");
}
INSTANTIATE_TEST_SUITE_P(Places, NanTest,
                         ::testing::Values(0u, 1u, 7u, 16u, 127u, 128u, 498u, 499u));

TEST_F(GlobalTest, a_sum_of_what_is_no_number_is_no_number) {
  x.write<double>()[17] = std::numeric_limits<double>::quiet_NaN();
  const Global g = mesh.global("g", 0.0);
  par_loop(sum, elements, arg(x, READ), arg(g, INC));
  EXPECT_TRUE(std::isnan(g.value<double>()));
}

TEST_F(GlobalTest, new_values_reach_the_loops_that_follow_and_no_others) {
  // A new value is enqueued behind loops that read the old one, which may still wait.
  Global g = mesh.global("g", 1.0);
  std::vector<Dat> copies;
  const Kernel copy("void copy(const double *g, double *y) { *y = *g; }", "copy");
  for (int round = 0; round < 40; ++round) {
    copies.push_back(zeros<double>("copy", elements));
    g.set(static_cast<double>(round));
    par_loop(copy, elements, arg(g, READ), arg(copies.back(), WRITE));
  }
  g.set(-1.0);
  for (int round = 39; round >= 0; --round)
    EXPECT_EQ(read<double>(copies[static_cast<std::size_t>(round)]),
              std::vector<double>(500, round));
  EXPECT_EQ(g.value<double>(), -1.0);
}

TEST_F(GlobalTest, a_sum_starts_from_the_value_that_was_set_before_it) {
  Global g = mesh.global("g", 0.0);
  const Global total = mesh.global("total", 0.0);
  const Kernel add("void add(const double *x, const double *g, double *t) { *t += *g; }", "add");
  double expected = 0;
  for (int round = 0; round < 20; ++round) {
    g.set(static_cast<double>(round));
    par_loop(sum, elements, arg(x, READ), arg(g, INC));
    par_loop(add, elements, arg(x, READ), arg(g, READ), arg(total, INC));
    expected += 500 * (round + 499.0 * 500 / 2);
  }
  EXPECT_EQ(total.value<double>(), expected);
}

TEST_F(GlobalTest, globals_of_any_number_of_values_take_new_ones) {
  // Some sizes can be filled by a pattern, others are copied.
  for (const std::size_t dim : {1u, 2u, 3u, 4u, 16u, 17u, 100u}) {
    Global g = mesh.global<double>("g", std::vector<double>(dim, 1.0));
    const Dat y = zeros<double>("y", elements, dim);
    const std::string n = std::to_string(dim);
    const Kernel k(
        "void k(const double *g, double *y) { for (int i = 0; i < " + n + "; ++i) y[i] = g[i]; }",
        "k");
    par_loop(k, elements, arg(g, READ), arg(y, WRITE));
    const auto next = counting<double>(dim, 5);
    g.set(std::span<const double>(next));
    const Dat z = zeros<double>("z", elements, dim);
    par_loop(k, elements, arg(g, READ), arg(z, WRITE));
    g.set(std::span<const double>(std::vector<double>(dim, 9.0)));
    EXPECT_EQ(read<double>(y), std::vector<double>(500 * dim, 1.0));
    for (std::size_t i = 0; i < 500 * dim; ++i) ASSERT_EQ(z.read<double>()[i], next[i % dim]);
    EXPECT_EQ(g.values<double>(), std::vector<double>(dim, 9.0));
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
