#include "blas/level1/reductions.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Nrm2 : public ::testing::Test {};
TYPED_TEST_SUITE(Nrm2, Precisions);

/// The norm in extended precision, whose range holds the squares of every double's scaled parts.
template <class T>
Sum norm_of(const OperandData<T>& x, std::size_t n) {
  long double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(Wide(x.all()[x.at(i)])));
  long double squares = 0;
  for (std::size_t i = 0; i < n; ++i)
    squares += largest == 0 ? 0 : std::norm(Wide(x.all()[x.at(i)]) / largest);
  Sum norm;
  norm.value = std::sqrt(squares) * largest;
  norm.magnitude = norm.value.real();
  norm.terms = n;
  return norm;
}

template <class T>
void check(OperandData<T>& x, std::size_t n) {
  const Sum norm = norm_of(x, n);
  const auto result = result_of<Real<T>>(Routine::nrm2, n, x);
  ASSERT_TRUE(is_near(result, norm)) << result << " for " << norm.value.real();
  ASSERT_EQ(result, result_of<Real<T>>(Routine::nrm2, n, x));
}

TYPED_TEST(Nrm2, is_the_euclidean_norm) {
  using T = TypeParam;
  for (const std::size_t n : sizes)
    for (const int inc : {1, 2, 3}) {
      SCOPED_TRACE(fmt::format("n {} increment {}", n, inc));
      auto x = OperandData<T>::vector(n, inc, 3, 1);
      check(x, n);
    }
}

TYPED_TEST(Nrm2, neither_overflows_nor_underflows) {
  using T = TypeParam;
  using R = Real<T>;
  const R huge = std::numeric_limits<R>::max(), tiny = std::numeric_limits<R>::min();
  const R least = std::numeric_limits<R>::denorm_min();
  const std::vector<std::pair<R, R>> mixes{{huge / 1024, huge / 512},
                                           {tiny, tiny * 2},
                                           {least * 3, least * 5},
                                           {huge / 1024, 1},
                                           {tiny, 1},
                                           {least, huge / 1024},
                                           {R(1) / (1 << 20), R(1 << 20)}};
  for (const auto& [even, odd] : mixes)
    for (const int inc : {1, 2})
      for (const std::size_t n : {std::size_t{2}, std::size_t{101}, std::size_t{20'001}}) {
        SCOPED_TRACE(fmt::format("{} and {}, n {} increment {}", even, odd, n, inc));
        auto x = OperandData<T>::vector(n, inc, 1, 1);
        for (std::size_t i = 0; i < n; ++i) x.all()[x.at(i)] *= i % 2 == 0 ? even : odd;
        check(x, n);
      }
}

// Between the ranges of large, medium and small numbers nothing may be lost.
TYPED_TEST(Nrm2, every_power_of_two_has_itself_as_norm) {
  using T = TypeParam;
  using R = Real<T>;
  using Limits = std::numeric_limits<R>;
  const int step = is_double(precision_of<T>) ? 11 : 1;
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; e += step) {
    auto x = OperandData<T>::vector(1, 1, 0, 1);
    x.all()[0] = std::ldexp(R(1), e);
    const R result = result_of<R>(Routine::nrm2, 1, x);
    ASSERT_LE(std::abs(result - std::ldexp(R(1), e)), std::ldexp(Limits::epsilon(), e)) << e;
  }
}

TYPED_TEST(Nrm2, zeros_infinities_and_nan) {
  using T = TypeParam;
  using R = Real<T>;
  const R infinite = std::numeric_limits<R>::infinity(), nan = std::numeric_limits<R>::quiet_NaN();
  for (const int inc : {1, 2})
    for (const std::size_t n : {std::size_t{3}, std::size_t{100}, std::size_t{20'000}}) {
      auto x = OperandData<T>::vector(n, inc, 0, 1);
      std::fill(x.all().begin(), x.all().end(), T(0));
      EXPECT_EQ(result_of<R>(Routine::nrm2, n, x), R(0));
      x.all()[x.at(n / 2)] = -infinite;
      EXPECT_EQ(result_of<R>(Routine::nrm2, n, x), infinite);
      x.all()[x.at(n - 1)] = nan;
      EXPECT_TRUE(std::isnan(result_of<R>(Routine::nrm2, n, x)));
      x.all()[x.at(n / 2)] = T(1);
      EXPECT_TRUE(std::isnan(result_of<R>(Routine::nrm2, n, x)));
    }
}

TYPED_TEST(Nrm2, of_a_negative_increment_is_0) {
  auto x = OperandData<TypeParam>::vector(100, -2, 0, 1);
  EXPECT_EQ(result_of<Real<TypeParam>>(Routine::nrm2, 100, x), Real<TypeParam>(0));
}

}  // namespace
}  // namespace kiln::blas::testing
