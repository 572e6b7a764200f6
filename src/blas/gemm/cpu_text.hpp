#pragma once

#include <string>

#include "blas/gemm/gemm_tiles.hpp"
#include "blas/types.hpp"

namespace kiln::blas {

/// The kernel `product` for CPUs; `lanes` reals make a vector. Follows the prelude and pack.cl.
std::string cpu_product_text(Precision precision, std::size_t lanes, const GemmTiles& tiles);

}  // namespace kiln::blas
