// Built-in functions in lanes: each lane gets what a single element gets, whatever its neighbours
// hold.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mesh/codegen/lanes.hpp"
#include "mesh/codegen/loop_data.hpp"

namespace kiln::mesh::testing {
namespace {

template <class T>
std::vector<T> arguments() {
  using Limits = std::numeric_limits<T>;
  return {T(0.3),
          T(0),
          T(-0.0),
          T(1),
          T(-1),
          T(2.5),
          T(-2.5),
          T(1e10),
          T(-1e-10),
          T(7),
          T(0.5),
          Limits::max(),
          Limits::min(),
          Limits::denorm_min(),
          T(1e30),
          T(-3),
          T(1e-3),
          T(100),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN()};
}

template <class T>
constexpr ScalarType type_of() {
  return std::is_same_v<T, double> ? ScalarType::f64 : ScalarType::f32;
}

/// y = f(x…) for each pair of arguments, in an order that puts unlike ones side by side.
template <class T>
std::vector<T> computed(const std::string& call, int lanes) {
  const ScalarType type = type_of<T>();
  const std::string real(name_of(type));
  const auto shape =
      loop("typedef " + real + " real;\nvoid f(const real *x, real *y) { y[0] = " + call + "; }",
           "f", {direct(0, 2, Access::read, type), direct(1, 1, Access::write, type)});
  const auto values_of = arguments<T>();
  std::vector<T> x;
  for (const T a : values_of)
    for (const T b : values_of) x.insert(x.end(), {b, a});
  LoopData data;
  data.end = static_cast<int>(x.size() / 2);
  data.dats = {{0, raw(x)}, {1, raw(std::vector<T>(x.size() / 2))}};
  run_loop(shape, {{"FORM", 0}, {"LANES", lanes}}, data);
  return values<T>(data.dats[1]);
}

/// What OpenCL leaves open.
bool is_open(std::string_view function, double a, double b) {
  const bool orders = function == "min" || function == "max" || function == "clamp" ||
                      function == "step" || function == "smoothstep";
  return orders && (std::isnan(a) || std::isnan(b));
}

/// Equal but for what OpenCL lets functions differ in: some units in the last place, and numbers
/// below the least normal one.
template <class T>
bool is_near(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  const T scale = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) <=
         64 * std::numeric_limits<T>::epsilon() * scale + 4 * std::numeric_limits<T>::min();
}

std::string call_of(std::string_view name) {
  const std::string f(name);
  if (takes_integer(f)) return f + "(x[0], 3)";
  for (const char* two : {"atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "max",
                          "min", "pow", "powr", "remainder", "step", "native_divide"})
    if (f == two) return f + "(x[0], x[1])";
  for (const char* three : {"fma", "mad", "mix"})
    if (f == three) return f + "(x[0], x[1], x[0])";
  if (f == "clamp") return "clamp(x[0], (real)-1, (real)2)";
  if (f == "smoothstep") return "smoothstep((real)-1, (real)2, x[0])";
  return f + "(x[0])";
}

template <class T>
void expect_alike(std::string_view function) {
  const std::string call = call_of(function);
  const auto single = computed<T>(call, 1), lanes = computed<T>(call, 8);
  const auto x = arguments<T>();
  for (std::size_t i = 0; i < single.size(); ++i) {
    const T a = x[i % x.size()], b = x[i / x.size()];
    if (is_open(function, a, b)) continue;
    ASSERT_TRUE(is_near(single[i], lanes[i]))
        << name_of(type_of<T>()) << " " << call << " of x[0] = " << a << ", x[1] = " << b << ": "
        << single[i] << " alone, " << lanes[i] << " in lanes";
  }
}

class LanesBuiltIns : public ::testing::TestWithParam<std::string_view> {};

TEST_P(LanesBuiltIns, give_each_lane_what_an_element_gets_alone) {
  expect_alike<double>(GetParam());
  expect_alike<float>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Functions, LanesBuiltIns, ::testing::ValuesIn(elementwise_built_ins()),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace kiln::mesh::testing
