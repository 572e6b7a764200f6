#pragma once

#include <cstddef>

#include "device/device.hpp"
#include "kernel/parameters.hpp"
#include "kernel/request.hpp"

namespace kiln::blas {

/// The tunable part of a matrix product, typed: the panels that both operands are packed into, and
/// the tile of the result that is kept in registers. clBLAS's SubproblemDim says the same of two
/// levels: itemX, itemY and bwidth are rows, columns and depth here.
struct GemmTiles {
  std::size_t rows = 0;     ///< of a panel of the first operand; a multiple of a vector's lanes
  std::size_t columns = 0;  ///< of a panel of the second operand
  /// For CPUs columns of a block, at most: what a tile goes through before it is stored. For GPUs
  /// columns that are in local memory at a time.
  std::size_t depth = 0;

  static GemmTiles of(const Parameters& parameters);
};

constexpr std::size_t panels_of(std::size_t size, std::size_t width) {
  return (size + width - 1) / width;
}

}  // namespace kiln::blas
