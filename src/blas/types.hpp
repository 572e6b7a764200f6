#pragma once

#include <cstddef>

#include "kiln/blas/types.hpp"

namespace kiln::blas {

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

}  // namespace kiln::blas
