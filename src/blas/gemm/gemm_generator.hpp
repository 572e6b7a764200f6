#pragma once

#include "blas/types.hpp"
#include "kernel/generator.hpp"

namespace kiln::blas {

/// The product of two packed matrices, and the kernels that pack them (templates/pack.cl):
///
///   pack_first, pack_second   an operand into panels of `rows` rows or `columns` columns
///   product                   C = alpha A B + beta C on the panels
///
/// Facts: precision ("s"), form, small (the result is too small for large tiles to fill the
/// device), native_floats. Parameters: rows, columns, depth (GemmTiles), for
/// GPUs stages, too. Forms, by device: "cpu"; "gpu" (any other); "sm80" and "sm90" (NVIDIA devices
/// of at least this architecture, with asynchronous copies, and from 9.0 on with the matrix units
/// for double precision). The form "cpu" has one work-item a work-group: a micro-kernel holds a
/// tile of rows x columns of C in vector registers and goes through one block of the panels,
/// reading the first as vectors and broadcasting the second (the scheme of Goto and van de Geijn,
/// Anatomy of High-Performance Matrix Multiplication, 2008; the tile's shape after BLIS, Van Zee
/// 2015). The forms for GPUs stand in templates/product_*.cl.
class GemmGenerator : public Generator {
 public:
  std::string family() const override { return "blas.gemm"; }
  std::int64_t version() const override { return 2; }
  Parameters defaults(const Request& request) const override;
  bool accepts(const Request& request, const Parameters& parameters) const override;
  std::string generate(const Request& request, const Parameters& parameters) const override;
};

}  // namespace kiln::blas
