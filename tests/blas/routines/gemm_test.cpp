#include <algorithm>
#include <cstring>
#include <limits>

#include "blas/routines/level3.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Gemm : public ::testing::Test {
 public:
  static void check(Call call, std::size_t queues = 1, bool poisoned = false,
                    const std::string& form = "") {
    const bool turned_a = call.trans_a != Transpose::none,
               turned_b = call.trans_b != Transpose::none;
    check_with(
        call, matrix_data<T>(call.order, turned_a ? call.k : call.m, turned_a ? call.m : call.k, 1),
        matrix_data<T>(call.order, turned_b ? call.n : call.k, turned_b ? call.k : call.n, 2),
        queues, poisoned, form);
  }
  static void check_with(Call call, OperandData<T> a, OperandData<T> b, std::size_t queues = 1,
                         bool poisoned = false, const std::string& form = "") {
    call.routine = Routine::gemm;
    call.precision = precision_of<T>;
    auto c = matrix_data<T>(call.order, call.m, call.n, 3);
    constexpr auto nan = std::numeric_limits<Real<T>>::quiet_NaN();
    if (poisoned && call.beta == Scalar(0))
      for (std::size_t i = 0; i < call.m; ++i)
        for (std::size_t j = 0; j < call.n; ++j) c.all()[c.at(call.order, i, j)] = nan;
    if (poisoned && call.alpha == Scalar(0)) {
      std::fill(a.all().begin(), a.all().end(), T(nan));
      std::fill(b.all().begin(), b.all().end(), T(nan));
    }
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    call[Slot::c] = c.upload();
    ASSERT_EQ(run(call, queues, form), Status::success) << text_of(call);
    const auto left = gathered(applied(element_of(a, call.order), call.trans_a), call.m, call.k);
    const auto right_of = applied(element_of(b, call.order), call.trans_b);
    const auto right =
        gathered([&](std::size_t j, std::size_t k) { return right_of(k, j); }, call.n, call.k);
    Expected<T> expected(c);
    for (std::size_t i = 0; i < call.m; ++i)
      for (std::size_t j = 0; j < call.n; ++j) {
        Sum sum;
        const auto at = c.at(call.order, i, j);
        if (call.beta != Scalar(0)) sum.add(call.beta, c.all()[at]);
        if (call.alpha != Scalar(0))
          sum.add_products<T>(Wide(call.alpha), std::span(left).subspan(i * call.k, call.k),
                              std::span(right).subspan(j * call.k, call.k));
        expected.set(at, sum);
      }
    EXPECT_EQ(expected.difference(c.download()), "") << text_of(call) << " queues " << queues;
    if (!poisoned) {
      EXPECT_TRUE(is_as_it_was(a));
      EXPECT_TRUE(is_as_it_was(b));
    }
  }
  /// NaN included.
  static bool is_as_it_was(const OperandData<T>& data) {
    return std::memcmp(data.download().data(), data.all().data(), data.all().size() * sizeof(T)) ==
           0;
  }
  /// A factor whose lines begin `padding` elements behind one another's ends, the first one at
  /// `offset`; all that is none of its elements is NaN.
  static OperandData<T> placed(std::size_t length, std::size_t lines, std::size_t padding,
                               std::size_t offset, unsigned seed) {
    auto data = OperandData<T>::matrix(length, lines, length + padding, offset, seed);
    std::vector<T> only(data.all().size(), T(std::numeric_limits<Real<T>>::quiet_NaN()));
    for (std::size_t line = 0; line < lines; ++line)
      for (std::size_t i = 0; i < length; ++i) {
        const std::size_t at = data.at(Order::column_major, i, line);
        only[at] = data.all()[at];
      }
    data.all() = only;
    return data;
  }
  static Call call(std::size_t m, std::size_t n, std::size_t k) {
    Call made;
    made.m = m;
    made.n = n;
    made.k = k;
    made.alpha = scalar(precision_of<T>, -0.75, 0.5);
    made.beta = scalar(precision_of<T>, 1.25, -0.25);
    return made;
  }
};
TYPED_TEST_SUITE(Gemm, Precisions);

TYPED_TEST(Gemm, is_right_for_all_orders_and_transposes) {
  for (const auto order : orders)
    for (const auto trans_a : transposes)
      for (const auto trans_b : transposes)
        for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1},
                                      {5, 3, 7},
                                      {33, 13, 17},
                                      {64, 24, 40},
                                      {65, 37, 11}}) {
          auto call = this->call(m, n, k);
          call.order = order;
          call.trans_a = trans_a;
          call.trans_b = trans_b;
          this->check(call);
        }
}

TYPED_TEST(Gemm, is_right_around_the_sizes_of_its_blocks) {
  for (const std::size_t k : {255, 256, 257, 385, 771}) this->check(this->call(35, 29, k));
  for (const std::size_t size : {127, 129, 193}) this->check(this->call(size, size + 2, size - 1));
}

// Work-items of CPUs share the depth of a small result (the template deep_parts).
TYPED_TEST(Gemm, parts_of_a_great_depth_are_added) {
  for (const auto order : orders)
    for (const auto trans : transposes) {
      auto call = this->call(33, 13, 10'001);
      call.order = order;
      call.trans_a = trans;
      call.trans_b = trans == Transpose::none ? Transpose::transpose : Transpose::none;
      this->check(call);
    }
  auto call = this->call(40, 40, 5000);
  call.beta = 0;
  this->check(call, 1, true);
}

// Of a factor with one line that has no gaps it does not matter which way it lies.
TYPED_TEST(Gemm, single_lines_lie_either_way) {
  for (const auto order : orders)
    for (const auto trans_a : transposes)
      for (const auto trans_b : transposes)
        for (const auto& [m, n] :
             {std::pair<std::size_t, std::size_t>{1, 1}, {1, 3}, {3, 1}, {1, 9}}) {
          auto call = this->call(m, n, 5000);
          call.order = order;
          call.trans_a = trans_a;
          call.trans_b = trans_b;
          this->check(call);
        }
}

TYPED_TEST(Gemm, neither_beta_zero_nor_alpha_zero_reads_what_it_is_multiplied_with) {
  for (const std::size_t size : {7, 70}) {
    auto call = this->call(size, size, size);
    call.beta = 0;
    this->check(call, 1, true);
    call.alpha = 0;
    this->check(call, 1, true);
    call.beta = 2;
    this->check(call, 1, true);
  }
}

// They are products of a matrix and a vector, which lies along a line or across.
TYPED_TEST(Gemm, results_of_one_row_or_column_are_right) {
  for (const auto order : orders)
    for (const auto trans_a : transposes)
      for (const auto trans_b : transposes)
        for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 131, 67},
                                      {131, 1, 67},
                                      {67, 1, 131},
                                      {1, 67, 131},
                                      {1, 1, 300},
                                      {300, 1, 1},
                                      {9, 1, 0}}) {
          auto call = this->call(m, n, k);
          call.order = order;
          call.trans_a = trans_a;
          call.trans_b = trans_b;
          this->check(call, k == 67 ? 2 : 1);
        }
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{1, 40}, {40, 1}}) {
    auto call = this->call(m, n, 30);
    call.beta = 0;
    this->check(call, 1, true);
    call.alpha = 0;
    this->check(call, 1, true);
  }
}

TYPED_TEST(Gemm, a_depth_of_zero_leaves_beta_c) { this->check(this->call(9, 8, 0)); }

TYPED_TEST(Gemm, several_queues_share_the_result) {
  for (const std::size_t queues : {2, 3, 4})
    for (const auto order : orders)
      for (const std::size_t size : {10, 150, 301}) {
        auto call = this->call(size, size + 5, 40);
        call.order = order;
        call.trans_b = Transpose::transpose;
        this->check(call, queues);
      }
}

// On Hopper the copy engine reads factors where they lie, if they lie at multiples of 16 bytes.
TYPED_TEST(Gemm, is_right_wherever_the_factors_lie) {
  struct Place {
    std::size_t padding, offset;
  };
  for (const auto trans_a : {Transpose::none, Transpose::transpose})
    for (const auto trans_b : {Transpose::none, Transpose::transpose})
      for (const auto& [m, n, k] : {std::array<std::size_t, 3>{132, 260, 68},
                                    {64, 20, 200},
                                    {128, 130, 33},
                                    {130, 128, 32}})
        for (const auto& [place_a, place_b] : {std::pair<Place, Place>{{0, 0}, {0, 0}},
                                               {{4, 8}, {8, 4}},
                                               {{4, 1}, {4, 4}},
                                               {{4, 4}, {1, 4}},
                                               {{3, 0}, {8, 3}}}) {
          auto call = this->call(m, n, k);
          call.trans_a = trans_a;
          call.trans_b = trans_b;
          call.order = Order::column_major;
          const bool turned_a = trans_a != Transpose::none, turned_b = trans_b != Transpose::none;
          this->check_with(
              call,
              this->placed(turned_a ? k : m, turned_a ? m : k, place_a.padding, place_a.offset, 1),
              this->placed(turned_b ? n : k, turned_b ? k : n, place_b.padding, place_b.offset, 2));
        }
}

// On GPUs work-groups share the depth of tiles that are too few, or too many by some.
TYPED_TEST(Gemm, is_right_where_many_share_the_depth) {
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{128, 128, 4096}, {256, 200, 1540}}) {
    auto call = this->call(m, n, k);
    call.order = Order::column_major;
    this->check_with(call, this->placed(m, k, 4, 4, 1), this->placed(k, n, 4, 4, 2));
    call.beta = 0;
    this->check(call, 1, true);
  }
}

// The forms for GPUs are plain OpenCL C, so that any device can tell whether they are right.
TYPED_TEST(Gemm, the_forms_for_gpus_are_right_on_any_device) {
  for (const char* form : {"gpu", "gpu32", "gpu_small"})
    for (const auto trans : transposes)
      for (const auto& [m, n, k] :
           {std::array<std::size_t, 3>{5, 3, 7}, {130, 70, 33}, {5, 3, 1100}}) {
        auto call = this->call(m, n, k);
        call.trans_a = call.trans_b = trans;
        this->check(call, 1, false, form);
      }
}

}  // namespace
}  // namespace kiln::blas::testing
