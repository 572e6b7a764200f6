// The routines of level 3 by the C++ interface, each in all of its precisions.
#include "blas/routines/level3.hpp"

#include "blas/api/operands.hpp"

namespace kiln::blas::testing::level3 {
namespace {

constexpr std::size_t m = 35, n = 21, k = 13;
constexpr Order order = Order::row_major;

template <class T>
class ApiLevel3 : public ::testing::Test {
 protected:
  using Data = OperandData<T>;
  static constexpr bool is_real = std::is_same_v<T, Real<T>>;
  T alpha_ = number<T>(0.75, 0.5), beta_ = number<T>(1.25, -0.25);

  static Data data(std::size_t rows, std::size_t columns, unsigned seed) {
    return matrix_data<T>(order, rows, columns, seed);
  }
  static Element of(const Data& data) { return element_of(data, order); }
  static Sum times(const Element& a, const Element& b, std::size_t depth, std::size_t i,
                   std::size_t j) {
    Sum sum;
    for (std::size_t l = 0; l < depth; ++l) sum.add(a(i, l), b(l, j));
    return sum;
  }
  static void scale(Sum& sum, const Wide& by) {
    sum.value *= by;
    sum.magnitude *= std::abs(by);
  }
  /// `expected(i, j)` where is_written(i, j).
  template <class Expect, class Written>
  static void check(const Call& call, Data& result, std::size_t rows, std::size_t columns,
                    Expect expect, Written is_written) {
    run_public(call);
    Expected<T> expected(result);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        if (is_written(i, j)) expected.set(result.at(order, i, j), expect(i, j));
    EXPECT_EQ(expected.difference(result.download()), "") << text_of(call);
  }
  static constexpr auto everywhere = [](std::size_t, std::size_t) { return true; };
  static constexpr auto below = [](std::size_t i, std::size_t j) { return i >= j; };

  /// C of symm and hemm, with A on the right.
  void check_sided(bool hermitian) {
    auto a = data(n, n, 1), b = data(m, n, 2), c = data(m, n, 3);
    const auto describe = [&](auto routine) {
      return routine(order, Side::right, Uplo::lower, m, n, alpha_, as_matrix(a.upload()),
                     as_matrix(b.upload()), beta_, as_matrix(c.upload()));
    };
    Call call;
    if constexpr (!is_real) call = describe(blas::hemm<T>);
    if (!hermitian) call = describe(blas::symm<T>);
    const auto whole = symmetric(of(a), Uplo::lower, hermitian);
    check(
        call, c, m, n,
        [&](auto i, auto j) {
          Sum sum = times(of(b), whole, n, i, j);
          scale(sum, Wide(alpha_));
          sum.add(beta_, c.all()[c.at(order, i, j)]);
          return sum;
        },
        everywhere);
  }
  /// C of a rank update. `second`: syr2k and her2k.
  void check_update(Call call, Data& c, const Data& a, const Data* second, bool hermitian) {
    const Transpose back = hermitian ? Transpose::conjugate : Transpose::transpose;
    const Wide alpha(call.alpha), beta(call.beta);
    check(
        call, c, n, n,
        [&](auto i, auto j) {
          Sum sum = times(of(a), applied(of(second ? *second : a), back), k, i, j);
          scale(sum, alpha);
          if (second) {
            Sum other = times(of(*second), applied(of(a), back), k, i, j);
            scale(other, hermitian ? std::conj(alpha) : alpha);
            sum.value += other.value;
            sum.magnitude += other.magnitude;
            sum.terms += other.terms;
          }
          const Wide before(c.all()[c.at(order, i, j)]);
          const bool real = hermitian && i == j;
          sum.add(beta, real ? Wide(before.real()) : before);
          if (real) sum.value = sum.value.real();
          return sum;
        },
        below);
  }
};
TYPED_TEST_SUITE(ApiLevel3, Precisions);

TYPED_TEST(ApiLevel3, gemm) {
  auto a = this->data(k, m, 1), b = this->data(n, k, 2), c = this->data(m, n, 3);
  const auto call =
      blas::gemm(order, Transpose::conjugate, Transpose::transpose, m, n, k, this->alpha_,
                 as_matrix(a.upload()), as_matrix(b.upload()), this->beta_, as_matrix(c.upload()));
  const auto first = applied(this->of(a), Transpose::conjugate);
  const auto second = applied(this->of(b), Transpose::transpose);
  this->check(
      call, c, m, n,
      [&](auto i, auto j) {
        Sum sum = this->times(first, second, k, i, j);
        this->scale(sum, Wide(this->alpha_));
        sum.add(this->beta_, c.all()[c.at(order, i, j)]);
        return sum;
      },
      this->everywhere);
}

TYPED_TEST(ApiLevel3, symm) { this->check_sided(false); }

TYPED_TEST(ApiLevel3, hemm) {
  if constexpr (ComplexElement<TypeParam>) this->check_sided(true);
}

TYPED_TEST(ApiLevel3, trmm) {
  auto a = this->data(m, m, 1), b = this->data(m, n, 2);
  const auto call = blas::trmm(order, Side::left, Uplo::lower, Transpose::conjugate, Diag::unit, m,
                               n, this->alpha_, as_matrix(a.upload()), as_matrix(b.upload()));
  const auto op = applied(triangular(this->of(a), Uplo::lower, Diag::unit), Transpose::conjugate);
  this->check(
      call, b, m, n,
      [&](auto i, auto j) {
        Sum sum = this->times(op, this->of(b), m, i, j);
        this->scale(sum, Wide(this->alpha_));
        return sum;
      },
      this->everywhere);
}

TYPED_TEST(ApiLevel3, trsm) {
  using T = TypeParam;
  auto a = this->data(n, n, 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      auto& element = a.all()[a.at(order, i, j)];
      element = i == j ? element + T(3) : element / T(n);
    }
  const auto before = this->data(m, n, 2);
  auto b = before;
  run_public(blas::trsm(order, Side::right, Uplo::upper, Transpose::none, Diag::non_unit, m, n,
                        this->alpha_, as_matrix(a.upload()), as_matrix(b.upload())));
  b.all() = b.download();
  const auto op = triangular(this->of(a), Uplo::upper, Diag::non_unit);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Sum sum = this->times(this->of(b), op, n, i, j);
      const Wide wanted = Wide(this->alpha_) * this->of(before)(i, j);
      sum.magnitude += std::abs(wanted);
      ASSERT_LE(std::abs(sum.value - wanted), 4 * sum.template bound<T>()) << i << ',' << j;
    }
}

TYPED_TEST(ApiLevel3, syrk_and_syr2k) {
  auto a = this->data(n, k, 1), b = this->data(n, k, 2), c = this->data(n, n, 3);
  this->check_update(blas::syrk(order, Uplo::lower, Transpose::none, n, k, this->alpha_,
                                as_matrix(a.upload()), this->beta_, as_matrix(c.upload())),
                     c, a, nullptr, false);
  this->check_update(
      blas::syr2k(order, Uplo::lower, Transpose::none, n, k, this->alpha_, as_matrix(a.upload()),
                  as_matrix(b.upload()), this->beta_, as_matrix(c.upload())),
      c, a, &b, false);
}

TYPED_TEST(ApiLevel3, herk_and_her2k) {
  using T = TypeParam;
  if constexpr (ComplexElement<T>) {
    const auto alpha = Real<T>(0.75), beta = Real<T>(-1.25);
    auto a = this->data(n, k, 1), b = this->data(n, k, 2), c = this->data(n, n, 3);
    this->check_update(blas::herk<T>(order, Uplo::lower, Transpose::none, n, k, alpha,
                                     as_matrix(a.upload()), beta, as_matrix(c.upload())),
                       c, a, nullptr, true);
    this->check_update(
        blas::her2k(order, Uplo::lower, Transpose::none, n, k, this->alpha_, as_matrix(a.upload()),
                    as_matrix(b.upload()), beta, as_matrix(c.upload())),
        c, a, &b, true);
  }
}

}  // namespace
}  // namespace kiln::blas::testing::level3
