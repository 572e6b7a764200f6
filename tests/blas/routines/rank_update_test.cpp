#include "blas/routines/matrix_data.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class MatrixUpdate : public ::testing::Test {
 protected:
  static constexpr bool is_real = std::is_same_v<T, Real<T>>;
  using List = std::vector<Routine>;
  static List rectangular() {
    return is_real ? List{Routine::ger} : List{Routine::ger, Routine::gerc};
  }
  static List general() {
    return is_real ? List{Routine::syr, Routine::syr2} : List{Routine::her, Routine::her2};
  }
  static List packed() {
    return is_real ? List{Routine::spr, Routine::spr2} : List{Routine::hpr, Routine::hpr2};
  }
  static bool is(Routine routine, std::initializer_list<Routine> list) {
    return std::find(list.begin(), list.end(), routine) != list.end();
  }
  static bool has_y(Routine routine) {
    return !is(routine, {Routine::syr, Routine::her, Routine::spr, Routine::hpr});
  }
  static bool is_hermitian(Routine routine) {
    return is(routine, {Routine::her, Routine::her2, Routine::hpr, Routine::hpr2});
  }
  static bool is_twofold(Routine routine) {
    return is(routine, {Routine::syr2, Routine::her2, Routine::spr2, Routine::hpr2});
  }
  static bool conjugates(Routine routine) {
    return is_hermitian(routine) || routine == Routine::gerc;
  }

  static void check(Routine routine, const Layout& layout, std::array<int, 2> inc,
                    std::size_t queues, bool zero_alpha = false) {
    MatrixData<T> a(layout, 2, 3, 1);
    if constexpr (!is_real) {
      if (is_hermitian(routine))
        for (std::size_t i = 0; i < layout.rows; ++i)
          a.element(i, i).imag(std::numeric_limits<Real<T>>::quiet_NaN());
    }
    auto x = OperandData<T>::vector(layout.rows, inc[0], 1, 2);
    auto y = OperandData<T>::vector(layout.columns, inc[1], 4, 3);
    Call call;
    call.routine = routine;
    call.precision = precision_of<T>;
    call.order = layout.order;
    call.uplo = layout.uplo;
    call.m = layout.rows;
    call.n = layout.columns;
    const bool real_alpha = is_hermitian(routine) && !is_twofold(routine);
    call.alpha = zero_alpha ? Scalar(0) : real_alpha ? Scalar(1.25) : scalar_of<T>(1.25, -0.5);
    call[Slot::a] = a.upload();
    call[Slot::x] = x.upload();
    if (has_y(routine)) call[Slot::y] = y.upload();
    run_and_wait(call, queues);
    Expected<T> expected(a.data());
    if (!zero_alpha)
      a.for_each([&](std::size_t i, std::size_t j) {
        expected.set(a.at(i, j), updated(call, a.element(i, j), i, j, x, y));
      });
    const auto now = a.data().download();
    ASSERT_EQ(expected.difference(now), "")
        << name_of(routine) << ' ' << layout.rows << " x " << layout.columns << ", order "
        << int(layout.order) << ", uplo " << int(layout.uplo) << ", increments " << inc[0] << ' '
        << inc[1] << ", queues " << queues;
    if (!is_hermitian(routine) || zero_alpha) return;
    for (std::size_t i = 0; i < layout.rows; ++i)
      ASSERT_EQ(std::imag(now[a.at(i, i)]), 0) << name_of(routine) << ", diagonal " << i;
  }

  static Sum updated(const Call& call, const T& before, std::size_t i, std::size_t j,
                     const OperandData<T>& x, const OperandData<T>& y) {
    const auto& second = has_y(call.routine) ? y : x;
    const auto op = [&](const Wide& value) {
      return conjugates(call.routine) ? std::conj(value) : value;
    };
    const auto get = [](const OperandData<T>& v, std::size_t k) { return Wide(v.all()[v.at(k)]); };
    Sum sum;
    sum.add(Wide(call.alpha) * get(x, i), op(get(second, j)));
    if (is_twofold(call.routine)) {
      const Wide alpha(call.alpha);
      sum.add((is_hermitian(call.routine) ? std::conj(alpha) : alpha) * get(y, i), op(get(x, j)));
    }
    const bool real = is_hermitian(call.routine) && i == j;
    sum.add(real ? Wide(std::real(before)) : Wide(before));
    if (real) sum.value = std::real(sum.value);
    sum.terms += 2;  // the products with alpha
    return sum;
  }

  static void check_triangles(const List& routines, Layout::Storage storage, std::size_t n,
                              std::size_t queues) {
    for (const auto routine : routines)
      for (const auto order : {Order::column_major, Order::row_major})
        for (const auto uplo : {Uplo::upper, Uplo::lower})
          for (const auto& inc : increment_pairs)
            check(routine, {storage, order, n, n, 0, 0, true, uplo}, inc, queues);
  }
};
TYPED_TEST_SUITE(MatrixUpdate, Precisions);

TYPED_TEST(MatrixUpdate, updates_rectangles) {
  for (const auto routine : this->rectangular())
    for (const auto order : {Order::column_major, Order::row_major})
      for (const auto& inc : increment_pairs) {
        for (const std::size_t m : {1, 2, 7, 33, 67})
          for (const std::size_t n : {1, 2, 9, 61})
            this->check(routine, {Layout::Storage::general, order, m, n}, inc, 1);
        for (const std::size_t queues : {1, 2, 4}) {
          this->check(routine, {Layout::Storage::general, order, 257, 263}, inc, queues);
          this->check(routine, {Layout::Storage::general, order, 3, 9001}, inc, queues);
        }
      }
}

TYPED_TEST(MatrixUpdate, updates_a_triangle_and_leaves_the_other) {
  for (const std::size_t n : {1, 2, 7, 33, 67}) {
    this->check_triangles(this->general(), Layout::Storage::general, n, 1);
    this->check_triangles(this->packed(), Layout::Storage::packed, n, 1);
  }
  for (const std::size_t queues : {2, 4}) {
    this->check_triangles(this->general(), Layout::Storage::general, 263, queues);
    this->check_triangles(this->packed(), Layout::Storage::packed, 251, queues);
  }
}

TYPED_TEST(MatrixUpdate, touches_nothing_where_alpha_is_zero) {
  const Layout triangle{Layout::Storage::general, Order::row_major, 40, 40, 0, 0, true};
  for (const auto routine : this->general()) this->check(routine, triangle, {1, 1}, 2, true);
  for (const auto routine : this->rectangular())
    this->check(routine, {Layout::Storage::general, Order::row_major, 40, 30}, {1, 1}, 2, true);
}

}  // namespace
}  // namespace kiln::blas::testing
