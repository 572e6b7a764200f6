#include "blas/routines/matrix_data.hpp"
#include "blas/routines/triangle_case.hpp"

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
    std::size_t padding = 3, offset = 2;  ///< elements between columns, and before the first
  };
  static void check(const Case& c) {
    const bool as_is = c.trans == Transpose::none;
    const std::size_t rows = as_is ? c.layout.rows : c.layout.columns,
                      columns = as_is ? c.layout.columns : c.layout.rows;
    MatrixData<T> a(c.layout, c.padding, c.offset, 1);
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
        << ' ' << c.layout.ku << ", padding " << c.padding << ", offset " << c.offset;
  }
  /// All options of one shape.
  static void check_options(Layout layout, std::size_t queues) {
    static std::size_t turn = 0;
    for (const auto order : {Order::column_major, Order::row_major})
      for (const auto trans : {Transpose::none, Transpose::transpose, Transpose::conjugate})
        for (const auto& inc : increment_pairs) {
          layout.order = order;
          check({layout, trans, inc, scalars_in_turn[turn++ % scalars_in_turn.size()], queues});
        }
  }
};
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

// A GPU's work-groups read 16 bytes of 64 rows at once where all columns have them at the same
// rows, 8 columns of a slice at a time.
TYPED_TEST(Gemv, reads_columns_wherever_they_begin) {
  for (const std::size_t m : {64, 128, 131, 200})
    for (const std::size_t n : {1, 15, 260, 1031})
      for (const std::size_t padding : {(4 - m % 4) % 4, (5 - m % 4) % 4, (6 - m % 4) % 4})
        for (const std::size_t offset : {0, 1, 2, 4}) {
          const Layout by_columns{Layout::Storage::general, Order::column_major, m, n};
          const Layout by_rows{Layout::Storage::general, Order::row_major, n, m};
          this->check({by_columns, Transpose::none, {1, 1}, Scalars::both, 1, padding, offset});
          this->check({by_rows,
                       Transpose::conjugate,
                       {1, 2},
                       Scalars::no_beta,
                       1 + m % 2,
                       padding,
                       offset});
        }
}

// More than a cache holds: a CPU's work-items share the columns, and their sums are summed up.
TYPED_TEST(Gemv, reads_whole_columns_from_memory) {
  constexpr std::size_t rows = 4099, bytes = std::size_t{33} << 20;
  const std::size_t columns = bytes / sizeof(TypeParam) / rows + 1;
  const Layout by_columns{Layout::Storage::general, Order::column_major, rows, columns},
      by_rows{Layout::Storage::general, Order::row_major, columns, rows};
  this->check({by_columns, Transpose::none, {1, 1}, Scalars::both, 1});
  this->check({by_columns, Transpose::transpose, {1, 1}, Scalars::both, 1});
  this->check({by_rows, Transpose::conjugate, {2, -3}, Scalars::both, 1});
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

/// symv and its likes of real matrices, hemv and its likes of complex ones.
template <class T>
class Symv : public ::testing::Test {
 protected:
  static constexpr bool is_real = std::is_same_v<T, Real<T>>;
  static Routine routine_of(Layout::Storage storage) {
    if (storage == Layout::Storage::general) return is_real ? Routine::symv : Routine::hemv;
    if (storage == Layout::Storage::packed) return is_real ? Routine::spmv : Routine::hpmv;
    return is_real ? Routine::sbmv : Routine::hbmv;
  }
  static Wide element_of(const MatrixData<T>& a, std::size_t i, std::size_t j) {
    if (i == j) return std::real(a.element(i, i));
    if (a.has(i, j)) return a.element(i, j);
    return a.has(j, i) ? std::conj(Wide(a.element(j, i))) : Wide(0);
  }
  /// Where a matrix lies in its buffer.
  struct Place {
    std::size_t padding = 2, offset = 3;
  };
  static void check(const Layout& layout, std::size_t k, std::array<int, 2> inc, Scalars scalars,
                    std::size_t queues, Place place = {}) {
    const std::size_t n = layout.rows;
    MatrixData<T> a(layout, place.padding, place.offset, 1);
    if constexpr (!is_real)  // imaginary parts of the diagonal are ignored
      for (std::size_t i = 0; i < n; ++i)
        a.element(i, i).imag(std::numeric_limits<Real<T>>::quiet_NaN());
    auto x = OperandData<T>::vector(n, inc[0], 1, 2);
    auto y = OperandData<T>::vector(n, inc[1], 4, 3);
    Call call;
    call.routine = routine_of(layout.storage);
    call.precision = precision_of<T>;
    call.order = layout.order;
    call.uplo = layout.uplo;
    call.n = n;
    call.k = k;
    set_scalars(call, scalars, a, x, n, y, n);
    call[Slot::a] = a.upload();
    call[Slot::x] = x.upload();
    call[Slot::y] = y.upload();
    run_and_wait(call, queues);
    const auto expected = expected_product(
        call, [&](std::size_t i, std::size_t j) { return element_of(a, i, j); }, n, n, x, y);
    ASSERT_EQ(expected.difference(y.download()), "")
        << name_of(call.routine) << ' ' << n << ", k " << k << ", order " << int(layout.order)
        << ", uplo " << int(layout.uplo) << ", increments " << inc[0] << ' ' << inc[1]
        << ", scalars " << int(scalars) << ", queues " << queues << ", padding " << place.padding
        << ", offset " << place.offset;
  }
  static void check_options(Layout::Storage storage, std::size_t n, std::size_t k,
                            std::size_t queues) {
    static std::size_t turn = 0;
    for (const auto order : {Order::column_major, Order::row_major})
      for (const auto uplo : {Uplo::upper, Uplo::lower})
        for (const auto& inc : increment_pairs) {
          const Layout layout{
              storage, order, n, n, uplo == Uplo::lower ? k : 0, uplo == Uplo::upper ? k : 0,
              true,    uplo};
          check(layout, k, inc, scalars_in_turn[turn++ % scalars_in_turn.size()], queues);
        }
  }
};
TYPED_TEST_SUITE(Symv, Precisions);

TYPED_TEST(Symv, reads_one_triangle_of_small_matrices) {
  for (const std::size_t n : {1, 2, 7, 31, 33, 64, 67})
    for (const auto storage : {Layout::Storage::general, Layout::Storage::packed})
      this->check_options(storage, n, 0, 1);
}

TYPED_TEST(Symv, shares_large_matrices_between_queues) {
  for (const std::size_t queues : {1, 2, 4})
    for (const auto storage : {Layout::Storage::general, Layout::Storage::packed})
      this->check_options(storage, 263, 0, queues);
}

// A GPU reads 16 bytes at once where all columns have them at the same rows, from whatever row on,
// and elements one by one otherwise. It has strips of 128 bytes of columns, whole or cut off.
TYPED_TEST(Symv, reads_columns_wherever_they_begin) {
  for (const std::size_t n : {256, 257, 317})
    for (const std::size_t padding : {(4 - n % 4) % 4, (5 - n % 4) % 4, (6 - n % 4) % 4})
      for (const std::size_t offset : {0, 1, 2, 3})
        for (const auto uplo : {Uplo::upper, Uplo::lower})
          this->check({Layout::Storage::general, Order::column_major, n, n, 0, 0, true, uplo}, 0,
                      {1, 1}, offset < 2 ? Scalars::both : Scalars::no_beta, 1 + n % 2,
                      {padding, offset});
}

// Its stretches of rows are 2048 bytes and more: several turns of a work-group, and several
// stretches of a strip.
TYPED_TEST(Symv, reads_stretches_from_the_diagonal_on) {
  const std::size_t rows = 2048 / sizeof(TypeParam);
  for (const std::size_t n : {rows - 1, rows, rows + 1, 3 * rows - 2, 3 * rows + 3})
    for (const auto order : {Order::column_major, Order::row_major})
      for (const auto uplo : {Uplo::upper, Uplo::lower})
        for (const std::size_t offset : {0, 3})
          this->check({Layout::Storage::general, order, n, n, 0, 0, true, uplo}, 0, {1, 1},
                      Scalars::both, 1, {(4 - n % 4) % 4, offset});
}

// A CPU's strips of columns are read by stretches of rows: 8192 bytes of them.
TYPED_TEST(Symv, reads_columns_longer_than_a_stretch) {
  const std::size_t n = 2 * 8192 / sizeof(TypeParam) + 75;
  for (const auto uplo : {Uplo::upper, Uplo::lower}) {
    this->check({Layout::Storage::general, Order::column_major, n, n, 0, 0, true, uplo}, 0, {1, 1},
                Scalars::both, 1);
    this->check({Layout::Storage::packed, Order::column_major, n, n, 0, 0, true, uplo}, 0, {1, 1},
                Scalars::both, 2);
  }
}

TYPED_TEST(Symv, reads_half_of_a_band) {
  for (const std::size_t n : {1, 7, 40})
    for (const std::size_t k : {0, 1, 5, 50}) this->check_options(Layout::Storage::band, n, k, 1);
  for (const std::size_t queues : {1, 4})
    this->check_options(Layout::Storage::band, 401, 97, queues);
}

// What is not stored is no 0 that an infinite element of x could make a NaN of.
TEST(SymvOfInfinities, gives_infinities_where_every_element_is_positive) {
  constexpr std::size_t n = 75;
  for (const auto uplo : {Uplo::upper, Uplo::lower}) {
    MatrixData<float> a({Layout::Storage::general, Order::column_major, n, n, 0, 0, true, uplo}, 1,
                        0, 1);
    a.for_each([&](std::size_t i, std::size_t j) { a.element(i, j) = 1; });
    auto x = OperandData<float>::vector(n, 1, 0, 2), y = OperandData<float>::vector(n, 1, 0, 3);
    x.all()[x.at(40)] = std::numeric_limits<float>::infinity();
    Call call;
    call.routine = Routine::symv;
    call.uplo = uplo;
    call.n = n;
    call.alpha = 1;
    call.beta = 0;
    call[Slot::a] = a.upload();
    call[Slot::x] = x.upload();
    call[Slot::y] = y.upload();
    run_and_wait(call, 1);
    const auto sums = y.download();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(sums[y.at(i)], std::numeric_limits<float>::infinity()) << i;
  }
}

/// One call of several steps (a copy of x, parts, their sum), whose results are bytes.
std::vector<float> multiplied(cl_command_queue queue) {
  constexpr std::size_t n = 500;
  MatrixData<float> a({Layout::Storage::general, Order::column_major, n, n, 0, 0, true}, 1, 0, 1);
  auto x = OperandData<float>::vector(n, -3, 0, 2), y = OperandData<float>::vector(n, 2, 0, 3);
  Call call;
  call.routine = Routine::symv;
  call.n = n;
  call.alpha = call.beta = 0.5;
  call[Slot::a] = a.upload();
  call[Slot::x] = x.upload();
  call[Slot::y] = y.upload();
  EXPECT_EQ(Machine::get().library().run(call, {std::span(&queue, 1)}), Status::success);
  EXPECT_EQ(::clFinish(queue), CL_SUCCESS);
  return y.download(queue);
}

TEST(SymvOnQueues, gives_the_same_bits_every_time_and_on_an_unordered_queue) {
  const auto& machine = Machine::get();
  cl_int status = CL_SUCCESS;
  const cl_queue_properties unordered[] = {CL_QUEUE_PROPERTIES,
                                           CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  const cl::CommandQueue queue(::clCreateCommandQueueWithProperties(
      machine.context(), machine.device().handle(), unordered, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  const auto first = multiplied(machine.queues()[0]);
  for (int round = 0; round < 20; ++round) {
    const auto again = multiplied(round % 2 == 0 ? queue() : machine.queues()[0]);
    ASSERT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)), 0);
  }
}

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
