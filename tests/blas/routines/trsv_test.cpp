#include "blas/routines/triangle_case.hpp"

namespace kiln::blas::testing {
namespace {

/// Solutions are judged by what they leave over: |b - A x| <= gamma(n) |A| |x| for any order of the
/// sums (Higham, Accuracy and Stability of Numerical Algorithms, theorem 8.5).
template <class T>
class Trsv : public ::testing::Test {
 protected:
  static void check(const TriangleCase& c) {
    const std::size_t n = c.layout.rows;
    auto a = triangle_data<T>(c);
    tame(a, c.diag);
    auto x = OperandData<T>::vector(n, c.inc, 2, 2);
    const Call call = triangle_call(c, a, x, {Routine::trsv, Routine::tpsv, Routine::tbsv});
    run_and_wait(call, c.queues);
    const std::vector<T> now = x.download();
    const Element element = triangle_element(c, a);
    for (std::size_t i = 0; i < n; ++i) {
      Sum sum;
      for (std::size_t j = 0; j < n; ++j)
        if (const Wide value = element(i, j); value != Wide(0)) sum.add(value, now[x.at(j)]);
      sum.terms += 3;  // the division
      ASSERT_LE(std::abs(sum.value - Wide(x.all()[x.at(i)])), sum.bound<T>())
          << "unknown " << i << ": " << c;
    }
    Expected<T> others(x);
    for (std::size_t i = 0; i < n; ++i) {
      Sum solved;
      solved.add(now[x.at(i)]);
      others.set(x.at(i), solved);
    }
    ASSERT_EQ(others.difference(now), "") << c;
  }

 private:
  /// Solutions of random triangles grow with 2^n: the diagonal is made to outweigh the rest.
  static void tame(MatrixData<T>& a, Diag diag) {
    const auto n = static_cast<Real<T>>(a.layout().rows);
    a.for_each([&](std::size_t i, std::size_t j) {
      if (i != j)
        a.element(i, j) *= 4 / (n + 4);
      else if (diag == Diag::non_unit)
        a.element(i, j) += std::copysign(Real<T>(1), std::real(a.element(i, j)));
    });
  }
};
TYPED_TEST_SUITE(Trsv, Precisions);

TYPED_TEST(Trsv, solves_small_systems) {
  for (const auto storage : {Layout::Storage::general, Layout::Storage::packed})
    for (const std::size_t n : {1, 2, 7, 33, 67}) for_all_options(storage, n, 0, 1, this->check);
}

TYPED_TEST(Trsv, solves_with_bands) {
  for (const std::size_t n : {1, 7, 40})
    for (const std::size_t k : {0, 1, 5, 50})
      for_all_options(Layout::Storage::band, n, k, 1, this->check);
  for_all_options(Layout::Storage::band, 601, 20, 1, this->check);
}

// Of the widths at which the kernel for CPUs takes another number of vectors.
TYPED_TEST(Trsv, solves_with_bands_of_any_width) {
  for (const std::size_t k : {3, 15, 16, 17, 32, 33, 64, 65, 127, 128, 129})
    for_all_options(Layout::Storage::band, 263, k, 1, this->check);
}

TYPED_TEST(Trsv, solves_large_systems_block_by_block) {
  TriangleCase c;
  for (const auto storage : {Layout::Storage::general, Layout::Storage::packed})
    for (const auto uplo : {Uplo::upper, Uplo::lower})
      for (const auto trans : {Transpose::none, Transpose::conjugate}) {
        c.layout = {storage, Order::column_major, 827, 827, 0, 0, true, uplo};
        c.trans = trans;
        c.queues = 2;
        this->check(c);
      }
  c.k = 600;
  c.layout = {Layout::Storage::band, Order::row_major, 1201, 1201, 600, 0, true, Uplo::lower};
  for (const auto trans : {Transpose::none, Transpose::transpose}) {
    c.trans = trans;
    this->check(c);
  }
}

}  // namespace
}  // namespace kiln::blas::testing
