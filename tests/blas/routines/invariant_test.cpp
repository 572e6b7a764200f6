#include "blas/routines/level3.hpp"

// Calls whose bits depend on nothing but the row, the column, the depth and the scalars.
namespace kiln::blas::testing {
namespace {

template <class T>
class Invariant : public ::testing::Test {
 public:
  static constexpr std::size_t rows = 150, columns = 140, depth = 700;

  /// An element of C before the call.
  static T part_of_c(std::size_t i, std::size_t j) {
    static auto c = OperandData<T>::matrix(rows, columns, rows, 0, 3);
    return c.all()[j * rows + i];
  }

  /// Rows [i0, i0 + m) and columns [j0, j0 + n) of one product of 150 x 140.
  static std::vector<T> part(std::size_t i0, std::size_t m, std::size_t j0, std::size_t n,
                             std::size_t queues, const std::string& form, bool is_invariant,
                             Order order = Order::column_major) {
    auto a = OperandData<T>::matrix(rows, depth, rows, 0, 1);
    auto b = OperandData<T>::matrix(depth, columns, depth, 0, 2);
    auto c = OperandData<T>::matrix(rows, columns, rows, 0, 3);
    const bool by_rows = order == Order::row_major;
    if (by_rows)
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) c.all()[i * columns + j] = part_of_c(i, j);
    Call call;
    call.order = order;
    // What lies by columns is the transpose of what lies by rows.
    if (by_rows) call.trans_a = call.trans_b = Transpose::transpose;
    call.routine = Routine::gemm;
    call.precision = precision_of<T>;
    call.m = m;
    call.n = n;
    call.k = depth;
    call.alpha = scalar(precision_of<T>, -0.7, 0.3);
    call.beta = scalar(precision_of<T>, 1.3, -0.2);
    call.invariant = is_invariant;
    call[Slot::a] = a.upload();
    call[Slot::a].offset += i0;
    call[Slot::b] = b.upload();
    call[Slot::b].offset += j0 * depth;
    call[Slot::c] = c.upload();
    call[Slot::c].offset += by_rows ? i0 * columns + j0 : j0 * rows + i0;
    if (by_rows) call[Slot::c].stride = columns;
    EXPECT_EQ(run(call, queues, form), Status::success);
    return c.download();
  }
};
TYPED_TEST_SUITE(Invariant, Precisions);

TYPED_TEST(Invariant, bits_of_a_part_are_those_of_the_product) {
  for (const char* form : {"", "gpu"}) {
    const auto whole = this->part(0, this->rows, 0, this->columns, 1, form, true);
    struct Part {
      std::size_t i0, m, j0, n, queues;
    };
    for (const auto& [i0, m, j0, n, queues] : {Part{0, 150, 0, 140, 3},
                                               {7, 1, 0, 140, 1},
                                               {0, 150, 9, 1, 1},
                                               {33, 1, 21, 1, 1},
                                               {5, 17, 3, 29, 1},
                                               {64, 64, 13, 100, 2}}) {
      const auto some = this->part(i0, m, j0, n, queues, form, true);
      for (std::size_t j = j0; j < j0 + n; ++j)
        for (std::size_t i = i0; i < i0 + m; ++i) {
          const std::size_t at = j * this->rows + i;
          ASSERT_EQ(std::memcmp(&some[at], &whole[at], sizeof whole[at]), 0)
              << form << " " << m << " x " << n << ", element " << i << ", " << j;
        }
    }
  }
}

// The factors of a row-major product are exchanged on the way.
TYPED_TEST(Invariant, bits_do_not_depend_on_the_order_of_the_result) {
  for (const char* form : {"", "gpu"}) {
    const auto whole = this->part(0, this->rows, 0, this->columns, 1, form, true);
    for (const auto& [i0, m, j0, n] : {std::array<std::size_t, 4>{0, 150, 0, 140},
                                       {7, 1, 0, 140},
                                       {0, 150, 9, 1},
                                       {33, 1, 21, 1},
                                       {5, 17, 3, 29}}) {
      const auto some = this->part(i0, m, j0, n, 1, form, true, Order::row_major);
      for (std::size_t j = j0; j < j0 + n; ++j)
        for (std::size_t i = i0; i < i0 + m; ++i)
          ASSERT_EQ(std::memcmp(&some[i * this->columns + j], &whole[j * this->rows + i],
                                sizeof whole[0]),
                    0)
              << form << " " << m << " x " << n << ", element " << i << ", " << j;
    }
  }
}

// Without it a single column is a matrix times a vector, which sums in another order: were it not
// so, the test above would show nothing.
TYPED_TEST(Invariant, other_calls_are_not) {
  const auto whole = this->part(0, this->rows, 0, this->columns, 1, "", false);
  const auto some = this->part(0, this->rows, 9, 1, 1, "", false);
  std::size_t different = 0;
  for (std::size_t i = 0; i < this->rows; ++i) {
    const std::size_t at = 9 * this->rows + i;
    different += std::memcmp(&some[at], &whole[at], sizeof whole[at]) != 0 ? 1 : 0;
  }
  EXPECT_GT(different, 0u);
}

}  // namespace
}  // namespace kiln::blas::testing
