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
