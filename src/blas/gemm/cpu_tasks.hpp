#pragma once

#include "blas/gemm/gemm_tiles.hpp"

namespace kiln::blas {

/// How the work of a product on a CPU is cut into tasks: arguments of templates/product_tasks.cl,
/// which says what they mean.
struct CpuTasks {
  std::size_t teams = 1;         ///< work-groups
  std::size_t block = 1;         ///< columns of the depth
  std::size_t slots = 1;         ///< blocks that are held in packed form
  std::size_t lead = 1;          ///< blocks by which packing is ahead
  std::size_t first_panels = 1;  ///< of a task that packs the first factor
  std::size_t second_panels = 1;
  std::size_t row_panels = 1;  ///< of a part of the result
  std::size_t column_panels = 1;
  std::size_t counters = 0;  ///< integers of the state, beside those that are always there

  /// For a product of rows x depth by depth x columns; sizes in elements. Pure. `in_place`: the
  /// result lies where a factor does, so that all is packed first.
  static CpuTasks of(const GemmTiles& tiles, std::size_t compute_units, std::size_t element_bytes,
                     std::size_t rows, std::size_t columns, std::size_t depth, bool in_place);
};

}  // namespace kiln::blas
