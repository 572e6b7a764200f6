#include "blas/level1/vectors.hpp"

namespace kiln::blas::testing {
namespace {

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

/// H as (h11, h12, h21, h22).
template <class T>
std::array<long double, 4> matrix_of(const std::array<T, 5>& p) {
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

}  // namespace
}  // namespace kiln::blas::testing
