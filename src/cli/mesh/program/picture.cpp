#include "cli/mesh/program/picture.hpp"

#include <cmath>

#include "base/file.hpp"
#include "mesh/file/vtu.hpp"

namespace kiln::cli {
namespace {

template <class T>
mesh::FileDat dat_of(const char* name, const char* set, int dim, std::span<const T> values) {
  return {name, set, dim, mesh::scalar_type_of<T>(), mesh::bytes_of_values(values)};
}

mesh::MeshFile mesh_of(const PictureGrid& grid) {
  mesh::MeshFile file;
  file.sets = {{"nodes", static_cast<std::int64_t>(grid.nodes)},
               {"cells", static_cast<std::int64_t>(grid.cells)}};
  file.maps = {{"pcell", "cells", "nodes", 4, {grid.cell_nodes.begin(), grid.cell_nodes.end()}}};
  file.dats = {dat_of("p_x", "nodes", 2, grid.x)};
  return file;
}

/// Everything but the coordinates is shown.
void write(const std::string& path, const mesh::MeshFile& file) {
  mesh::VtuChoice choice;
  for (std::size_t dat = 1; dat < file.dats.size(); ++dat)
    choice.dats.push_back(file.dats[dat].name);
  value_or_throw(write_file(path, value_or_throw(mesh::write_vtu(file, choice))));
}

/// What is computed of a cell's density, momentum and energy, for a gas of two atoms (its ratio of
/// heats is 1.4).
template <class Real>
struct Derived {
  Real pressure = 0, mach = 0;
  explicit Derived(const Real* q) {
    constexpr Real ratio = static_cast<Real>(1.4);
    const Real square = (q[1] * q[1] + q[2] * q[2]) / (q[0] * q[0]);
    pressure = (ratio - 1) * (q[3] - q[0] * square / 2);
    mach = std::sqrt(square / (ratio * pressure / q[0]));
  }
};

}  // namespace

template <class Real>
void write_flow(const std::string& path, const PictureGrid& grid, std::span<const Real> q) {
  std::vector<Real> density, momentum, energy, pressure, mach;
  for (std::size_t cell = 0; cell < grid.cells; ++cell) {
    const Real* own = &q[4 * cell];
    const Derived<Real> derived(own);
    density.push_back(own[0]);
    momentum.insert(momentum.end(), {own[1], own[2], 0});  // vectors have three components there
    energy.push_back(own[3]);
    pressure.push_back(derived.pressure);
    mach.push_back(derived.mach);
  }
  mesh::MeshFile file = mesh_of(grid);
  const auto add = [&](const char* name, int dim, const std::vector<Real>& values) {
    file.dats.push_back(dat_of(name, "cells", dim, std::span<const Real>(values)));
  };
  add("density", 1, density);
  add("momentum", 3, momentum);
  add("energy", 1, energy);
  add("pressure", 1, pressure);
  add("mach", 1, mach);
  write(path, file);
}

template void write_flow(const std::string&, const PictureGrid&, std::span<const double>);
template void write_flow(const std::string&, const PictureGrid&, std::span<const float>);

void write_potential(const std::string& path, const PictureGrid& grid,
                     std::span<const double> potential) {
  mesh::MeshFile file = mesh_of(grid);
  file.dats.push_back(dat_of("potential", "nodes", 1, potential));
  write(path, file);
}

}  // namespace kiln::cli
