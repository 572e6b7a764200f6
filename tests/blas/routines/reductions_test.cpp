#include <algorithm>

#include "blas/routines/vectors.hpp"

// dot, dotc, asum and sum; nrm2; iamax and its likes.

namespace kiln::blas::testing {
namespace {

template <class T>
class Sums : public ::testing::Test {};
TYPED_TEST_SUITE(Sums, Precisions);

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

TYPED_TEST(Sums, sum_adds_the_elements) {
  using T = TypeParam;
  for (const std::size_t n : sizes)
    for (const int inc : {1, 2, 3}) {
      auto x = OperandData<T>::vector(n, inc, 3, 1);
      Sum sum;
      for (std::size_t i = 0; i < n; ++i) sum.add(x.all()[x.at(i)]);
      const auto result = result_of<T>(Routine::sum, n, x);
      ASSERT_TRUE(is_near(result, sum)) << n << ' ' << inc;
      ASSERT_EQ(result, result_of<T>(Routine::sum, n, x));
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
void check_nrm2(OperandData<T>& x, std::size_t n) {
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
      check_nrm2(x, n);
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
        check_nrm2(x, n);
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

template <class T>
class Iamax : public ::testing::Test {};
TYPED_TEST_SUITE(Iamax, Precisions);

template <class T>
Real<T> size_of_element(const T& value) {
  return std::abs(std::real(value)) + std::abs(std::imag(value));
}

/// As reference BLAS goes through the elements.
template <class T>
cl_uint first_largest(const OperandData<T>& x, std::size_t n) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (size_of_element(x.all()[x.at(i)]) > size_of_element(x.all()[x.at(best)])) best = i;
  return static_cast<cl_uint>(best + 1);
}

template <class T>
void check_iamax(OperandData<T>& x, std::size_t n) {
  ASSERT_EQ(result_of<cl_uint>(Routine::iamax, n, x), first_largest(x, n));
}

TYPED_TEST(Iamax, is_the_number_of_the_largest_element) {
  using T = TypeParam;
  for (const std::size_t n : sizes)
    for (const int inc : {1, 2, 3}) {
      SCOPED_TRACE(fmt::format("n {} increment {}", n, inc));
      auto x = OperandData<T>::vector(n, inc, 3, static_cast<unsigned>(n));
      check_iamax(x, n);
    }
}

TYPED_TEST(Iamax, finds_the_largest_wherever_it_is_and_the_first_of_equals) {
  using T = TypeParam;
  for (const int inc : {1, 2})
    for (const std::size_t n : {std::size_t{150}, std::size_t{20'011}})
      for (std::size_t at = 0; at < n; at = at * 2 + 1) {
        SCOPED_TRACE(fmt::format("n {} increment {} at {}", n, inc, at));
        auto x = OperandData<T>::vector(n, inc, 1, 1);
        x.all()[x.at(at)] = T(-7);
        check_iamax(x, n);
        x.all()[x.at(n - 1)] = T(7);
        x.all()[x.at(at + (n - at) / 2)] = T(7);
        check_iamax(x, n);
      }
}

TYPED_TEST(Iamax, of_zeros_is_1) {
  using T = TypeParam;
  for (const std::size_t n : {std::size_t{1}, std::size_t{200}, std::size_t{20'011}}) {
    auto x = OperandData<T>::vector(n, 1, 0, 1);
    std::fill(x.all().begin(), x.all().end(), T(0));
    EXPECT_EQ(result_of<cl_uint>(Routine::iamax, n, x), 1u);
  }
}

TYPED_TEST(Iamax, nan_counts_only_where_it_comes_first) {
  using T = TypeParam;
  using R = Real<T>;
  const R infinite = std::numeric_limits<R>::infinity();
  for (const int inc : {1, 2})
    for (const std::size_t n : {std::size_t{3}, std::size_t{150}, std::size_t{20'011}}) {
      auto x = OperandData<T>::vector(n, inc, 0, 1);
      x.all()[x.at(1)] = std::numeric_limits<R>::quiet_NaN();
      check_iamax(x, n);
      x.all()[x.at(n - 1)] = infinite;
      check_iamax(x, n);
      x.all()[x.at(0)] = std::numeric_limits<R>::quiet_NaN();
      EXPECT_EQ(result_of<cl_uint>(Routine::iamax, n, x), 1u);
      for (auto& element : x.all()) element = std::numeric_limits<R>::quiet_NaN();
      EXPECT_EQ(result_of<cl_uint>(Routine::iamax, n, x), 1u);
    }
}

/// What a routine ranks elements by: the first with the most of it is found.
template <class T>
Real<T> rank_of(Routine routine, const T& value) {
  const bool of_size = routine == Routine::iamax || routine == Routine::iamin;
  const Real<T> found = of_size ? size_of_element(value) : std::real(value);
  return routine == Routine::iamin || routine == Routine::imin ? -found : found;
}

TYPED_TEST(Iamax, its_likes_find_the_first_of_the_smallest_and_of_the_signed) {
  using T = TypeParam;
  for (const auto routine : {Routine::iamin, Routine::imax, Routine::imin})
    for (const std::size_t n : sizes)
      for (const int inc : {1, 2}) {
        SCOPED_TRACE(fmt::format("{} n {} increment {}", name_of(routine), n, inc));
        auto x = OperandData<T>::vector(n, inc, 3, static_cast<unsigned>(n));
        // Several times the same, at the two ends of the range.
        for (std::size_t i = n / 3; i < n; i += n / 4 + 1) {
          x.all()[x.at(i)] = T(-3);
          if (i + 1 < n) x.all()[x.at(i + 1)] = T(3);
          if (i + 2 < n) x.all()[x.at(i + 2)] = T(0);
        }
        std::size_t best = 0;
        for (std::size_t i = 1; i < n; ++i)
          if (rank_of(routine, x.all()[x.at(i)]) > rank_of(routine, x.all()[x.at(best)])) best = i;
        ASSERT_EQ(result_of<cl_uint>(routine, n, x), best + 1);
        Call call = vector_call<T>(routine, n);
        call[Slot::x] = x.upload();
        call.first_index = 0;
        ASSERT_EQ(result_of<cl_uint>(call), best);
      }
}

TYPED_TEST(Iamax, of_nothing_but_infinities_is_the_first) {
  using T = TypeParam;
  for (const auto routine : {Routine::imax, Routine::imin})
    for (const std::size_t n : {std::size_t{3}, std::size_t{20'011}}) {
      auto x = OperandData<T>::vector(n, 1, 0, 1);
      const Real<T> infinite = std::numeric_limits<Real<T>>::infinity();
      for (auto& element : x.all()) element = routine == Routine::imax ? -infinite : infinite;
      EXPECT_EQ(result_of<cl_uint>(routine, n, x), 1u);
      x.all()[x.at(n - 1)] = T(0);
      EXPECT_EQ(result_of<cl_uint>(routine, n, x), n);
    }
}

TYPED_TEST(Iamax, of_a_negative_increment_is_0) {
  auto x = OperandData<TypeParam>::vector(100, -1, 0, 1);
  EXPECT_EQ(result_of<cl_uint>(Routine::iamax, 100, x), 0u);
}

}  // namespace
}  // namespace kiln::blas::testing
