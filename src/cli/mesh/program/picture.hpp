#pragma once

#include <cstdint>
#include <span>
#include <string>

/// What the applications show in ParaView.
namespace kiln::cli {

/// The cells that are drawn. Views.
struct PictureGrid {
  std::span<const double> x;                 ///< 2 a node
  std::span<const std::int32_t> cell_nodes;  ///< 4 a cell
  std::size_t nodes = 0, cells = 0;
};

/// Writes a .vtu with density, momentum, energy, pressure and Mach number of each cell, of `q`: 4
/// numbers a cell. `Real` is double or float. Throws Error.
template <class Real>
void write_flow(const std::string& path, const PictureGrid& grid, std::span<const Real> q);

/// Writes a .vtu with the potential at the nodes. Throws Error.
void write_potential(const std::string& path, const PictureGrid& grid,
                     std::span<const double> potential);

}  // namespace kiln::cli
