#include <algorithm>

#include "blas/routines/vectors.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Rotg : public ::testing::Test {};
TYPED_TEST_SUITE(Rotg, Precisions);

template <class T>
struct Rotation {
  T r, z;
  Real<T> c;
  T s;
};

template <class T>
OperandData<T> one_scalar(const T& value, std::size_t offset) {
  auto data = OperandData<T>::vector(1, 1, offset, 1);
  data.all()[offset] = value;
  return data;
}

template <class T>
Rotation<T> rotation_of(const T& a, const T& b) {
  auto a_data = one_scalar<T>(a, 1), b_data = one_scalar<T>(b, 2), s_data = one_scalar<T>(T(9), 3);
  auto c_data = one_scalar<Real<T>>(9, 4);
  Call call = vector_call<T>(Routine::rotg, 0);
  call[Slot::x] = a_data.upload();
  call[Slot::y] = b_data.upload();
  call[Slot::z] = c_data.upload();
  call[Slot::w] = s_data.upload();
  EXPECT_EQ(run(call), Status::success);
  return {a_data.download()[1], b_data.download()[2], c_data.download()[4], s_data.download()[3]};
}

/// c and s must be a rotation that turns (a, b) to (r, 0).
template <class T>
void check(const T& a, const T& b) {
  SCOPED_TRACE(
      fmt::format("({}, {}) ({}, {})", std::real(a), std::imag(a), std::real(b), std::imag(b)));
  const auto [r, z, c, s] = rotation_of<T>(a, b);
  const long double tolerance = 16 * std::numeric_limits<Real<T>>::epsilon();
  const Wide wide_c(c), wide_s(s), wide_a(a), wide_b(b);
  const long double length = std::hypot(std::abs(wide_a), std::abs(wide_b));
  EXPECT_LE(std::abs(std::norm(wide_c) + std::norm(wide_s) - 1), tolerance);
  const long double least = 4 * std::numeric_limits<Real<T>>::denorm_min();
  EXPECT_LE(std::abs(wide_c * wide_a + wide_s * wide_b - Wide(r)), tolerance * length + least);
  EXPECT_LE(std::abs(wide_c * wide_b - std::conj(wide_s) * wide_a), tolerance * length + least);
  if constexpr (std::is_same_v<T, Real<T>>) {
    EXPECT_EQ(std::signbit(r), std::signbit(std::abs(a) > std::abs(b) ? a : b));
    // OpenCL lets a quotient in single precision be 2.5 units in the last place off.
    const T wanted = b == 0 ? 0 : std::abs(a) > std::abs(b) ? s : c == 0 ? 1 : 1 / c;
    // (Equal numbers first: the quotient may be infinite.)
    EXPECT_TRUE(z == wanted ||
                std::abs(z - wanted) <= 3 * std::numeric_limits<T>::epsilon() * std::abs(wanted))
        << z << ' ' << wanted;
  } else {
    EXPECT_EQ(z, b);
  }
}

TYPED_TEST(Rotg, turns_b_to_zero) {
  using T = TypeParam;
  const auto numbers = OperandData<T>::vector(40, 1, 0, 7).all();
  for (std::size_t i = 0; i + 1 < 40; ++i) check<T>(numbers[i], numbers[i + 1]);
  check<T>(T(3), T(4));
  check<T>(T(-4), T(3));
}

TYPED_TEST(Rotg, is_right_where_squares_leave_the_range) {
  using T = TypeParam;
  using R = Real<T>;
  using Limits = std::numeric_limits<R>;
  const T u = OperandData<T>::vector(1, 1, 0, 7).all()[0],
          v = OperandData<T>::vector(1, 1, 0, 8).all()[0];
  const std::vector<R> scales{Limits::max() / 4, std::sqrt(Limits::max()) * 8, 1,
                              std::sqrt(Limits::min()) / 8, Limits::min() * 4};
  for (const R one : scales)
    for (const R other : scales) check<T>(u * one, v * other);
}

TYPED_TEST(Rotg, zeros_are_answered_as_in_the_first_reference) {
  using T = TypeParam;
  const auto nothing = rotation_of<T>(T(0), T(0));
  EXPECT_EQ(nothing.c, Real<T>(1));
  EXPECT_EQ(nothing.s, T(0));
  EXPECT_EQ(nothing.r, T(0));
  const auto no_a = rotation_of<T>(T(0), T(-2));
  EXPECT_EQ(no_a.c, Real<T>(0));
  EXPECT_EQ(no_a.s, T(1));
  EXPECT_EQ(no_a.r, T(-2));
  const auto no_b = rotation_of<T>(T(-2), T(0));
  EXPECT_EQ(no_b.c, Real<T>(1));
  EXPECT_EQ(no_b.s, T(0));
  EXPECT_EQ(no_b.r, T(-2));
}

TYPED_TEST(Rotg, nan_gives_nan) {
  using T = TypeParam;
  const T nan(std::numeric_limits<Real<T>>::quiet_NaN());
  for (const auto& [a, b] : {std::pair(nan, T(1)), std::pair(T(1), nan), std::pair(nan, nan)}) {
    const auto rotation = rotation_of<T>(a, b);
    EXPECT_TRUE(std::isnan(rotation.c));
    EXPECT_TRUE(rotation.s != rotation.s);
    EXPECT_TRUE(rotation.r != rotation.r);
  }
}

template <class T>
class Rotmg : public ::testing::Test {};
TYPED_TEST_SUITE(Rotmg, RealPrecisions);

template <class T>
struct Result {
  T d1, d2, x1;
  std::array<T, 5> param;
};

constexpr int untouched = 77;

template <class T>
Result<T> result_of(T d1, T d2, T x1, T y1) {
  // One buffer for all: every scalar has its offset.
  auto data = OperandData<T>::vector(9, 1, 0, 1);
  std::fill(data.all().begin(), data.all().end(), T(untouched));
  std::copy_n(std::array{d1, d2, x1, y1}.begin(), 4, data.all().begin());
  Call call = vector_call<T>(Routine::rotmg, 0);
  const cl_mem memory = data.upload().memory;
  call[Slot::a] = {memory, 0, 0};
  call[Slot::b] = {memory, 1, 0};
  call[Slot::x] = {memory, 2, 0};
  call[Slot::y] = {memory, 3, 0};
  call[Slot::z] = {memory, 4, 0};
  EXPECT_EQ(run(call), Status::success);
  const auto now = data.download();
  EXPECT_EQ(now[3], y1);
  return {now[0], now[1], now[2], {now[4], now[5], now[6], now[7], now[8]}};
}

/// H as (h11, h12, h21, h22): what a flag leaves to param.
template <class T>
std::array<T, 4> matrix_of(const std::array<T, 5>& p) {
  if (p[0] == T(-1)) return {p[1], p[3], p[2], p[4]};
  if (p[0] == T(0)) return {1, p[3], p[2], 1};
  return {p[1], 1, -1, p[4]};
}

/// H (x1, y1) must be (new x1, 0), and H must carry the weighted product over:
/// H^T diag(new d) H = diag(old d).
template <class T>
void check(T d1, T d2, T x1, T y1) {
  SCOPED_TRACE(fmt::format("{} {} {} {}", d1, d2, x1, y1));
  const auto result = result_of(d1, d2, x1, y1);
  const auto [h11, h12, h21, h22] = matrix_of(result.param);
  const long double tolerance = 32 * std::numeric_limits<T>::epsilon();
  const auto near = [&](long double is, long double should, long double scale) {
    EXPECT_LE(std::abs(is - should), tolerance * scale) << is << " for " << should;
  };
  const long double X = x1, Y = y1, e1 = result.d1, e2 = result.d2;
  near(h11 * X + h12 * Y, result.x1, std::abs(h11 * X) + std::abs(h12 * Y));
  near(h21 * X + h22 * Y, 0, std::abs(h21 * X) + std::abs(h22 * Y));
  near(e1 * h11 * h11 + e2 * h21 * h21, d1, std::abs(d1));
  near(e1 * h12 * h12 + e2 * h22 * h22, d2, std::abs(d2));
  for (const long double d : {e1, e2})
    EXPECT_TRUE(d == 0 || (std::abs(d) > 0x1p-24L && std::abs(d) < 0x1p24L)) << d;
}

TYPED_TEST(Rotmg, turns_the_second_element_to_zero) {
  using T = TypeParam;
  const auto n = OperandData<T>::vector(80, 1, 0, 5).all();
  for (std::size_t i = 0; i + 3 < 80; i += 4)
    check<T>(std::abs(n[i]), std::abs(n[i + 1]), n[i + 2], n[i + 3]);
}

// Each of the two ways, with weights that need one step of scaling, or several: what the first step
// has done to H must stay (the published reference sets it anew in every step).
TYPED_TEST(Rotmg, scales_weights_that_leave_the_range) {
  using T = TypeParam;
  for (const int e1 : {-70, -50, -30, 0, 30, 50})
    for (const int e2 : {-70, -50, -30, 0, 30, 50}) {
      const T d1 = std::ldexp(T(0.75), e1), d2 = std::ldexp(T(0.6), e2);
      check<T>(d1, d2, T(0.5), T(0.25));
      check<T>(d1, d2, T(0.25), T(-0.5));
    }
}

TYPED_TEST(Rotmg, the_flag_says_which_elements_are_given) {
  using T = TypeParam;
  const auto large_x = result_of<T>(1, 1, 2, 1);
  EXPECT_EQ(large_x.param, (std::array<T, 5>{0, untouched, T(-0.5), T(0.5), untouched}));
  const auto large_y = result_of<T>(1, 1, 1, 2);
  EXPECT_EQ(large_y.param, (std::array<T, 5>{1, T(0.5), untouched, untouched, T(0.5)}));
  const auto nothing = result_of<T>(1, 1, 2, 0);
  EXPECT_EQ(nothing.param, (std::array<T, 5>{-2, untouched, untouched, untouched, untouched}));
  EXPECT_EQ(nothing.x1, T(2));
}

TYPED_TEST(Rotmg, what_has_no_rotation_gives_zeros) {
  using T = TypeParam;
  for (const auto& [d1, d2] : {std::pair(T(-1), T(1)), std::pair(T(1), T(-4))}) {
    const auto result = result_of<T>(d1, d2, 1, 1);
    EXPECT_EQ(result.param, (std::array<T, 5>{-1, 0, 0, 0, 0}));
    EXPECT_EQ(result.d1, T(0));
    EXPECT_EQ(result.d2, T(0));
    EXPECT_EQ(result.x1, T(0));
  }
}

TYPED_TEST(Rotmg, ends_with_infinite_weights) {
  using T = TypeParam;
  result_of<T>(std::numeric_limits<T>::infinity(), 1, 1, 1);
  result_of<T>(1, std::numeric_limits<T>::infinity(), 1, 1);
}

template <class T>
class Rotm : public ::testing::Test {};
TYPED_TEST_SUITE(Rotm, RealPrecisions);

TYPED_TEST(Rotm, applies_the_matrix_that_the_flag_describes) {
  using T = TypeParam;
  const T unread = std::numeric_limits<T>::quiet_NaN();
  const std::vector<std::array<T, 5>> cases{{-1, T(1.25), T(-0.5), T(0.75), T(2)},
                                            {0, unread, T(-0.5), T(0.75), unread},
                                            {1, T(1.25), unread, unread, T(2)}};
  for (const auto& given : cases) {
    auto param = OperandData<T>::vector(5, 1, 1, 3);
    std::copy(given.begin(), given.end(), param.all().begin() + 1);
    const Operand uploaded = param.upload();
    const auto h = matrix_of(given);
    check_pairs<T>(
        Routine::rotm, [&](Call& call) { call[Slot::z] = uploaded; },
        [&](const T& x, const T& y) {
          Sum new_x, new_y;
          new_x.add(h[0], x);
          new_x.add(h[1], y);
          new_y.add(h[2], x);
          new_y.add(h[3], y);
          return std::pair(new_x, new_y);
        });
  }
}

TYPED_TEST(Rotm, a_flag_of_minus_2_leaves_x_and_y) {
  using T = TypeParam;
  auto param = OperandData<T>::vector(5, 1, 0, 3);
  param.all()[0] = -2;
  const Operand uploaded = param.upload();
  check_pairs<T>(
      Routine::rotm, [&](Call& call) { call[Slot::z] = uploaded; },
      [](const T& x, const T& y) { return std::pair(exactly(x), exactly(y)); });
}

}  // namespace
}  // namespace kiln::blas::testing
