#pragma once

#include <type_traits>

#include "kiln/blas/call.hpp"

/// Level 2: a matrix and vectors (Dongarra 1988). Each function describes a call; run(), Plan and
/// explain() of kiln/blas.hpp do something with it. Packed triangles are Blocks; a band of kl
/// diagonals below the main one and ku above it is a Matrix of those lines.
namespace kiln::blas {
namespace detail {

/// A call with a matrix, or what is stored of it, and the vectors x and y.
template <Element T>
Call matrix_vector(Routine routine, Order order, std::size_t n, Operand a, Operand x,
                   Operand y = {}) {
  return {.routine = routine,
          .precision = precision_of<T>,
          .order = order,
          .n = n,
          .operands = {{a, {}, {}, x, y}}};
}

/// The same with a symmetric or Hermitian A, of which one triangle is stored.
template <Element T>
Call mirrored(Routine routine, Order order, Uplo uplo, std::size_t n, std::size_t k, Scalar alpha,
              Operand a, Operand x, Scalar beta = 0, Operand y = {}) {
  Call call = matrix_vector<T>(routine, order, n, a, x, y);
  call.uplo = uplo;
  call.k = k;
  call.alpha = alpha;
  call.beta = beta;
  return call;
}

/// The same with a triangular A.
template <Element T>
Call triangular(Routine routine, Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n,
                std::size_t k, Operand a, Operand x) {
  Call call = matrix_vector<T>(routine, order, n, a, x);
  call.uplo = uplo;
  call.trans_a = trans;
  call.diag = diag;
  call.k = k;
  return call;
}

}  // namespace detail

/// y := alpha op(A) x + beta y; A is m x n.
template <Element T>
[[nodiscard]] Call gemv(Order order, Transpose trans, std::size_t m, std::size_t n, T alpha,
                        Matrix a, Vector x, std::type_identity_t<T> beta, Vector y) {
  Call call = detail::matrix_vector<T>(Routine::gemv, order, n, a, x, y);
  call.trans_a = trans;
  call.m = m;
  call.alpha = alpha;
  call.beta = beta;
  return call;
}

/// The same with a band A of kl and ku diagonals.
template <Element T>
[[nodiscard]] Call gbmv(Order order, Transpose trans, std::size_t m, std::size_t n, std::size_t kl,
                        std::size_t ku, T alpha, Matrix a, Vector x, std::type_identity_t<T> beta,
                        Vector y) {
  Call call = gemv<T>(order, trans, m, n, alpha, a, x, beta, y);
  call.routine = Routine::gbmv;
  call.kl = kl;
  call.ku = ku;
  return call;
}

/// y := alpha A x + beta y; A is n x n and symmetric.
template <RealElement T>
[[nodiscard]] Call symv(Order order, Uplo uplo, std::size_t n, T alpha, Matrix a, Vector x,
                        std::type_identity_t<T> beta, Vector y) {
  return detail::mirrored<T>(Routine::symv, order, uplo, n, 0, alpha, a, x, beta, y);
}

/// The same with a Hermitian A.
template <ComplexElement T>
[[nodiscard]] Call hemv(Order order, Uplo uplo, std::size_t n, T alpha, Matrix a, Vector x,
                        std::type_identity_t<T> beta, Vector y) {
  return detail::mirrored<T>(Routine::hemv, order, uplo, n, 0, alpha, a, x, beta, y);
}

/// symv with a packed A.
template <RealElement T>
[[nodiscard]] Call spmv(Order order, Uplo uplo, std::size_t n, T alpha, Block a, Vector x,
                        std::type_identity_t<T> beta, Vector y) {
  return detail::mirrored<T>(Routine::spmv, order, uplo, n, 0, alpha, a, x, beta, y);
}

/// hemv with a packed A.
template <ComplexElement T>
[[nodiscard]] Call hpmv(Order order, Uplo uplo, std::size_t n, T alpha, Block a, Vector x,
                        std::type_identity_t<T> beta, Vector y) {
  return detail::mirrored<T>(Routine::hpmv, order, uplo, n, 0, alpha, a, x, beta, y);
}

/// symv with a band A of k diagonals next to the main one.
template <RealElement T>
[[nodiscard]] Call sbmv(Order order, Uplo uplo, std::size_t n, std::size_t k, T alpha, Matrix a,
                        Vector x, std::type_identity_t<T> beta, Vector y) {
  return detail::mirrored<T>(Routine::sbmv, order, uplo, n, k, alpha, a, x, beta, y);
}

/// hemv with a band A of k diagonals next to the main one.
template <ComplexElement T>
[[nodiscard]] Call hbmv(Order order, Uplo uplo, std::size_t n, std::size_t k, T alpha, Matrix a,
                        Vector x, std::type_identity_t<T> beta, Vector y) {
  return detail::mirrored<T>(Routine::hbmv, order, uplo, n, k, alpha, a, x, beta, y);
}

/// x := op(A) x; A is n x n and triangular.
template <Element T>
[[nodiscard]] Call trmv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n, Matrix a,
                        Vector x) {
  return detail::triangular<T>(Routine::trmv, order, uplo, trans, diag, n, 0, a, x);
}

/// trmv with a packed A.
template <Element T>
[[nodiscard]] Call tpmv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n, Block a,
                        Vector x) {
  return detail::triangular<T>(Routine::tpmv, order, uplo, trans, diag, n, 0, a, x);
}

/// trmv with a band A of k diagonals next to the main one.
template <Element T>
[[nodiscard]] Call tbmv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n,
                        std::size_t k, Matrix a, Vector x) {
  return detail::triangular<T>(Routine::tbmv, order, uplo, trans, diag, n, k, a, x);
}

/// Solves op(A) x = b, where x holds b; A is n x n and triangular. Whether it is singular is not
/// tested.
template <Element T>
[[nodiscard]] Call trsv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n, Matrix a,
                        Vector x) {
  return detail::triangular<T>(Routine::trsv, order, uplo, trans, diag, n, 0, a, x);
}

/// trsv with a packed A.
template <Element T>
[[nodiscard]] Call tpsv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n, Block a,
                        Vector x) {
  return detail::triangular<T>(Routine::tpsv, order, uplo, trans, diag, n, 0, a, x);
}

/// trsv with a band A of k diagonals next to the main one.
template <Element T>
[[nodiscard]] Call tbsv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n,
                        std::size_t k, Matrix a, Vector x) {
  return detail::triangular<T>(Routine::tbsv, order, uplo, trans, diag, n, k, a, x);
}

/// A := alpha x y' + A; A is m x n.
template <Element T>
[[nodiscard]] Call ger(Order order, std::size_t m, std::size_t n, T alpha, Vector x, Vector y,
                       Matrix a) {
  Call call = detail::matrix_vector<T>(Routine::ger, order, n, a, x, y);
  call.m = m;
  call.alpha = alpha;
  return call;
}

/// The same with the conjugates of y.
template <ComplexElement T>
[[nodiscard]] Call gerc(Order order, std::size_t m, std::size_t n, T alpha, Vector x, Vector y,
                        Matrix a) {
  Call call = ger<T>(order, m, n, alpha, x, y, a);
  call.routine = Routine::gerc;
  return call;
}

/// A := alpha x x' + A; A is n x n and symmetric.
template <RealElement T>
[[nodiscard]] Call syr(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Matrix a) {
  return detail::mirrored<T>(Routine::syr, order, uplo, n, 0, alpha, a, x);
}

/// The same with a Hermitian A, the conjugates of the second x and a real alpha.
template <ComplexElement T>
[[nodiscard]] Call her(Order order, Uplo uplo, std::size_t n, RealOf<T> alpha, Vector x, Matrix a) {
  return detail::mirrored<T>(Routine::her, order, uplo, n, 0, alpha, a, x);
}

/// syr with a packed A.
template <RealElement T>
[[nodiscard]] Call spr(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Block a) {
  return detail::mirrored<T>(Routine::spr, order, uplo, n, 0, alpha, a, x);
}

/// her with a packed A.
template <ComplexElement T>
[[nodiscard]] Call hpr(Order order, Uplo uplo, std::size_t n, RealOf<T> alpha, Vector x, Block a) {
  return detail::mirrored<T>(Routine::hpr, order, uplo, n, 0, alpha, a, x);
}

/// A := alpha x y' + alpha y x' + A; A is n x n and symmetric.
template <RealElement T>
[[nodiscard]] Call syr2(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Vector y,
                        Matrix a) {
  return detail::mirrored<T>(Routine::syr2, order, uplo, n, 0, alpha, a, x, 0, y);
}

/// A := alpha x y^H + conj(alpha) y x^H + A; A is n x n and Hermitian.
template <ComplexElement T>
[[nodiscard]] Call her2(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Vector y,
                        Matrix a) {
  return detail::mirrored<T>(Routine::her2, order, uplo, n, 0, alpha, a, x, 0, y);
}

/// syr2 with a packed A.
template <RealElement T>
[[nodiscard]] Call spr2(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Vector y,
                        Block a) {
  return detail::mirrored<T>(Routine::spr2, order, uplo, n, 0, alpha, a, x, 0, y);
}

/// her2 with a packed A.
template <ComplexElement T>
[[nodiscard]] Call hpr2(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Vector y,
                        Block a) {
  return detail::mirrored<T>(Routine::hpr2, order, uplo, n, 0, alpha, a, x, 0, y);
}

// ---- What BLAS does not have

/// B := alpha op(A); A is m x n. A and B must not overlap.
template <Element T>
[[nodiscard]] Call omatcopy(Order order, Transpose trans, std::size_t m, std::size_t n, T alpha,
                            Matrix a, Matrix b) {
  Call call = detail::matrix_vector<T>(Routine::omatcopy, order, n, a, {});
  call[Slot::b] = b;
  call.trans_a = trans;
  call.m = m;
  call.alpha = alpha;
  return call;
}

/// columns := the patches of an image, one behind another in it as rows: for each channel and point
/// of the filter, by rows, the window.rows() x window.columns() elements that it covers, by rows.
/// An image is channels x height x width, by rows.
template <Element T>
[[nodiscard]] Call im2col(const Window& window, Block image, Block columns) {
  return {.routine = Routine::im2col,
          .precision = precision_of<T>,
          .m = window.rows() * window.columns(),
          .n = window.points_of_patch(),
          .window = window,
          .operands = {{image, columns}}};
}

/// The reverse: each element of the image := the sum of all that patches have of it, and beta times
/// what it was; with beta = 0, it is not read.
template <Element T>
[[nodiscard]] Call col2im(const Window& window, Block columns, T beta, Block image) {
  Call call = im2col<T>(window, columns, image);
  call.routine = Routine::col2im;
  call.beta = beta;
  return call;
}

}  // namespace kiln::blas
