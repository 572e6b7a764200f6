#pragma once

#include "blas/types.hpp"
#include "kernel/generator.hpp"

namespace kiln::blas {

/// The kernel `product`, C = alpha A B + beta C, and what packs the factors for it. The version is
/// a digest of the templates and a number for the code.
///
/// Facts: precision ("s"), form, small (the result is too small for large tiles to fill the
/// device), native_floats; solves (for CPUs, absent: no): the kernel is `solve` instead, which
/// solves triangular systems by the same tiles (templates/solve_tasks.cl). Parameters: rows,
/// columns, depth (GemmTiles), for GPUs stages, too. Forms, by device:
///
///   cpu   one kernel, templates/product_tasks.cl, that packs and multiplies. A work-group is one
///         work-item: a micro-kernel holds a tile of rows x columns of C in vector registers and
///         goes through one block of the panels, reading the first as vectors and broadcasting the
///         second (the scheme of Goto and van de Geijn, Anatomy of High-Performance Matrix
///         Multiplication, 2008; the tile's shape after BLIS, Van Zee 2015).
///   gpu   for work-groups of 256 and 48 KiB of local memory:
///         pack_first and pack_second copy a factor into panels of `rows` rows or `columns`
///         columns, product multiplies them (templates/product_*.cl).
///   gpu32, gpu_small   the same with fewer stages, for 32 KiB of local memory, and with
///   work-groups
///         of 64, for devices of which the vendors' lists say even less.
///   sm80, sm90   the same with asynchronous copies, for NVIDIA devices of at least this
///         architecture; from 9.0 on with the matrix units for double precision.
class GemmGenerator : public Generator {
 public:
  std::string family() const override { return "blas.gemm"; }
  std::int64_t version() const override;
  Parameters defaults(const Request& request) const override;
  bool accepts(const Request& request, const Parameters& parameters) const override;
  /// A large product is much like a larger one; where a result has few tiles, others are better
  /// (docs/performance.md has the figures).
  Reach reach() const override { return {2, 8}; }
  std::vector<std::string> classes_like(const std::string& problem_class) const override;
  std::string generate(const Request& request, const Parameters& parameters) const override;
};

}  // namespace kiln::blas
