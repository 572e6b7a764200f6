#include "blas/level1/reductions.hpp"

namespace kiln::blas::testing {
namespace {

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
void check(OperandData<T>& x, std::size_t n) {
  ASSERT_EQ(result_of<cl_uint>(Routine::iamax, n, x), first_largest(x, n));
}

TYPED_TEST(Iamax, is_the_number_of_the_largest_element) {
  using T = TypeParam;
  for (const std::size_t n : sizes)
    for (const int inc : {1, 2, 3}) {
      SCOPED_TRACE(fmt::format("n {} increment {}", n, inc));
      auto x = OperandData<T>::vector(n, inc, 3, static_cast<unsigned>(n));
      check(x, n);
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
        check(x, n);
        x.all()[x.at(n - 1)] = T(7);
        x.all()[x.at(at + (n - at) / 2)] = T(7);
        check(x, n);
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
      check(x, n);
      x.all()[x.at(n - 1)] = infinite;
      check(x, n);
      x.all()[x.at(0)] = std::numeric_limits<R>::quiet_NaN();
      EXPECT_EQ(result_of<cl_uint>(Routine::iamax, n, x), 1u);
      for (auto& element : x.all()) element = std::numeric_limits<R>::quiet_NaN();
      EXPECT_EQ(result_of<cl_uint>(Routine::iamax, n, x), 1u);
    }
}

TYPED_TEST(Iamax, of_a_negative_increment_is_0) {
  auto x = OperandData<TypeParam>::vector(100, -1, 0, 1);
  EXPECT_EQ(result_of<cl_uint>(Routine::iamax, 100, x), 0u);
}

}  // namespace
}  // namespace kiln::blas::testing
