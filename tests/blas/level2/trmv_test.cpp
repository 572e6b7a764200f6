#include "blas/level2/triangle_case.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Trmv : public ::testing::Test {
 protected:
  static void check(const TriangleCase& c) {
    const std::size_t n = c.layout.rows;
    auto a = triangle_data<T>(c);
    auto x = OperandData<T>::vector(n, c.inc, 2, 2);
    const Call call = triangle_call(c, a, x, {Routine::trmv, Routine::tpmv, Routine::tbmv});
    run_and_wait(call, c.queues);
    const auto expected = expected_product(call, triangle_element(c, a), n, n, x, x);
    ASSERT_EQ(expected.difference(x.download()), "") << c;
  }
};
using Precisions = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Trmv, Precisions);

TYPED_TEST(Trmv, multiplies_in_place) {
  for (const auto storage : {Layout::Storage::general, Layout::Storage::packed})
    for (const std::size_t n : {1, 2, 7, 33, 67}) for_all_options(storage, n, 0, 1, this->check);
}

TYPED_TEST(Trmv, multiplies_by_bands) {
  for (const std::size_t n : {1, 7, 40})
    for (const std::size_t k : {0, 1, 5, 50})
      for_all_options(Layout::Storage::band, n, k, 1, this->check);
}

TYPED_TEST(Trmv, shares_large_matrices_between_queues) {
  for (const std::size_t queues : {2, 4}) {
    for_all_options(Layout::Storage::general, 263, 0, queues, this->check);
    for_all_options(Layout::Storage::packed, 251, 0, queues, this->check);
    for_all_options(Layout::Storage::band, 301, 97, queues, this->check);
  }
}

}  // namespace
}  // namespace kiln::blas::testing
