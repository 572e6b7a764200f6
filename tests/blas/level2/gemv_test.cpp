#include "blas/level2/matrix_data.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Gemv : public ::testing::Test {
 protected:
  struct Case {
    Layout layout;
    Transpose trans = Transpose::none;
    std::array<int, 2> inc{1, 1};
    Scalars scalars = Scalars::both;
    std::size_t queues = 1;
  };
  static void check(const Case& c) {
    const bool as_is = c.trans == Transpose::none;
    const std::size_t rows = as_is ? c.layout.rows : c.layout.columns,
                      columns = as_is ? c.layout.columns : c.layout.rows;
    MatrixData<T> a(c.layout, 3, 2, 1);
    auto x = OperandData<T>::vector(columns, c.inc[0], 3, 2);
    auto y = OperandData<T>::vector(rows, c.inc[1], 1, 3);
    Call call;
    call.routine = c.layout.storage == Layout::Storage::band ? Routine::gbmv : Routine::gemv;
    call.precision = precision_of<T>;
    call.order = c.layout.order;
    call.trans_a = c.trans;
    call.m = c.layout.rows;
    call.n = c.layout.columns;
    call.kl = c.layout.kl;
    call.ku = c.layout.ku;
    set_scalars(call, c.scalars, a, x, columns, y, rows);
    call[Slot::a] = a.upload();
    call[Slot::x] = x.upload();
    call[Slot::y] = y.upload();
    run_and_wait(call, c.queues);
    const Element element = transposed(
        [&](std::size_t i, std::size_t j) { return a.has(i, j) ? Wide(a.element(i, j)) : Wide(0); },
        c.trans);
    const auto expected = expected_product(call, element, rows, columns, x, y);
    ASSERT_EQ(expected.difference(y.download()), "")
        << c.layout.rows << " x " << c.layout.columns << ", order " << int(c.layout.order)
        << ", trans " << int(c.trans) << ", increments " << c.inc[0] << ' ' << c.inc[1]
        << ", scalars " << int(c.scalars) << ", queues " << c.queues << ", band " << c.layout.kl
        << ' ' << c.layout.ku;
  }
  /// All options of one shape.
  static void check_options(Layout layout, std::size_t queues) {
    static std::size_t turn = 0;
    for (const auto order : {Order::column_major, Order::row_major})
      for (const auto trans : {Transpose::none, Transpose::transpose, Transpose::conjugate})
        for (const auto& inc : increments) {
          layout.order = order;
          check({layout, trans, inc, scalars_in_turn[turn++ % scalars_in_turn.size()], queues});
        }
  }
};
using Precisions = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Gemv, Precisions);

TYPED_TEST(Gemv, multiplies_small_matrices_of_every_shape) {
  for (const std::size_t m : {1, 2, 7, 16, 33, 67})
    for (const std::size_t n : {1, 2, 7, 9, 33, 61})
      this->check_options({Layout::Storage::general, {}, m, n}, 1);
}

TYPED_TEST(Gemv, shares_large_matrices_between_queues) {
  for (const std::size_t queues : {1, 2, 4}) {
    this->check_options({Layout::Storage::general, {}, 257, 263}, queues);
    this->check_options({Layout::Storage::general, {}, 5, 9001}, queues);
    this->check_options({Layout::Storage::general, {}, 9001, 5}, queues);
  }
}

TYPED_TEST(Gemv, multiplies_bands_of_any_width) {
  for (const std::size_t m : {1, 7, 40})
    for (const std::size_t n : {1, 6, 61})
      for (const std::size_t kl : {0, 1, 5, 70})
        for (const std::size_t ku : {0, 1, 4, 80})
          this->check_options({Layout::Storage::band, {}, m, n, kl, ku}, 1);
  for (const std::size_t queues : {1, 4})
    this->check_options({Layout::Storage::band, {}, 401, 433, 37, 50}, queues);
}

}  // namespace
}  // namespace kiln::blas::testing
