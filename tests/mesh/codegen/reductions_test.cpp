// Reductions of Globals: all types, the right identities, several components, NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mesh/codegen/loop_data.hpp"

namespace kiln::mesh::testing {
namespace {

template <class T>
constexpr ScalarType scalar_of() {
  if constexpr (std::is_same_v<T, float>) return ScalarType::f32;
  if constexpr (std::is_same_v<T, double>) return ScalarType::f64;
  constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<ScalarType>(2 * log + (std::is_unsigned_v<T> ? 1 : 0));
}

const Parameters reduction_forms[] = {
    {{"FORM", 0}, {"LANES", 1}}, {{"FORM", 0}, {"LANES", 8}}, {{"FORM", 1}, {"GROUP", 7}}};

template <class T>
class Reductions : public ::testing::Test {
 public:
  /// Reduces x, two components an element, into a Global of two components.
  std::vector<T> reduced(Access access, const std::vector<T>& x, std::vector<T> start,
                         const Parameters& parameters) {
    const std::string type(name_of(scalar_of<T>()));
    const std::string step = access == Access::inc   ? "g[k] += x[k];"
                             : access == Access::min ? "g[k] = x[k] < g[k] ? x[k] : g[k];"
                                                     : "g[k] = x[k] > g[k] ? x[k] : g[k];";
    const auto shape = loop(
        "void fold(const " + type + " *x, " + type + " *g) { for (int k = 0; k < 2; ++k) { " +
            step + " } }",
        "fold", {direct(0, 2, Access::read, scalar_of<T>()), global(0, 2, access, scalar_of<T>())});
    LoopData data;
    data.end = static_cast<int>(x.size() / 2);
    data.dats = {{0, raw(x)}};
    data.globals = {{0, raw(start)}};
    run_loop(shape, parameters, data);
    return values<T>(data.globals[0]);
  }
};
using Types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Reductions, Types);

TYPED_TEST(Reductions, find_extremes_up_to_the_ends_of_the_type) {
  using T = TypeParam;
  constexpr T low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  for (const auto& form : reduction_forms) {
    const std::vector<T> highs(60, high), lows(60, low);
    // The identity must not be what is found.
    EXPECT_EQ(this->reduced(Access::max, lows, {low, low}, form), (std::vector<T>{low, low}));
    EXPECT_EQ(this->reduced(Access::min, highs, {high, high}, form), (std::vector<T>{high, high}));
    std::vector<T> mixed(60, T{9});
    mixed[17] = high;
    mixed[42] = low;
    EXPECT_EQ(this->reduced(Access::max, mixed, {T{3}, T{11}}, form), (std::vector<T>{9, high}));
    EXPECT_EQ(this->reduced(Access::min, mixed, {T{3}, T{11}}, form),
              (std::vector<T>{low < 0 || low == 0 ? low : T{3}, T{9}}));
  }
}

TYPED_TEST(Reductions, add_to_what_the_global_holds) {
  using T = TypeParam;
  std::vector<T> x(74);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 2);
  for (const auto& form : reduction_forms)
    EXPECT_EQ(this->reduced(Access::inc, x, {T{5}, T{6}}, form), (std::vector<T>{T{5}, T{43}}));
}

TYPED_TEST(Reductions, of_no_elements_leave_the_global_as_it_is) {
  using T = TypeParam;
  for (const auto& form : reduction_forms)
    for (const Access access : {Access::inc, Access::min, Access::max})
      EXPECT_EQ(this->reduced(access, {}, {T{5}, T{6}}, form), (std::vector<T>{T{5}, T{6}}));
}

TEST(ReductionsOfFloats, keep_a_nan_that_an_element_left) {
  const auto shape = loop(
      "void keep(const double *x, double *g) { if (!(*x > *g)) *g = *x; }", "keep",
      {direct(0, 1, Access::read, ScalarType::f64), global(0, 1, Access::min, ScalarType::f64)});
  for (const auto& form : reduction_forms)
    for (const int where : {0, 20, 49}) {
      std::vector<double> x(50, 3.0);
      // Elements of other blocks and groups leave ordinary numbers.
      x[static_cast<std::size_t>(where)] = std::nan("");
      LoopData data;
      data.end = 50;
      data.dats = {{0, raw(x)}};
      data.globals = {{0, raw(std::vector<double>{7})}};
      run_loop(shape, form, data);
      EXPECT_TRUE(where != 49 || std::isnan(values<double>(data.globals[0])[0]));
    }
}

TEST(ReductionsOfFloats, keep_a_nan_that_the_global_holds) {
  const auto shape = loop(
      "void least(const float *x, float *g) { *g = fmin(*g, *x); }", "least",
      {direct(0, 1, Access::read, ScalarType::f32), global(0, 1, Access::min, ScalarType::f32)});
  for (const auto& form : reduction_forms) {
    LoopData data;
    data.end = 50;
    data.dats = {{0, raw(std::vector<float>(50, 3.0F))}};
    data.globals = {{0, raw(std::vector<float>{std::nanf("")})}};
    run_loop(shape, form, data);
    EXPECT_TRUE(std::isnan(values<float>(data.globals[0])[0]));
  }
}

TEST(Loops, end_at_the_last_element_that_an_int_can_number) {
  const auto shape = loop("void count(int *g) { *g += 1; }", "count", {global(0, 1, Access::inc)});
  for (const Parameters& form :
       {Parameters{{"FORM", 0}, {"LANES", 1}}, Parameters{{"FORM", 1}, {"GROUP", 7}},
        Parameters{{"FORM", 2}, {"GROUP", 7}}}) {
    LoopData data;
    data.end = std::numeric_limits<int>::max();
    data.begin = data.end - 100;
    data.globals = {{0, raw(std::vector<int>{5})}};
    run_loop(shape, form, data);
    EXPECT_EQ(values<int>(data.globals[0]), std::vector<int>{105}) << form.get("FORM", -1);
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
