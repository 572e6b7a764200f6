#pragma once

#include <type_traits>

#include "kiln/blas/call.hpp"

/// Level 2: a matrix and vectors (Dongarra 1988). Each function describes a call; run(), Plan and
/// explain() of kiln/blas.hpp do something with it. Packed triangles are Blocks; a band of kl
/// diagonals below the main one and ku above it is a Matrix of those lines.
namespace kiln::blas {

/// y := alpha op(A) x + beta y; A is m x n.
template <Element T>
[[nodiscard]] Call gemv(Order order, Transpose trans, std::size_t m, std::size_t n, T alpha,
                        Matrix a, Vector x, std::type_identity_t<T> beta, Vector y) {
  return {.routine = Routine::gemv,
          .precision = precision_of<T>,
          .order = order,
          .trans_a = trans,
          .m = m,
          .n = n,
          .alpha = alpha,
          .beta = beta,
          .operands = {{a, {}, {}, x, y}}};
}

/// The same with a band A of kl and ku diagonals.
template <Element T>
[[nodiscard]] Call gbmv(Order order, Transpose trans, std::size_t m, std::size_t n, std::size_t kl,
                        std::size_t ku, T alpha, Matrix a, Vector x, std::type_identity_t<T> beta,
                        Vector y) {
  return {.routine = Routine::gbmv,
          .precision = precision_of<T>,
          .order = order,
          .trans_a = trans,
          .m = m,
          .n = n,
          .kl = kl,
          .ku = ku,
          .alpha = alpha,
          .beta = beta,
          .operands = {{a, {}, {}, x, y}}};
}

/// y := alpha A x + beta y; A is n x n and symmetric.
template <RealElement T>
[[nodiscard]] Call symv(Order order, Uplo uplo, std::size_t n, T alpha, Matrix a, Vector x,
                        std::type_identity_t<T> beta, Vector y) {
  return {.routine = Routine::symv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .beta = beta,
          .operands = {{a, {}, {}, x, y}}};
}

/// The same with a Hermitian A.
template <ComplexElement T>
[[nodiscard]] Call hemv(Order order, Uplo uplo, std::size_t n, T alpha, Matrix a, Vector x,
                        std::type_identity_t<T> beta, Vector y) {
  return {.routine = Routine::hemv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .beta = beta,
          .operands = {{a, {}, {}, x, y}}};
}

/// symv with a packed A.
template <RealElement T>
[[nodiscard]] Call spmv(Order order, Uplo uplo, std::size_t n, T alpha, Block a, Vector x,
                        std::type_identity_t<T> beta, Vector y) {
  return {.routine = Routine::spmv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .beta = beta,
          .operands = {{a, {}, {}, x, y}}};
}

/// hemv with a packed A.
template <ComplexElement T>
[[nodiscard]] Call hpmv(Order order, Uplo uplo, std::size_t n, T alpha, Block a, Vector x,
                        std::type_identity_t<T> beta, Vector y) {
  return {.routine = Routine::hpmv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .beta = beta,
          .operands = {{a, {}, {}, x, y}}};
}

/// symv with a band A of k diagonals next to the main one.
template <RealElement T>
[[nodiscard]] Call sbmv(Order order, Uplo uplo, std::size_t n, std::size_t k, T alpha, Matrix a,
                        Vector x, std::type_identity_t<T> beta, Vector y) {
  return {.routine = Routine::sbmv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .k = k,
          .alpha = alpha,
          .beta = beta,
          .operands = {{a, {}, {}, x, y}}};
}

/// hemv with a band A of k diagonals next to the main one.
template <ComplexElement T>
[[nodiscard]] Call hbmv(Order order, Uplo uplo, std::size_t n, std::size_t k, T alpha, Matrix a,
                        Vector x, std::type_identity_t<T> beta, Vector y) {
  return {.routine = Routine::hbmv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .k = k,
          .alpha = alpha,
          .beta = beta,
          .operands = {{a, {}, {}, x, y}}};
}

/// x := op(A) x; A is n x n and triangular.
template <Element T>
[[nodiscard]] Call trmv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n, Matrix a,
                        Vector x) {
  return {.routine = Routine::trmv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .trans_a = trans,
          .diag = diag,
          .n = n,
          .operands = {{a, {}, {}, x}}};
}

/// trmv with a packed A.
template <Element T>
[[nodiscard]] Call tpmv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n, Block a,
                        Vector x) {
  return {.routine = Routine::tpmv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .trans_a = trans,
          .diag = diag,
          .n = n,
          .operands = {{a, {}, {}, x}}};
}

/// trmv with a band A of k diagonals next to the main one.
template <Element T>
[[nodiscard]] Call tbmv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n,
                        std::size_t k, Matrix a, Vector x) {
  return {.routine = Routine::tbmv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .trans_a = trans,
          .diag = diag,
          .n = n,
          .k = k,
          .operands = {{a, {}, {}, x}}};
}

/// Solves op(A) x = b, where x holds b; A is n x n and triangular. Whether it is singular is not
/// tested.
template <Element T>
[[nodiscard]] Call trsv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n, Matrix a,
                        Vector x) {
  return {.routine = Routine::trsv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .trans_a = trans,
          .diag = diag,
          .n = n,
          .operands = {{a, {}, {}, x}}};
}

/// trsv with a packed A.
template <Element T>
[[nodiscard]] Call tpsv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n, Block a,
                        Vector x) {
  return {.routine = Routine::tpsv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .trans_a = trans,
          .diag = diag,
          .n = n,
          .operands = {{a, {}, {}, x}}};
}

/// trsv with a band A of k diagonals next to the main one.
template <Element T>
[[nodiscard]] Call tbsv(Order order, Uplo uplo, Transpose trans, Diag diag, std::size_t n,
                        std::size_t k, Matrix a, Vector x) {
  return {.routine = Routine::tbsv,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .trans_a = trans,
          .diag = diag,
          .n = n,
          .k = k,
          .operands = {{a, {}, {}, x}}};
}

/// A := alpha x y' + A; A is m x n.
template <Element T>
[[nodiscard]] Call ger(Order order, std::size_t m, std::size_t n, T alpha, Vector x, Vector y,
                       Matrix a) {
  return {.routine = Routine::ger,
          .precision = precision_of<T>,
          .order = order,
          .m = m,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x, y}}};
}

/// The same with the conjugates of y.
template <ComplexElement T>
[[nodiscard]] Call gerc(Order order, std::size_t m, std::size_t n, T alpha, Vector x, Vector y,
                        Matrix a) {
  return {.routine = Routine::gerc,
          .precision = precision_of<T>,
          .order = order,
          .m = m,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x, y}}};
}

/// A := alpha x x' + A; A is n x n and symmetric.
template <RealElement T>
[[nodiscard]] Call syr(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Matrix a) {
  return {.routine = Routine::syr,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x}}};
}

/// The same with a Hermitian A, the conjugates of the second x and a real alpha.
template <ComplexElement T>
[[nodiscard]] Call her(Order order, Uplo uplo, std::size_t n, RealOf<T> alpha, Vector x, Matrix a) {
  return {.routine = Routine::her,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x}}};
}

/// syr with a packed A.
template <RealElement T>
[[nodiscard]] Call spr(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Block a) {
  return {.routine = Routine::spr,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x}}};
}

/// her with a packed A.
template <ComplexElement T>
[[nodiscard]] Call hpr(Order order, Uplo uplo, std::size_t n, RealOf<T> alpha, Vector x, Block a) {
  return {.routine = Routine::hpr,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x}}};
}

/// A := alpha x y' + alpha y x' + A; A is n x n and symmetric.
template <RealElement T>
[[nodiscard]] Call syr2(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Vector y,
                        Matrix a) {
  return {.routine = Routine::syr2,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x, y}}};
}

/// A := alpha x y^H + conj(alpha) y x^H + A; A is n x n and Hermitian.
template <ComplexElement T>
[[nodiscard]] Call her2(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Vector y,
                        Matrix a) {
  return {.routine = Routine::her2,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x, y}}};
}

/// syr2 with a packed A.
template <RealElement T>
[[nodiscard]] Call spr2(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Vector y,
                        Block a) {
  return {.routine = Routine::spr2,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x, y}}};
}

/// her2 with a packed A.
template <ComplexElement T>
[[nodiscard]] Call hpr2(Order order, Uplo uplo, std::size_t n, T alpha, Vector x, Vector y,
                        Block a) {
  return {.routine = Routine::hpr2,
          .precision = precision_of<T>,
          .order = order,
          .uplo = uplo,
          .n = n,
          .alpha = alpha,
          .operands = {{a, {}, {}, x, y}}};
}

}  // namespace kiln::blas
