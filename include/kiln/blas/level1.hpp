#pragma once

#include "kiln/blas/call.hpp"

/// Level 1: vectors of n elements (Lawson 1979). Each function describes a call; run(), Plan and
/// explain() of kiln/blas.hpp do something with it. Reductions are the same from run to run. With
/// a negative increment the routines of one vector do as reference BLAS does: scal changes nothing,
/// nrm2, asum and iamax give 0.
namespace kiln::blas {

/// x and y change places.
template <Element T>
[[nodiscard]] Call swap(std::size_t n, Vector x, Vector y) {
  return {.routine = Routine::swap,
          .precision = precision_of<T>,
          .n = n,
          .operands = {{{}, {}, {}, x, y}}};
}

/// x := alpha x
template <Element T>
[[nodiscard]] Call scal(std::size_t n, T alpha, Vector x) {
  return {.routine = Routine::scal,
          .precision = precision_of<T>,
          .n = n,
          .alpha = alpha,
          .operands = {{{}, {}, {}, x}}};
}

/// The same where nothing is multiplied with an imaginary part of alpha (csscal, zdscal).
template <ComplexElement T>
[[nodiscard]] Call scal(std::size_t n, RealOf<T> alpha, Vector x) {
  return {.routine = Routine::scal,
          .precision = precision_of<T>,
          .n = n,
          .alpha = alpha,
          .real_alpha = true,
          .operands = {{{}, {}, {}, x}}};
}

/// y := x
template <Element T>
[[nodiscard]] Call copy(std::size_t n, Vector x, Vector y) {
  return {.routine = Routine::copy,
          .precision = precision_of<T>,
          .n = n,
          .operands = {{{}, {}, {}, x, y}}};
}

/// y := alpha x + y
template <Element T>
[[nodiscard]] Call axpy(std::size_t n, T alpha, Vector x, Vector y) {
  return {.routine = Routine::axpy,
          .precision = precision_of<T>,
          .n = n,
          .alpha = alpha,
          .operands = {{{}, {}, {}, x, y}}};
}

/// result := the sum of x[i] y[i]
template <Element T>
[[nodiscard]] Call dot(std::size_t n, Vector x, Vector y, Block result) {
  return {.routine = Routine::dot,
          .precision = precision_of<T>,
          .n = n,
          .operands = {{{}, {}, {}, x, y, result}}};
}

/// result := the sum of conj(x[i]) y[i]
template <ComplexElement T>
[[nodiscard]] Call dotc(std::size_t n, Vector x, Vector y, Block result) {
  return {.routine = Routine::dotc,
          .precision = precision_of<T>,
          .n = n,
          .operands = {{{}, {}, {}, x, y, result}}};
}

/// result := the Euclidean norm of x, a RealOf<T>; neither overflows nor underflows on its way. NaN
/// where x has one.
template <Element T>
[[nodiscard]] Call nrm2(std::size_t n, Vector x, Block result) {
  return {.routine = Routine::nrm2,
          .precision = precision_of<T>,
          .n = n,
          .operands = {{{}, {}, {}, x, {}, result}}};
}

/// result := the sum of |Re x[i]| + |Im x[i]|, a RealOf<T>. NaN where x has one.
template <Element T>
[[nodiscard]] Call asum(std::size_t n, Vector x, Block result) {
  return {.routine = Routine::asum,
          .precision = precision_of<T>,
          .n = n,
          .operands = {{{}, {}, {}, x, {}, result}}};
}

/// result := the place, from 1 on, of the first element with the largest |Re x[i]| + |Im x[i]|, a
/// cl_uint. As in reference BLAS a NaN that comes first is the largest, and no other one is.
template <Element T>
[[nodiscard]] Call iamax(std::size_t n, Vector x, Block result) {
  return {.routine = Routine::iamax,
          .precision = precision_of<T>,
          .n = n,
          .operands = {{{}, {}, {}, x, {}, result}}};
}

/// c (a RealOf<T>) and s of the plane rotation that takes (a, b) to (r, 0). a becomes r, and for
/// real types b becomes the z from which c and s can be had again.
template <Element T>
[[nodiscard]] Call rotg(Block a, Block b, Block c, Block s) {
  return {.routine = Routine::rotg,
          .precision = precision_of<T>,
          .operands = {{{}, {}, {}, a, b, c, s}}};
}

/// Rotates the points (x[i], y[i]): x := c x + s y, y := c y - s x.
template <Element T>
[[nodiscard]] Call rot(std::size_t n, Vector x, Vector y, RealOf<T> c, RealOf<T> s) {
  return {.routine = Routine::rot,
          .precision = precision_of<T>,
          .n = n,
          .alpha = c,
          .beta = s,
          .operands = {{{}, {}, {}, x, y}}};
}

/// The modified rotation that takes (sqrt(d1) x1, sqrt(d2) y1) to (r, 0); d1, d2 and x1 become
/// those of the result. `param` gets five numbers, the first of which tells the others' form.
template <RealElement T>
[[nodiscard]] Call rotmg(Block d1, Block d2, Block x1, Block y1, Block param) {
  return {.routine = Routine::rotmg,
          .precision = precision_of<T>,
          .operands = {{d1, d2, {}, x1, y1, param}}};
}

/// Applies the modified rotation in `param` to the points (x[i], y[i]).
template <RealElement T>
[[nodiscard]] Call rotm(std::size_t n, Vector x, Vector y, Block param) {
  return {.routine = Routine::rotm,
          .precision = precision_of<T>,
          .n = n,
          .operands = {{{}, {}, {}, x, y, param}}};
}

}  // namespace kiln::blas
