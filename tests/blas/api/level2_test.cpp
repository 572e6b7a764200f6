// The routines of level 2 by the C++ interface, each in all of its precisions.
#include "blas/api/operands.hpp"
#include "blas/routines/matrix_data.hpp"

namespace kiln::blas::testing::level2 {
namespace {

using Storage = Layout::Storage;
constexpr std::size_t m = 37, n = 23, k = 4;

template <class T>
class ApiLevel2 : public ::testing::Test {
 protected:
  static constexpr bool is_real = std::is_same_v<T, Real<T>>;
  OperandData<T> x_ = OperandData<T>::vector(n, 2, 1, 2), y_ = OperandData<T>::vector(n, -3, 4, 3);
  T alpha_ = number<T>(1.25, -0.5), beta_ = number<T>(-0.75, 0.25);
  Vector x() { return as_vector(x_.upload()); }
  Vector y() { return as_vector(y_.upload()); }

  static Layout triangle(Storage storage) {
    const bool band = storage == Storage::band;
    return {storage, Order::row_major, n, n, band ? k : 0, 0, true, Uplo::lower};
  }
  /// y = alpha A x + beta y.
  void check_product(const Call& call, const Element& element, std::size_t rows,
                     std::size_t columns) {
    run_public(call);
    const auto expected = expected_product(call, element, rows, columns, x_, y_);
    EXPECT_EQ(expected.difference(y_.download()), "");
  }
  /// Symmetric, or Hermitian where there are imaginary parts.
  static Element whole(MatrixData<T>& a) {
    return [&a](std::size_t i, std::size_t j) {
      if (i == j) return Wide(std::real(a.element(i, i)));
      if (a.has(i, j)) return Wide(a.element(i, j));
      return a.has(j, i) ? std::conj(Wide(a.element(j, i))) : Wide(0);
    };
  }
  /// op(A) with a conjugate transpose, of a lower triangle.
  static Element turned(MatrixData<T>& a) {
    return transposed([&a](std::size_t i,
                           std::size_t j) { return a.has(i, j) ? Wide(a.element(i, j)) : Wide(0); },
                      Transpose::conjugate);
  }
  template <class Describe>
  void check_triangle_product(Storage storage, Describe describe) {
    MatrixData<T> a(triangle(storage), 2, 3, 1);
    run_public(describe(a.upload()));
    const Element element = turned(a);
    Expected<T> expected(x_);
    for (std::size_t i = 0; i < n; ++i) {
      Sum sum;
      for (std::size_t j = 0; j < n; ++j) sum.add(element(i, j), x_.all()[x_.at(j)]);
      expected.set(x_.at(i), sum);
    }
    EXPECT_EQ(expected.difference(x_.download()), "");
  }
  /// By what the solution leaves over.
  template <class Describe>
  void check_solve(Storage storage, Describe describe) {
    MatrixData<T> a(triangle(storage), 2, 3, 1);
    a.for_each([&](std::size_t i, std::size_t j) {
      a.element(i, j) = i == j ? a.element(i, j) + T(3) : a.element(i, j) / T(n);
    });
    run_public(describe(a.upload()));
    const Element element = turned(a);
    const auto now = x_.download();
    for (std::size_t i = 0; i < n; ++i) {
      Sum sum;
      for (std::size_t j = 0; j < n; ++j) sum.add(element(i, j), now[x_.at(j)]);
      sum.terms += 3;  // the division
      EXPECT_LE(std::abs(sum.value - Wide(x_.all()[x_.at(i)])), sum.bound<T>()) << i;
    }
  }
  /// `added(i, j)` to every element that is stored.
  template <class Added>
  static void check_update(MatrixData<T>& a, const Call& call, bool hermitian, Added added) {
    run_public(call);
    Expected<T> expected(a.data());
    a.for_each([&](std::size_t i, std::size_t j) {
      Sum sum = added(i, j);
      const bool real = hermitian && i == j;
      sum.add(real ? Wide(std::real(a.element(i, j))) : Wide(a.element(i, j)));
      if (real) sum.value = std::real(sum.value);
      sum.terms += 2;
      expected.set(a.at(i, j), sum);
    });
    EXPECT_EQ(expected.difference(a.data().download()), "");
  }
  Wide x(std::size_t i) const { return Wide(x_.all()[x_.at(i)]); }
  Wide y(std::size_t i) const { return Wide(y_.all()[y_.at(i)]); }
  static Wide op(const Wide& value) { return is_real ? value : std::conj(value); }
};
TYPED_TEST_SUITE(ApiLevel2, Precisions);

TYPED_TEST(ApiLevel2, gemv) {
  MatrixData<TypeParam> a({Storage::general, Order::row_major, n, m}, 2, 3, 1);
  this->x_ = OperandData<TypeParam>::vector(n, 2, 1, 2);
  this->y_ = OperandData<TypeParam>::vector(m, -3, 4, 3);
  const auto call = blas::gemv(Order::row_major, Transpose::conjugate, n, m, this->alpha_,
                               as_matrix(a.upload()), this->x(), this->beta_, this->y());
  this->check_product(
      call, [&](auto i, auto j) { return std::conj(Wide(a.element(j, i))); }, m, n);
}

TYPED_TEST(ApiLevel2, gbmv) {
  MatrixData<TypeParam> a({Storage::band, Order::column_major, m, n, 3, 5}, 2, 3, 1);
  this->y_ = OperandData<TypeParam>::vector(m, -3, 4, 3);
  const auto call = blas::gbmv(Order::column_major, Transpose::none, m, n, 3, 5, this->alpha_,
                               as_matrix(a.upload()), this->x(), this->beta_, this->y());
  this->check_product(
      call, [&](auto i, auto j) { return a.has(i, j) ? Wide(a.element(i, j)) : Wide(0); }, m, n);
}

TYPED_TEST(ApiLevel2, symv_and_hemv) {
  MatrixData<TypeParam> a(this->triangle(Storage::general), 2, 3, 1);
  const auto describe = [&](Matrix matrix) {
    if constexpr (RealElement<TypeParam>)
      return blas::symv(Order::row_major, Uplo::lower, n, this->alpha_, matrix, this->x(),
                        this->beta_, this->y());
    else
      return blas::hemv(Order::row_major, Uplo::lower, n, this->alpha_, matrix, this->x(),
                        this->beta_, this->y());
  };
  this->check_product(describe(as_matrix(a.upload())), this->whole(a), n, n);
}

TYPED_TEST(ApiLevel2, spmv_and_hpmv) {
  MatrixData<TypeParam> a(this->triangle(Storage::packed), 2, 3, 1);
  const auto describe = [&](Block matrix) {
    if constexpr (RealElement<TypeParam>)
      return blas::spmv(Order::row_major, Uplo::lower, n, this->alpha_, matrix, this->x(),
                        this->beta_, this->y());
    else
      return blas::hpmv(Order::row_major, Uplo::lower, n, this->alpha_, matrix, this->x(),
                        this->beta_, this->y());
  };
  this->check_product(describe(as_block(a.upload())), this->whole(a), n, n);
}

TYPED_TEST(ApiLevel2, sbmv_and_hbmv) {
  MatrixData<TypeParam> a(this->triangle(Storage::band), 2, 3, 1);
  const auto describe = [&](Matrix matrix) {
    if constexpr (RealElement<TypeParam>)
      return blas::sbmv(Order::row_major, Uplo::lower, n, k, this->alpha_, matrix, this->x(),
                        this->beta_, this->y());
    else
      return blas::hbmv(Order::row_major, Uplo::lower, n, k, this->alpha_, matrix, this->x(),
                        this->beta_, this->y());
  };
  this->check_product(describe(as_matrix(a.upload())), this->whole(a), n, n);
}

TYPED_TEST(ApiLevel2, trmv_tpmv_and_tbmv) {
  using T = TypeParam;
  const auto options = [&](auto routine, auto... rest) {
    return routine(Order::row_major, Uplo::lower, Transpose::conjugate, Diag::non_unit, n, rest...);
  };
  this->check_triangle_product(Storage::general, [&](const Operand& a) {
    return options(blas::trmv<T>, as_matrix(a), this->x());
  });
  this->check_triangle_product(Storage::packed, [&](const Operand& a) {
    return options(blas::tpmv<T>, as_block(a), this->x());
  });
  this->check_triangle_product(Storage::band, [&](const Operand& a) {
    return options(blas::tbmv<T>, k, as_matrix(a), this->x());
  });
}

TYPED_TEST(ApiLevel2, trsv_tpsv_and_tbsv) {
  using T = TypeParam;
  const auto options = [&](auto routine, auto... rest) {
    return routine(Order::row_major, Uplo::lower, Transpose::conjugate, Diag::non_unit, n, rest...);
  };
  this->check_solve(Storage::general, [&](const Operand& a) {
    return options(blas::trsv<T>, as_matrix(a), this->x());
  });
  this->check_solve(Storage::packed, [&](const Operand& a) {
    return options(blas::tpsv<T>, as_block(a), this->x());
  });
  this->check_solve(Storage::band, [&](const Operand& a) {
    return options(blas::tbsv<T>, k, as_matrix(a), this->x());
  });
}

TYPED_TEST(ApiLevel2, ger_and_gerc) {
  using T = TypeParam;
  this->x_ = OperandData<T>::vector(m, 2, 1, 2);
  for (const bool conjugated : {false, true}) {
    MatrixData<T> a({Storage::general, Order::row_major, m, n}, 2, 3, 1);
    const Matrix matrix = as_matrix(a.upload());
    Call call = blas::ger(Order::row_major, m, n, this->alpha_, this->x(), this->y(), matrix);
    if constexpr (ComplexElement<T>)
      if (conjugated)
        call = blas::gerc(Order::row_major, m, n, this->alpha_, this->x(), this->y(), matrix);
    this->check_update(a, call, false, [&](auto i, auto j) {
      Sum sum;
      sum.add(Wide(this->alpha_) * this->x(i), conjugated ? this->op(this->y(j)) : this->y(j));
      return sum;
    });
  }
}

TYPED_TEST(ApiLevel2, syr_spr_her_and_hpr) {
  using T = TypeParam;
  const Real<T> alpha = Real<T>(1.25);
  for (const auto storage : {Storage::general, Storage::packed}) {
    MatrixData<T> a(this->triangle(storage), 2, 3, 1);
    const Operand o = a.upload();
    const auto describe = [&](auto general, auto packed) {
      return storage == Storage::general
                 ? general(Order::row_major, Uplo::lower, n, alpha, this->x(), as_matrix(o))
                 : packed(Order::row_major, Uplo::lower, n, alpha, this->x(), as_block(o));
    };
    Call call;
    if constexpr (RealElement<T>)
      call = describe(blas::syr<T>, blas::spr<T>);
    else
      call = describe(blas::her<T>, blas::hpr<T>);
    this->check_update(a, call, !this->is_real, [&](auto i, auto j) {
      Sum sum;
      sum.add(Wide(alpha) * this->x(i), this->op(this->x(j)));
      return sum;
    });
  }
}

TYPED_TEST(ApiLevel2, syr2_spr2_her2_and_hpr2) {
  using T = TypeParam;
  for (const auto storage : {Storage::general, Storage::packed}) {
    MatrixData<T> a(this->triangle(storage), 2, 3, 1);
    const Operand o = a.upload();
    const auto describe = [&](auto general, auto packed) {
      return storage == Storage::general ? general(Order::row_major, Uplo::lower, n, this->alpha_,
                                                   this->x(), this->y(), as_matrix(o))
                                         : packed(Order::row_major, Uplo::lower, n, this->alpha_,
                                                  this->x(), this->y(), as_block(o));
    };
    Call call;
    if constexpr (RealElement<T>)
      call = describe(blas::syr2<T>, blas::spr2<T>);
    else
      call = describe(blas::her2<T>, blas::hpr2<T>);
    this->check_update(a, call, !this->is_real, [&](auto i, auto j) {
      const Wide alpha(this->alpha_);
      Sum sum;
      sum.add(alpha * this->x(i), this->op(this->y(j)));
      sum.add(this->op(alpha) * this->y(i), this->op(this->x(j)));
      return sum;
    });
  }
}

}  // namespace
}  // namespace kiln::blas::testing::level2
