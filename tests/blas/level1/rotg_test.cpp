#include "blas/level1/vectors.hpp"

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

}  // namespace
}  // namespace kiln::blas::testing
