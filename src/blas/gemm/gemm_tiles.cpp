#include "blas/gemm/gemm_tiles.hpp"

#include <algorithm>

namespace kiln::blas {

GemmTiles GemmTiles::of(const Parameters& parameters) {
  const auto get = [&](const char* name) {
    return static_cast<std::size_t>(parameters.get(name, 1));
  };
  return {get("rows"), get("columns"), get("depth")};
}

GemmBlocks gemm_blocks(const GemmTiles& tiles, const Device& device, std::size_t element_bytes,
                       std::size_t rows, std::size_t columns) {
  // Half of a second-level cache holds the panels of the first operand. OpenCL tells only the size
  // of some cache; 1 MiB is what current cores have.
  constexpr std::size_t cache = 512 << 10, most_column_panels = 8, groups_per_unit = 8;
  const std::size_t row_panels = panels_of(rows, tiles.rows);
  const std::size_t column_panels = panels_of(columns, tiles.columns);
  GemmBlocks blocks;
  blocks.row_panels =
      std::clamp<std::size_t>(cache / (tiles.rows * tiles.depth * element_bytes), 1, row_panels);
  blocks.column_panels = std::min(most_column_panels, column_panels);
  const auto groups = [&] {
    return panels_of(row_panels, blocks.row_panels) *
           panels_of(column_panels, blocks.column_panels);
  };
  while (groups() < device.compute_units * groups_per_unit &&
         blocks.row_panels * blocks.column_panels > 1) {
    auto& longer = blocks.row_panels * tiles.rows >= blocks.column_panels * tiles.columns &&
                           blocks.row_panels > 1
                       ? blocks.row_panels
                       : blocks.column_panels;
    if (longer == 1) break;
    longer = (longer + 1) / 2;
  }
  return blocks;
}

}  // namespace kiln::blas
