#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/request/request.hpp"
#include "kernel/resolver/generator.hpp"
#include "kiln/blas/call.hpp"
#include "kiln/blas/types.hpp"

// Kernels of products of 16-bit and 8-bit factors by the matrix units of NVIDIA's Hopper
// (templates/matrix_units.cl).
namespace kiln::blas {

/// What MatrixUnitGenerator is asked for.
struct MatrixUnitPayload {
  Storage factors = Storage::half;  ///< half, bfloat16 or int8: both
  /// native (float), half, bfloat16 or int32; int8: of factors of int8, the remainders of the sums
  /// of item i by moduli[i], plus half of it (moduli.hpp).
  Storage result = Storage::half;
  /// Whether a factor is contiguous along the depth; factors of int8 must be.
  bool first_along_depth = false, second_along_depth = false;
  std::int64_t rows = 256;  ///< of a tile: 64, 128 or 256
  /// What comes after, by the rows and columns of the column-major result; not for one of integers.
  Epilogue after{};
  /// Of what comes after; native where there is none.
  Storage bias = Storage::native, scale = Storage::native, residual = Storage::native;
};
Facts facts_of(const MatrixUnitPayload& payload);

/// The shape of a work-group's work: a tile of `rows` x columns of the result.
struct MatrixUnitTile {
  static constexpr std::size_t columns = 128;
  static constexpr std::size_t threads = 384;
  static constexpr std::size_t map_bytes = 256;  ///< that a work-group writes its tensor maps into
  std::size_t rows = 256;
};

/// Bytes of an element of what the factors may be; 0 for what the matrix units do not take.
constexpr std::size_t matrix_unit_bytes(Storage factors) {
  return factors == Storage::half || factors == Storage::bfloat16 ? 2
         : factors == Storage::int8                               ? 1
                                                                  : 0;
}

/// Whether a device has the matrix units that these kernels are for: compute capability 9.0.
bool has_matrix_units(const Device& device);

/// The kernel `product`, and `copy_lines` and `transpose_lines`, which make factors such that it
/// can fetch them. The version is a digest of the templates and a number for the code.
///
/// Parameters: stages (of local memory, each 128 bytes along the depth), strip (tiles along the
/// columns of C that are computed one after another, so that they share factors in the cache).
class MatrixUnitGenerator final : public Generator {
 public:
  std::string family() const override { return "blas.gemm_mma"; }
  std::int64_t version() const override;
  Parameters defaults(const Request& request) const override;
  bool accepts(const Request& request, const Parameters& parameters) const override;
  std::vector<std::string> classes_like(const std::string& problem_class) const override;
  std::string generate(const Request& request, const Parameters& parameters) const override;
};

}  // namespace kiln::blas
