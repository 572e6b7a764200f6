#pragma once

#include <string>

#include "blas/gemm/gemm_tiles.hpp"
#include "blas/types.hpp"

namespace kiln::blas {

/// The function `tile`, which multiplies two panels into a tile of the result that is held in
/// vector registers; `lanes` reals make a vector. Follows the prelude and pack.cl.
std::string cpu_tile_text(Precision precision, std::size_t lanes, const GemmTiles& tiles);

}  // namespace kiln::blas
