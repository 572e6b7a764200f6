#include "blas/gemm/gemm_tiles.hpp"

namespace kiln::blas {

GemmTiles GemmTiles::of(const Parameters& parameters) {
  const auto get = [&](const char* name) {
    return static_cast<std::size_t>(parameters.get(name, 1));
  };
  return {get("rows"), get("columns"), get("depth")};
}

}  // namespace kiln::blas
