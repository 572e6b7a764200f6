#pragma once

#include <complex>
#include <concepts>
#include <cstdint>

/// The words of BLAS (Lawson 1979, Dongarra 1988 and 1990). The enumerators have the numbers of
/// clBLAS's C interface, so that the one is a cast of the other.
namespace kiln::blas {

/// Whether the rows or the columns of a matrix are contiguous.
enum class Order : std::uint8_t { row_major, column_major };
/// op(A): A, its transpose, its conjugate transpose (the transpose, for real types).
enum class Transpose : std::uint8_t { none, transpose, conjugate };
/// Which triangle of a matrix is given, or written; the other one is not touched.
enum class Uplo : std::uint8_t { upper, lower };
/// Whether the diagonal of a triangle is all ones and never read, or given.
enum class Diag : std::uint8_t { unit, non_unit };
/// Which factor of a product the special matrix is.
enum class Side : std::uint8_t { left, right };

/// float, double, and the complex numbers of either.
enum class Precision : std::uint8_t { s, d, c, z };

/// How the elements of an operand lie in memory. `native`: as the call's precision says. The others
/// go with calls of precision s, which computes with them in float (of two int8 factors in int32,
/// exactly):
///   half      IEEE 754 binary16
///   bfloat16  the upper half of a float
///   e4m3, e5m2  8-bit floating point (Micikevicius 2022, FP8 formats for deep learning)
///   int8, int32  integers of two's complement
///   int4      the same, two in a byte, the first in its lower half
/// What is written is rounded to the nearest, ties to even; integers and e4m3 hold at their largest
/// number what is beyond it.
enum class Storage : std::uint8_t { native, half, bfloat16, e4m3, e5m2, int8, int32, int4 };

/// What a product's elements go through before they are stored: max(x, 0);
/// x / 2 (1 + erf(x / sqrt(2))) (Hendrycks 2016); x / (1 + exp(-x)).
enum class Activation : std::uint8_t { none, relu, gelu, silu };

/// Of what a vector has an element each.
enum class Along : std::uint8_t { none, rows, columns };

/// A scalar argument of any precision: each is exact in it.
using Scalar = std::complex<double>;

/// The types that elements may have.
template <class T>
concept RealElement = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept ComplexElement =
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
concept Element = RealElement<T> || ComplexElement<T>;

template <Element T>
constexpr Precision precision_of = std::same_as<T, float>                 ? Precision::s
                                   : std::same_as<T, double>              ? Precision::d
                                   : std::same_as<T, std::complex<float>> ? Precision::c
                                                                          : Precision::z;

/// The type of the parts of a complex number, and of a norm.
template <Element T>
using RealOf = decltype(std::real(T()));

}  // namespace kiln::blas
