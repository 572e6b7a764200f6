// dot, dotc and asum.
#include "blas/level1/reductions.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Sums : public ::testing::Test {};
TYPED_TEST_SUITE(Sums, Precisions);

template <class T>
T conjugate_if(bool conjugated, const T& value) {
  if constexpr (std::is_same_v<T, Real<T>>)
    return value;
  else
    return conjugated ? std::conj(value) : value;
}

template <class T>
void check_dot(Routine routine) {
  for (const std::size_t n : sizes)
    for (const auto& [inc_x, inc_y] : increments) {
      auto x = OperandData<T>::vector(n, inc_x, 3, 1);
      auto y = OperandData<T>::vector(n, inc_y, 2, 2);
      Call call = vector_call<T>(routine, n);
      call[Slot::x] = x.upload();
      call[Slot::y] = y.upload();
      Sum sum;
      for (std::size_t i = 0; i < n; ++i)
        sum.add(conjugate_if(routine == Routine::dotc, x.all()[x.at(i)]), y.all()[y.at(i)]);
      const T result = result_of<T>(call);
      ASSERT_TRUE(is_near(result, sum)) << n << ' ' << inc_x << ' ' << inc_y;
      const T again = result_of<T>(call);
      ASSERT_EQ(std::memcmp(&result, &again, sizeof result), 0);
    }
}

TYPED_TEST(Sums, dot_is_the_sum_of_products_and_the_same_bits_in_every_run) {
  check_dot<TypeParam>(Routine::dot);
}

TYPED_TEST(Sums, dotc_conjugates_x) { check_dot<TypeParam>(Routine::dotc); }

TYPED_TEST(Sums, asum_adds_the_magnitudes_of_all_parts) {
  using T = TypeParam;
  for (const std::size_t n : sizes)
    for (const int inc : {1, 2, 3}) {
      auto x = OperandData<T>::vector(n, inc, 3, 1);
      Sum sum;
      for (std::size_t i = 0; i < n; ++i) {
        const Wide element(x.all()[x.at(i)]);
        sum.add(std::abs(element.real()));
        sum.add(std::abs(element.imag()));
      }
      const auto result = result_of<Real<T>>(Routine::asum, n, x);
      ASSERT_TRUE(is_near(result, sum)) << n << ' ' << inc;
      ASSERT_EQ(result, result_of<Real<T>>(Routine::asum, n, x));
    }
}

TYPED_TEST(Sums, one_nan_makes_the_sum_nan) {
  using T = TypeParam;
  for (const int inc : {1, 2})
    for (const std::size_t n : {std::size_t{5}, std::size_t{100}, std::size_t{20'000}}) {
      auto x = OperandData<T>::vector(n, inc, 0, 1);
      auto y = OperandData<T>::vector(n, inc, 0, 2);
      x.all()[x.at(n - 2)] = std::numeric_limits<Real<T>>::quiet_NaN();
      EXPECT_TRUE(std::isnan(result_of<Real<T>>(Routine::asum, n, x)));
      Call call = vector_call<T>(Routine::dot, n);
      call[Slot::x] = x.upload();
      call[Slot::y] = y.upload();
      EXPECT_TRUE(std::isnan(std::abs(Wide(result_of<T>(call)))));
    }
}

TYPED_TEST(Sums, asum_of_a_negative_increment_is_0) {
  auto x = OperandData<TypeParam>::vector(100, -1, 0, 1);
  EXPECT_EQ(result_of<Real<TypeParam>>(Routine::asum, 100, x), Real<TypeParam>(0));
}

}  // namespace
}  // namespace kiln::blas::testing
