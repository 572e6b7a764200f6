#pragma once

#include <functional>
#include <string>

#include "blas/expected.hpp"

// What the tests of level 3 share.
namespace kiln::blas::testing {

template <class T>
Element element_of(const OperandData<T>& data, Order order) {
  return [&data, order](std::size_t i, std::size_t j) {
    return Wide(data.all()[data.at(order, i, j)]);
  };
}
inline Element applied(Element of, Transpose trans) {
  if (trans == Transpose::none) return of;
  const bool conjugated = trans == Transpose::conjugate;
  return [of, conjugated](std::size_t i, std::size_t j) {
    return conjugated ? std::conj(of(j, i)) : of(j, i);
  };
}
inline bool is_stored(Uplo uplo, std::size_t i, std::size_t j) {
  return uplo == Uplo::upper ? i <= j : i >= j;
}
inline Element triangular(Element of, Uplo uplo, Diag diag) {
  return [=](std::size_t i, std::size_t j) {
    if (!is_stored(uplo, i, j)) return Wide(0);
    return i == j && diag == Diag::unit ? Wide(1) : of(i, j);
  };
}
inline Element symmetric(Element of, Uplo uplo, bool hermitian) {
  return [=](std::size_t i, std::size_t j) {
    const Wide value = is_stored(uplo, i, j) ? of(i, j) : of(j, i);
    if (!hermitian) return value;
    if (i == j) return Wide(value.real());
    return is_stored(uplo, i, j) ? value : std::conj(value);
  };
}

/// A matrix argument of a call: rows x columns as the call sees it.
template <class T>
OperandData<T> matrix_data(Order order, std::size_t rows, std::size_t columns, unsigned seed) {
  const std::size_t length = order == Order::column_major ? rows : columns;
  const std::size_t lines = order == Order::column_major ? columns : rows;
  return OperandData<T>::matrix(length, lines, length + seed % 4, seed % 3, seed);
}

/// The scalars that tests use; real for real precisions.
inline Scalar scalar(Precision precision, double re, double im) {
  return is_complex(precision) ? Scalar(re, im) : Scalar(re);
}

/// What a call was, for a message.
inline std::string text_of(const Call& c) {
  const auto n = [](auto value) { return std::to_string(static_cast<int>(value)); };
  return std::string(1, letter(c.precision)) + std::string(name_of(c.routine)) + " order " +
         n(c.order) + " side " + n(c.side) + " uplo " + n(c.uplo) + " trans " + n(c.trans_a) +
         n(c.trans_b) + " diag " + n(c.diag) + " m " + n(c.m) + " n " + n(c.n) + " k " + n(c.k);
}

constexpr Order orders[] = {Order::row_major, Order::column_major};
constexpr Transpose transposes[] = {Transpose::none, Transpose::transpose, Transpose::conjugate};
constexpr Uplo uplos[] = {Uplo::upper, Uplo::lower};
constexpr Side sides[] = {Side::left, Side::right};
constexpr Diag diags[] = {Diag::unit, Diag::non_unit};

}  // namespace kiln::blas::testing
