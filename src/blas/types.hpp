#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

/// The words of BLAS (Lawson 1979, Dongarra 1988 and 1990). The enumerators have the numbers of
/// clBLAS's C interface, so that the one is a cast of the other.
namespace kiln::blas {

enum class Order : std::uint8_t { row_major, column_major };
enum class Transpose : std::uint8_t { none, transpose, conjugate };
enum class Uplo : std::uint8_t { upper, lower };
enum class Diag : std::uint8_t { unit, non_unit };
enum class Side : std::uint8_t { left, right };

/// float, double, and the complex numbers of either.
enum class Precision : std::uint8_t { s, d, c, z };

constexpr bool is_complex(Precision p) { return p == Precision::c || p == Precision::z; }
constexpr bool is_double(Precision p) { return p == Precision::d || p == Precision::z; }
constexpr char letter(Precision p) { return "sdcz"[static_cast<int>(p)]; }
/// The precision of the parts of a complex number, and of a norm.
constexpr Precision real_of(Precision p) { return is_double(p) ? Precision::d : Precision::s; }
/// Bytes of one element.
constexpr std::size_t size_of(Precision p) {
  return (is_double(p) ? 8u : 4u) * (is_complex(p) ? 2u : 1u);
}

constexpr Uplo other(Uplo uplo) { return uplo == Uplo::upper ? Uplo::lower : Uplo::upper; }
constexpr Side other(Side side) { return side == Side::left ? Side::right : Side::left; }

/// A scalar argument of any precision: each is exact in it.
using Scalar = std::complex<double>;

}  // namespace kiln::blas
