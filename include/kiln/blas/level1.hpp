#pragma once

#include <type_traits>

#include "kiln/blas/call.hpp"

/// Level 1: vectors of n elements (Lawson 1979). Each function describes a call; run(), Plan and
/// explain() of kiln/blas.hpp do something with it. Reductions are the same from run to run. With
/// a negative increment the routines of one vector do as reference BLAS does: scal changes nothing,
/// nrm2, asum, sum, iamax and its likes give 0.
namespace kiln::blas {
namespace detail {

/// A call with vectors x and y and something in memory, z.
template <Element T>
Call vectors(Routine routine, std::size_t n, Operand x, Operand y = {}, Operand z = {}) {
  Call call;
  call.routine = routine;
  call.precision = precision_of<T>;
  call.n = n;
  call[Slot::x] = x;
  call[Slot::y] = y;
  call[Slot::z] = z;
  return call;
}

}  // namespace detail

/// x and y change places.
template <Element T>
[[nodiscard]] Call swap(std::size_t n, Vector x, Vector y) {
  return detail::vectors<T>(Routine::swap, n, x, y);
}

/// x := alpha x
template <Element T>
[[nodiscard]] Call scal(std::size_t n, T alpha, Vector x) {
  Call call = detail::vectors<T>(Routine::scal, n, x);
  call.alpha = alpha;
  return call;
}

/// The same where nothing is multiplied with an imaginary part of alpha (csscal, zdscal).
template <ComplexElement T>
[[nodiscard]] Call scal(std::size_t n, RealOf<T> alpha, Vector x) {
  Call call = scal<T>(n, T(alpha), x);
  call.real_alpha = true;
  return call;
}

/// y := x
template <Element T>
[[nodiscard]] Call copy(std::size_t n, Vector x, Vector y) {
  return detail::vectors<T>(Routine::copy, n, x, y);
}

/// y := alpha x + y
template <Element T>
[[nodiscard]] Call axpy(std::size_t n, T alpha, Vector x, Vector y) {
  Call call = detail::vectors<T>(Routine::axpy, n, x, y);
  call.alpha = alpha;
  return call;
}

/// result := the sum of x[i] y[i]
template <Element T>
[[nodiscard]] Call dot(std::size_t n, Vector x, Vector y, Block result) {
  return detail::vectors<T>(Routine::dot, n, x, y, result);
}

/// result := the sum of conj(x[i]) y[i]
template <ComplexElement T>
[[nodiscard]] Call dotc(std::size_t n, Vector x, Vector y, Block result) {
  return detail::vectors<T>(Routine::dotc, n, x, y, result);
}

/// result := the Euclidean norm of x, a RealOf<T>; neither overflows nor underflows on its way. NaN
/// where x has one.
template <Element T>
[[nodiscard]] Call nrm2(std::size_t n, Vector x, Block result) {
  return detail::vectors<T>(Routine::nrm2, n, x, {}, result);
}

/// result := the sum of |Re x[i]| + |Im x[i]|, a RealOf<T>. NaN where x has one.
template <Element T>
[[nodiscard]] Call asum(std::size_t n, Vector x, Block result) {
  return detail::vectors<T>(Routine::asum, n, x, {}, result);
}

/// result := the sum of x[i]. Not of BLAS.
template <Element T>
[[nodiscard]] Call sum(std::size_t n, Vector x, Block result) {
  return detail::vectors<T>(Routine::sum, n, x, {}, result);
}

/// result := the place, from Call::first_index (1) on, of the first element with the largest
/// |Re x[i]| + |Im x[i]|, a cl_uint. As in reference BLAS a NaN that comes first is the largest,
/// and no other one is.
template <Element T>
[[nodiscard]] Call iamax(std::size_t n, Vector x, Block result) {
  return detail::vectors<T>(Routine::iamax, n, x, {}, result);
}

/// The same of the smallest |Re x[i]| + |Im x[i]|; a NaN that comes first is found here, too. Not
/// of BLAS.
template <Element T>
[[nodiscard]] Call iamin(std::size_t n, Vector x, Block result) {
  return detail::vectors<T>(Routine::iamin, n, x, {}, result);
}

/// The same of the largest Re x[i].
template <Element T>
[[nodiscard]] Call imax(std::size_t n, Vector x, Block result) {
  return detail::vectors<T>(Routine::imax, n, x, {}, result);
}

/// The same of the smallest Re x[i].
template <Element T>
[[nodiscard]] Call imin(std::size_t n, Vector x, Block result) {
  return detail::vectors<T>(Routine::imin, n, x, {}, result);
}

/// z[i] := alpha x[i] y[i] + beta z[i]; with beta = 0, z is not read. Not of BLAS.
template <Element T>
[[nodiscard]] Call had(std::size_t n, T alpha, Vector x, Vector y, std::type_identity_t<T> beta,
                       Vector z) {
  Call call = detail::vectors<T>(Routine::had, n, x, y, z);
  call.alpha = alpha;
  call.beta = beta;
  return call;
}

/// c (a RealOf<T>) and s of the plane rotation that takes (a, b) to (r, 0). a becomes r, and for
/// real types b becomes the z from which c and s can be had again.
template <Element T>
[[nodiscard]] Call rotg(Block a, Block b, Block c, Block s) {
  Call call = detail::vectors<T>(Routine::rotg, 0, a, b, c);
  call[Slot::w] = s;
  return call;
}

/// Rotates the points (x[i], y[i]): x := c x + s y, y := c y - s x.
template <Element T>
[[nodiscard]] Call rot(std::size_t n, Vector x, Vector y, RealOf<T> c, RealOf<T> s) {
  Call call = detail::vectors<T>(Routine::rot, n, x, y);
  call.alpha = c;
  call.beta = s;
  return call;
}

/// The modified rotation that takes (sqrt(d1) x1, sqrt(d2) y1) to (r, 0); d1, d2 and x1 become
/// those of the result. `param` gets five numbers, the first of which tells the others' form.
template <RealElement T>
[[nodiscard]] Call rotmg(Block d1, Block d2, Block x1, Block y1, Block param) {
  Call call = detail::vectors<T>(Routine::rotmg, 0, x1, y1, param);
  call[Slot::a] = d1;
  call[Slot::b] = d2;
  return call;
}

/// Applies the modified rotation in `param` to the points (x[i], y[i]).
template <RealElement T>
[[nodiscard]] Call rotm(std::size_t n, Vector x, Vector y, Block param) {
  return detail::vectors<T>(Routine::rotm, n, x, y, param);
}

}  // namespace kiln::blas
