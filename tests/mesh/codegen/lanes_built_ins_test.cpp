// Built-in functions in lanes: each lane gets what a single element gets, whatever its neighbours
// hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

#include "mesh/codegen/lanes.hpp"
#include "mesh/codegen/loop_data.hpp"
#include "mesh/codegen/loop_text.hpp"

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

/// y[k] = f_k(x…) for each pair of arguments, in an order that puts unlike ones side by side.
template <class T>
std::vector<T> computed(const std::vector<std::string>& calls, int lanes) {
  const ScalarType type = type_of<T>();
  const std::string real(name_of(type));
  std::string text = "typedef " + real + " real;\nvoid f(const real *x, real *y) {\n";
  for (std::size_t k = 0; k < calls.size(); ++k)
    text += "  y[" + std::to_string(k) + "] = " + calls[k] + ";\n";
  const auto shape = loop(text + "}", "f",
                          {direct(0, 2, Access::read, type),
                           direct(1, static_cast<int>(calls.size()), Access::write, type)});
  const auto written =
      lanes_of(shape, value_or_throw(read_kernel(shape)), lanes, built_ins_of(shape));
  EXPECT_EQ(written.count, lanes) << written.obstacle;
  const auto values_of = arguments<T>();
  std::vector<T> x;
  for (const T a : values_of)
    for (const T b : values_of) x.insert(x.end(), {b, a});
  LoopData data;
  data.end = static_cast<int>(x.size() / 2);
  data.dats = {{0, raw(x)}, {1, raw(std::vector<T>(x.size() / 2 * calls.size()))}};
  run_loop(shape, {{"FORM", 0}, {"LANES", lanes}}, data);
  return values<T>(data.dats[1]);
}

/// What OpenCL leaves open.
bool is_open(std::string_view function, double a, double b) {
  const bool orders = function == "min" || function == "max" || function == "clamp" ||
                      function == "step" || function == "smoothstep";
  // How exact native functions are, and of which numbers, is the implementation's own choice
  // (OpenCL C 6.15.2): vectors and numbers may be worked on in two ways.
  const bool is_far = function.starts_with("native_") && std::abs(a) > 1000;
  return is_far || (orders && (std::isnan(a) || std::isnan(b)));
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

// Compiling takes longer than running: a program, and a test, has several functions.
constexpr std::size_t functions_a_program = 8;

// Loops within these, which PoCL's compiler unrolls for each lane: minutes for eight.
constexpr std::string_view functions_with_loops[] = {"fmod", "remainder"};

const std::vector<std::string_view>& other_functions() {
  static const auto others = [] {
    const auto all = elementwise_built_ins();
    std::vector<std::string_view> kept(all.begin(), all.end());
    for (const auto function : functions_with_loops) std::erase(kept, function);
    return kept;
  }();
  return others;
}

std::span<const std::string_view> functions_from(std::size_t first) {
  const std::span all = other_functions();
  return all.subspan(first, std::min(all.size() - first, functions_a_program));
}

template <class T>
void expect_alike(std::span<const std::string_view> functions, int most_lanes = 8) {
  std::vector<std::string> calls;
  for (const auto function : functions) calls.push_back(call_of(function));
  const auto single = computed<T>(calls, 1), lanes = computed<T>(calls, most_lanes);
  const auto x = arguments<T>();
  ASSERT_EQ(single.size(), x.size() * x.size() * functions.size());
  ASSERT_EQ(lanes.size(), single.size());
  std::vector<bool> is_told(functions.size());  // each function's first fault is enough
  for (std::size_t at = 0; at < single.size(); ++at) {
    const std::size_t i = at / functions.size(), k = at % functions.size();
    const T a = x[i % x.size()], b = x[i / x.size()];
    if (is_told[k] || is_open(functions[k], a, b) || is_near(single[at], lanes[at])) continue;
    is_told[k] = true;
    ADD_FAILURE() << name_of(type_of<T>()) << " " << calls[k] << " of x[0] = " << a
                  << ", x[1] = " << b << ": " << single[at] << " alone, " << lanes[at]
                  << " in lanes";
  }
}

class LanesBuiltIns : public ::testing::TestWithParam<std::size_t> {};

// Without KILN_LONG the functions of one program are tried in double precision, and those of the
// next one in single.
TEST_P(LanesBuiltIns, give_each_lane_what_an_element_gets_alone) {
  const bool is_long = std::getenv("KILN_LONG") != nullptr;
  const bool is_even = GetParam() / functions_a_program % 2 == 0;
  if (is_long || is_even) expect_alike<double>(functions_from(GetParam()));
  if (is_long || !is_even) expect_alike<float>(functions_from(GetParam()));
}

TEST(LanesBuiltInsWithLoops, give_each_lane_what_an_element_gets_alone) {
  ASSERT_EQ(other_functions().size() + std::size(functions_with_loops),
            elementwise_built_ins().size());
  const int lanes = std::getenv("KILN_LONG") == nullptr ? 4 : 8;
  expect_alike<double>(functions_with_loops, lanes);
  expect_alike<float>(functions_with_loops, lanes);
}

INSTANTIATE_TEST_SUITE_P(Functions, LanesBuiltIns,
                         ::testing::Range(std::size_t{0}, other_functions().size(),
                                          functions_a_program),
                         [](const auto& first) {
                           const auto functions = functions_from(first.param);
                           return std::string(functions.front()) + "_to_" +
                                  std::string(functions.back());
                         });

}  // namespace
}  // namespace kiln::mesh::testing
