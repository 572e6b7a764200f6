// syrk, herk, syr2k, her2k
#include <cmath>
#include <cstring>
#include <limits>

#include "blas/routines/level3.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
void check(Call call, std::size_t queues) {
  call.precision = precision_of<T>;
  const bool hermitian = call.routine == Routine::herk || call.routine == Routine::her2k;
  const bool two = call.routine == Routine::syr2k || call.routine == Routine::her2k;
  const bool turned = call.trans_a != Transpose::none;
  call.alpha = scalar(call.precision, 0.75, call.routine == Routine::herk ? 0 : 0.5);
  if (call.beta != Scalar(0)) call.beta = scalar(call.precision, 1.25, hermitian ? 0 : -0.25);
  auto a = matrix_data<T>(call.order, turned ? call.k : call.n, turned ? call.n : call.k, 1);
  auto b = matrix_data<T>(call.order, turned ? call.k : call.n, turned ? call.n : call.k, 2);
  auto c = matrix_data<T>(call.order, call.n, call.n, 3);
  call[Slot::a] = a.upload();
  call[Slot::b] = b.upload();
  call[Slot::c] = c.upload();
  ASSERT_EQ(run(call, queues), Status::success) << text_of(call);
  // A row of op(A) times a row of op(B), conjugated where hermitian.
  const auto x = applied(element_of(a, call.order), call.trans_a);
  const auto y = two ? applied(element_of(b, call.order), call.trans_a) : x;
  const auto prime = [&](Wide value) { return hermitian ? std::conj(value) : value; };
  Expected<T> expected(c);
  for (std::size_t i = 0; i < call.n; ++i)
    for (std::size_t j = 0; j < call.n; ++j) {
      if (!is_stored(call.uplo, i, j)) continue;
      const auto at = c.at(call.order, i, j);
      Sum sum;
      if (call.beta != Scalar(0))
        sum.add(call.beta, hermitian && i == j ? T(std::real(c.all()[at])) : c.all()[at]);
      for (std::size_t k = 0; k < call.k; ++k) {
        sum.add(Wide(call.alpha) * x(i, k), prime(y(j, k)));
        if (two) sum.add(prime(Wide(call.alpha)) * y(i, k), prime(x(j, k)));
      }
      if (hermitian && i == j) sum.value = sum.value.real();
      expected.set(at, sum);
    }
  const auto now = c.download();
  EXPECT_EQ(expected.difference(now), "") << text_of(call) << " queues " << queues;
  for (std::size_t i = 0; hermitian && i < call.n; ++i) {
    EXPECT_EQ(std::imag(now[c.at(call.order, i, i)]), 0) << text_of(call);
  }
}

template <class T>
void sweep(Routine routine, std::initializer_list<Transpose> transposes) {
  for (const auto order : orders)
    for (const auto uplo : uplos)
      for (const auto trans : transposes)
        for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{1, 1},
                                   {7, 5},
                                   {37, 40},
                                   {70, 9},
                                   {131, 33},
                                   {9, 0}})
          for (const std::size_t queues : {1, 3})
            for (const double beta : {0.0, 1.0}) {
              if (queues == 3 && n < 100) continue;
              Call call;
              call.routine = routine;
              call.order = order;
              call.uplo = uplo;
              call.trans_a = trans;
              call.n = n;
              call.k = k;
              call.beta = beta;
              check<T>(call, queues);
            }
}

template <class T>
class RankUpdate : public ::testing::Test {};
TYPED_TEST_SUITE(RankUpdate, Precisions);

// Triangles of sums whose depth is shared by work-items (the template deep_parts).
TYPED_TEST(RankUpdate, parts_of_a_great_depth_are_added) {
  for (const auto uplo : uplos)
    for (const auto routine : {Routine::syrk, Routine::syr2k, Routine::herk, Routine::her2k}) {
      const bool hermitian = routine == Routine::herk || routine == Routine::her2k;
      if (hermitian && !is_complex(precision_of<TypeParam>)) continue;
      Call call;
      call.routine = routine;
      call.uplo = uplo;
      call.trans_a = hermitian ? Transpose::conjugate : Transpose::transpose;
      call.n = 41;
      call.k = 4097;
      call.beta = 1;
      check<TypeParam>(call, 1);
    }
}

TYPED_TEST(RankUpdate, of_a_symmetric_matrix) {
  constexpr bool real = std::is_same_v<TypeParam, Real<TypeParam>>;
  for (const auto routine : {Routine::syrk, Routine::syr2k}) {
    sweep<TypeParam>(routine, {Transpose::none, Transpose::transpose});
    if (real) sweep<TypeParam>(routine, {Transpose::conjugate});
  }
}

template <class T>
class HermitianUpdate : public ::testing::Test {};
TYPED_TEST_SUITE(HermitianUpdate, ComplexPrecisions);

TYPED_TEST(HermitianUpdate, of_a_hermitian_matrix) {
  sweep<TypeParam>(Routine::herk, {Transpose::none, Transpose::conjugate});
  sweep<TypeParam>(Routine::her2k, {Transpose::none, Transpose::conjugate});
}

/// Calls a routine on a matrix whose diagonal has NaN for imaginary parts: all of it is left as it
/// is, or those parts are 0 afterwards.
template <class T>
void check_diagonal(Routine routine, double alpha, std::size_t k, double beta, bool is_left) {
  constexpr std::size_t n = 70;
  for (const auto uplo : uplos)
    for (const std::size_t queues : {1, 2}) {
      Call call;
      call.routine = routine;
      call.precision = precision_of<T>;
      call.uplo = uplo;
      call.n = n;
      call.k = k;
      call.alpha = alpha;
      call.beta = beta;
      auto a = matrix_data<T>(call.order, n, k, 1), b = matrix_data<T>(call.order, n, k, 2);
      auto c = matrix_data<T>(call.order, n, n, 3);
      for (std::size_t i = 0; i < n; ++i)
        c.all()[c.at(call.order, i, i)].imag(std::numeric_limits<Real<T>>::quiet_NaN());
      call[Slot::a] = a.upload();
      call[Slot::b] = b.upload();
      call[Slot::c] = c.upload();
      ASSERT_EQ(run(call, queues), Status::success) << text_of(call);
      const auto now = c.download();
      if (is_left)
        EXPECT_EQ(std::memcmp(now.data(), c.all().data(), now.size() * sizeof(T)), 0)
            << text_of(call) << " queues " << queues;
      else
        for (std::size_t i = 0; i < n; ++i)
          EXPECT_EQ(std::imag(now[c.at(call.order, i, i)]), 0) << text_of(call) << ' ' << i;
      if (alpha == 0 && !is_left)
        for (std::size_t i = 0; i < n; ++i) {
          const auto at = c.at(call.order, i, i);
          EXPECT_EQ(std::real(now[at]), static_cast<Real<T>>(beta) * std::real(c.all()[at]));
        }
    }
}

TYPED_TEST(HermitianUpdate, of_nothing_leaves_the_matrix_as_it_is) {
  for (const auto routine : {Routine::herk, Routine::her2k}) {
    check_diagonal<TypeParam>(routine, 0.5, 0, 1, true);
    check_diagonal<TypeParam>(routine, 0, 9, 1, true);
    check_diagonal<TypeParam>(routine, 0, 9, 0.5, false);
    check_diagonal<TypeParam>(routine, 0.5, 9, 1, false);
  }
}

TYPED_TEST(HermitianUpdate, does_not_read_the_diagonals_imaginary_parts) {
  constexpr std::size_t n = 70, k = 9;
  for (const auto& [routine, form] : {std::pair{Routine::herk, ""},
                                      {Routine::her2k, ""},
                                      {Routine::herk, "gpu"},
                                      {Routine::her2k, "gpu"}}) {
    Call call;
    call.routine = routine;
    call.precision = precision_of<TypeParam>;
    call.n = n;
    call.k = k;
    call.beta = 0.5;
    auto a = matrix_data<TypeParam>(call.order, n, k, 1);
    auto b = matrix_data<TypeParam>(call.order, n, k, 2);
    auto c = matrix_data<TypeParam>(call.order, n, n, 3);
    for (std::size_t i = 0; i < n; ++i)
      c.all()[c.at(call.order, i, i)].imag(std::numeric_limits<Real<TypeParam>>::infinity());
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    call[Slot::c] = c.upload();
    ASSERT_EQ(run(call, 1, form), Status::success) << text_of(call);
    const auto now = c.download();
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = now[c.at(call.order, i, i)];
      EXPECT_TRUE(std::isfinite(value.real())) << text_of(call) << ' ' << i << form;
      EXPECT_EQ(value.imag(), 0) << text_of(call) << ' ' << i << form;
    }
  }
}

}  // namespace
}  // namespace kiln::blas::testing
