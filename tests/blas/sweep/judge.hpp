#pragma once

#include "blas/sweep/case.hpp"

namespace kiln::blas::testing {

/// The first difference between what a call has left in memory and what OpenBLAS makes of the same
/// call; empty where there is none. What is no element of a result must not have changed by a bit.
///
/// Sums may differ by 2 gamma(k) times the sum of the magnitudes (each side's bound: Higham,
/// Accuracy and Stability of Numerical Algorithms, 3.1), which OpenBLAS computes from the
/// magnitudes of the elements. Solutions are judged by what they leave over, as OpenBLAS multiplies
/// them with the triangle (theorem 8.5).
template <class T>
std::string difference(const Case<T>& of, const Memory<T>& now);

}  // namespace kiln::blas::testing
