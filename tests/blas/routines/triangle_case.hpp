#pragma once

#include "blas/routines/matrix_data.hpp"

namespace kiln::blas::testing {

/// The options of trmv, trsv and their likes.
struct TriangleCase {
  Layout layout;
  std::size_t k = 0;
  Transpose trans = Transpose::none;
  Diag diag = Diag::non_unit;
  int inc = 1;
  std::size_t queues = 1;
};

inline std::ostream& operator<<(std::ostream& to, const TriangleCase& c) {
  return to << "storage " << int(c.layout.storage) << ", n " << c.layout.rows << ", k " << c.k
            << ", order " << int(c.layout.order) << ", uplo " << int(c.layout.uplo) << ", trans "
            << int(c.trans) << ", diag " << int(c.diag) << ", increment " << c.inc << ", queues "
            << c.queues;
}

/// Tries `check` with all options of one shape.
template <class Check>
void for_all_options(Layout::Storage storage, std::size_t n, std::size_t k, std::size_t queues,
                     const Check& check) {
  for (const auto order : {Order::column_major, Order::row_major})
    for (const auto uplo : {Uplo::upper, Uplo::lower})
      for (const auto trans : {Transpose::none, Transpose::transpose, Transpose::conjugate})
        for (const auto diag : {Diag::unit, Diag::non_unit})
          for (const int inc : {1, 2, -3}) {
            TriangleCase c;
            c.layout = {
                storage, order, n, n, uplo == Uplo::lower ? k : 0, uplo == Uplo::upper ? k : 0,
                true,    uplo};
            c.k = k;
            c.trans = trans;
            c.diag = diag;
            c.inc = inc;
            c.queues = queues;
            check(c);
          }
}

/// A triangular matrix whose unit diagonal, where it has one, is NaN in memory.
template <class T>
MatrixData<T> triangle_data(const TriangleCase& c) {
  MatrixData<T> a(c.layout, 2, 3, 1);
  if (c.diag == Diag::unit)
    for (std::size_t i = 0; i < c.layout.rows; ++i)
      a.element(i, i) = T(std::numeric_limits<Real<T>>::quiet_NaN());
  return a;
}

template <class T>
Call triangle_call(const TriangleCase& c, MatrixData<T>& a, OperandData<T>& x,
                   std::array<Routine, 3> by_storage) {
  Call call;
  call.routine = by_storage[static_cast<std::size_t>(c.layout.storage)];
  call.precision = precision_of<T>;
  call.order = c.layout.order;
  call.uplo = c.layout.uplo;
  call.trans_a = c.trans;
  call.diag = c.diag;
  call.n = c.layout.rows;
  call.k = c.k;
  call[Slot::a] = a.upload();
  call[Slot::x] = x.upload();
  return call;
}

template <class T>
Element triangle_element(const TriangleCase& c, const MatrixData<T>& a) {
  return transposed(
      [&a, unit = c.diag == Diag::unit](std::size_t i, std::size_t j) {
        if (i == j && unit) return Wide(1);
        return a.has(i, j) ? Wide(a.element(i, j)) : Wide(0);
      },
      c.trans);
}

}  // namespace kiln::blas::testing
