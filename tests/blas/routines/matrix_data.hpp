#pragma once

#include <algorithm>
#include <functional>

#include "blas/expected.hpp"

// What the tests of level 2 share.
namespace kiln::blas::testing {

/// How a matrix of level 2 is stored, in the words of the BLAS standard.
struct Layout {
  enum class Storage { general, packed, band };
  Storage storage = Storage::general;
  Order order = Order::column_major;
  std::size_t rows = 0, columns = 0;
  std::size_t kl = 0, ku = 0;  ///< a band's
  bool triangle = false;       ///< only this part of it is stored:
  Uplo uplo = Uplo::upper;

  bool has(std::size_t i, std::size_t j) const {
    if (storage == Storage::band && (i > j + kl || j > i + ku)) return false;
    return !triangle || (uplo == Uplo::upper ? i <= j : i >= j);
  }
};

/// A matrix in memory; all of the buffer that is none of its elements is NaN.
template <class T>
class MatrixData {
 public:
  MatrixData(const Layout& layout, std::size_t padding, std::size_t offset, unsigned seed)
      : layout_(layout), ld_(length() + padding), data_(make(offset, seed)) {
    std::vector<bool> used(data_.all().size(), false);
    for_each([&](std::size_t i, std::size_t j) { used[at(i, j)] = true; });
    const T nan(std::numeric_limits<Real<T>>::quiet_NaN());
    for (std::size_t k = 0; k < used.size(); ++k)
      if (!used[k]) data_.all()[k] = nan;
  }

  const Layout& layout() const { return layout_; }
  OperandData<T>& data() { return data_; }
  bool has(std::size_t i, std::size_t j) const { return layout_.has(i, j); }
  T& element(std::size_t i, std::size_t j) { return data_.all()[at(i, j)]; }
  const T& element(std::size_t i, std::size_t j) const { return data_.all()[at(i, j)]; }

  template <class Function>
  void for_each(const Function& function) const {
    for (std::size_t i = 0; i < layout_.rows; ++i)
      for (std::size_t j = 0; j < layout_.columns; ++j)
        if (has(i, j)) function(i, j);
  }

  Operand upload() {
    Operand operand = data_.upload();
    operand.stride = stride();
    return operand;
  }
  /// The leading dimension; packed matrices have none.
  std::int64_t stride() const {
    return layout_.storage == Layout::Storage::packed ? 0 : static_cast<std::int64_t>(ld_);
  }

  /// Where element (row, column) is in the buffer.
  std::size_t at(std::size_t i, std::size_t j) const {
    const bool by_columns = layout_.order == Order::column_major;
    std::size_t index = 0;
    if (layout_.storage == Layout::Storage::general) {
      index = by_columns ? j * ld_ + i : i * ld_ + j;
    } else if (layout_.storage == Layout::Storage::band) {
      index = by_columns ? j * ld_ + layout_.ku + i - j : i * ld_ + layout_.kl + j - i;
    } else {
      const std::size_t n = layout_.rows;
      const std::size_t line = by_columns ? j : i, place = by_columns ? i : j;
      const bool grows = (layout_.uplo == Uplo::upper) == by_columns;
      index = place + (grows ? line * (line + 1) / 2 : (2 * n - line - 1) * line / 2);
    }
    return data_.offset() + index;
  }

 private:
  std::size_t length() const {
    if (layout_.storage == Layout::Storage::band) return layout_.kl + layout_.ku + 1;
    return layout_.order == Order::column_major ? layout_.rows : layout_.columns;
  }
  OperandData<T> make(std::size_t offset, unsigned seed) const {
    if (layout_.storage == Layout::Storage::packed)
      return OperandData<T>::vector(layout_.rows * (layout_.rows + 1) / 2, 1, offset, seed);
    const std::size_t lines = layout_.order == Order::column_major ? layout_.columns : layout_.rows;
    return OperandData<T>::matrix(length(), lines, ld_, offset, seed);
  }
  Layout layout_;
  std::size_t ld_;
  OperandData<T> data_;
};

/// Element (row, column) of op(A) for all rows and columns: one loop serves all storage forms.
inline Element transposed(Element element, Transpose trans) {
  if (trans == Transpose::none) return element;
  return [element = std::move(element), trans](std::size_t i, std::size_t j) {
    const Wide value = element(j, i);
    return trans == Transpose::conjugate ? std::conj(value) : value;
  };
}

/// Runs a call on some queues and waits for all of them.
inline void run_and_wait(const Call& call, std::size_t queues = 1) {
  const auto on = Machine::get().queues(queues);
  ASSERT_EQ(Machine::get().library().run(call, {on}), Status::success);
  for (const auto& queue : on) ASSERT_EQ(::clFinish(queue), CL_SUCCESS);
}

/// NaN in all of a vector's elements: an output that must not be read.
template <class T>
void poison(OperandData<T>& vector, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    vector.all()[vector.at(i)] = T(std::numeric_limits<Real<T>>::quiet_NaN());
}
template <class T>
void poison(MatrixData<T>& matrix) {
  matrix.for_each([&](std::size_t i, std::size_t j) {
    matrix.element(i, j) = T(std::numeric_limits<Real<T>>::quiet_NaN());
  });
}

/// Increments of x and y that are tried: those of 1 have paths of their own.
constexpr std::array<std::array<int, 2>, 4> increment_pairs{{{1, 1}, {2, -3}, {-1, 2}, {-3, 1}}};
/// What alpha and beta may be that matters; the rounds of a test go through them in turn.
enum class Scalars { both, no_beta, no_alpha, neither };
constexpr std::array<Scalars, 5> scalars_in_turn{Scalars::both, Scalars::no_beta, Scalars::both,
                                                 Scalars::no_alpha, Scalars::neither};

/// The scalars of a call; poisons what must not be read with them.
template <class T>
void set_scalars(Call& call, Scalars which, MatrixData<T>& a, OperandData<T>& x, std::size_t x_size,
                 OperandData<T>& y, std::size_t y_size) {
  const bool alpha = which == Scalars::both || which == Scalars::no_beta;
  const bool beta = which == Scalars::both || which == Scalars::no_alpha;
  call.alpha = alpha ? scalar_of<T>(1.25, -0.5) : Scalar(0);
  call.beta = beta ? scalar_of<T>(-0.75, 0.25) : Scalar(0);
  if (!alpha) {
    poison(a);
    poison(x, x_size);
  }
  if (!beta) poison(y, y_size);
}

/// y = alpha op(A) x + beta y as it should be.
template <class T>
Expected<T> expected_product(const Call& call, const Element& element, std::size_t rows,
                             std::size_t columns, const OperandData<T>& x,
                             const OperandData<T>& y) {
  Expected<T> expected(y);
  for (std::size_t i = 0; i < rows; ++i) {
    Sum sum;
    if (call.beta != Scalar(0)) sum.add(call.beta, y.all()[y.at(i)]);
    if (call.alpha != Scalar(0))
      for (std::size_t j = 0; j < columns; ++j)
        sum.add(Wide(call.alpha) * element(i, j), x.all()[x.at(j)]);
    sum.terms += 2;  // the scalings
    expected.set(y.at(i), sum);
  }
  return expected;
}

}  // namespace kiln::blas::testing
