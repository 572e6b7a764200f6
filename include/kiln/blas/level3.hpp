#pragma once

#include <type_traits>

#include "kiln/blas/call.hpp"

/// Level 3: matrices (Dongarra 1990). Each function describes a call; run(), Plan and explain() of
/// kiln/blas.hpp do something with it.
///
/// With alpha = 0, or k = 0, the factors are not read; with beta = 1 besides, C is not touched.
namespace kiln::blas {
namespace detail {

/// A call with matrices: what all of level 3 have.
template <Element T>
Call matrices(Routine routine, Order order, std::size_t m, std::size_t n, std::size_t k,
              Scalar alpha, Operand a, Operand b, Scalar beta = 0, Operand c = {}) {
  return {.routine = routine,
          .precision = precision_of<T>,
          .order = order,
          .m = m,
          .n = n,
          .k = k,
          .alpha = alpha,
          .beta = beta,
          .operands = {{a, b, c}}};
}

/// B is m x n, A symmetric, Hermitian or triangular, on one side of it.
template <Element T>
Call sided(Routine routine, Order order, Side side, Uplo uplo, std::size_t m, std::size_t n,
           Scalar alpha, Operand a, Operand b, Scalar beta = 0, Operand c = {}) {
  Call call = matrices<T>(routine, order, m, n, 0, alpha, a, b, beta, c);
  call.side = side;
  call.uplo = uplo;
  return call;
}

/// C is n x n and symmetric or Hermitian, op(A) and op(B) are n x k.
template <Element T>
Call rank_k(Routine routine, Order order, Uplo uplo, Transpose trans, std::size_t n, std::size_t k,
            Scalar alpha, Operand a, Operand b, Scalar beta, Operand c) {
  Call call = matrices<T>(routine, order, 0, n, k, alpha, a, b, beta, c);
  call.uplo = uplo;
  call.trans_a = trans;
  return call;
}

}  // namespace detail

/// C := alpha op(A) op(B) + beta C; op(A) is m x k, op(B) is k x n. With beta = 0, C is not read.
template <Element T>
[[nodiscard]] Call gemm(Order order, Transpose trans_a, Transpose trans_b, std::size_t m,
                        std::size_t n, std::size_t k, T alpha, Matrix a, Matrix b,
                        std::type_identity_t<T> beta, Matrix c) {
  Call call = detail::matrices<T>(Routine::gemm, order, m, n, k, alpha, a, b, beta, c);
  call.trans_a = trans_a;
  call.trans_b = trans_b;
  return call;
}

/// B := alpha op(A) B, or alpha B op(A) with A on the right; B is m x n, A triangular.
template <Element T>
[[nodiscard]] Call trmm(Order order, Side side, Uplo uplo, Transpose trans, Diag diag,
                        std::size_t m, std::size_t n, T alpha, Matrix a, Matrix b) {
  Call call = detail::sided<T>(Routine::trmm, order, side, uplo, m, n, alpha, a, b);
  call.trans_a = trans;
  call.diag = diag;
  return call;
}

/// Solves op(A) X = alpha B, or X op(A) = alpha B; X takes the place of B, which is m x n. A is
/// triangular; whether it is singular is not tested.
template <Element T>
[[nodiscard]] Call trsm(Order order, Side side, Uplo uplo, Transpose trans, Diag diag,
                        std::size_t m, std::size_t n, T alpha, Matrix a, Matrix b) {
  Call call = trmm<T>(order, side, uplo, trans, diag, m, n, alpha, a, b);
  call.routine = Routine::trsm;
  return call;
}

/// C := alpha A B + beta C, or alpha B A + beta C; C is m x n, A symmetric.
template <Element T>
[[nodiscard]] Call symm(Order order, Side side, Uplo uplo, std::size_t m, std::size_t n, T alpha,
                        Matrix a, Matrix b, std::type_identity_t<T> beta, Matrix c) {
  return detail::sided<T>(Routine::symm, order, side, uplo, m, n, alpha, a, b, beta, c);
}

/// The same with a Hermitian A.
template <ComplexElement T>
[[nodiscard]] Call hemm(Order order, Side side, Uplo uplo, std::size_t m, std::size_t n, T alpha,
                        Matrix a, Matrix b, std::type_identity_t<T> beta, Matrix c) {
  return detail::sided<T>(Routine::hemm, order, side, uplo, m, n, alpha, a, b, beta, c);
}

/// C := alpha A A' + beta C, or alpha A' A + beta C with trans; C is n x n and symmetric, op(A)
/// n x k.
template <Element T>
[[nodiscard]] Call syrk(Order order, Uplo uplo, Transpose trans, std::size_t n, std::size_t k,
                        T alpha, Matrix a, std::type_identity_t<T> beta, Matrix c) {
  return detail::rank_k<T>(Routine::syrk, order, uplo, trans, n, k, alpha, a, {}, beta, c);
}

/// The same with conjugates: C is Hermitian, alpha and beta are real, trans is none or conjugate.
/// Where C is written, the imaginary parts of its diagonal become 0.
template <ComplexElement T>
[[nodiscard]] Call herk(Order order, Uplo uplo, Transpose trans, std::size_t n, std::size_t k,
                        RealOf<T> alpha, Matrix a, RealOf<T> beta, Matrix c) {
  return detail::rank_k<T>(Routine::herk, order, uplo, trans, n, k, alpha, a, {}, beta, c);
}

/// C := alpha A B' + alpha B A' + beta C, or the transposes first with trans; C is n x n and
/// symmetric, op(A) and op(B) are n x k.
template <Element T>
[[nodiscard]] Call syr2k(Order order, Uplo uplo, Transpose trans, std::size_t n, std::size_t k,
                         T alpha, Matrix a, Matrix b, std::type_identity_t<T> beta, Matrix c) {
  return detail::rank_k<T>(Routine::syr2k, order, uplo, trans, n, k, alpha, a, b, beta, c);
}

/// C := alpha A B^H + conj(alpha) B A^H + beta C: C is Hermitian, beta real, trans none or
/// conjugate. Where C is written, the imaginary parts of its diagonal become 0.
template <ComplexElement T>
[[nodiscard]] Call her2k(Order order, Uplo uplo, Transpose trans, std::size_t n, std::size_t k,
                         T alpha, Matrix a, Matrix b, RealOf<T> beta, Matrix c) {
  return detail::rank_k<T>(Routine::her2k, order, uplo, trans, n, k, alpha, a, b, beta, c);
}

/// results := for each of `batch` images and each of `filters` filters, the sums over all channels
/// of the products with each patch: batch x filters x window.rows() x window.columns(). Images are
/// channels x height x width, filters channels x kernel_h x kernel_w; all by rows, without gaps.
/// Not of BLAS.
template <Element T>
[[nodiscard]] Call conv(const Window& window, std::size_t filters, std::size_t batch, Block images,
                        Block kernels, Block results) {
  return {.routine = Routine::conv,
          .precision = precision_of<T>,
          .m = window.rows() * window.columns(),
          .n = filters,
          .k = window.points_of_patch(),
          .batch = batch,
          .window = window,
          .operands = {{images, kernels, results}}};
}

}  // namespace kiln::blas
