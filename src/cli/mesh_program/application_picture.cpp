// Pictures of what an application has computed.
#include <cmath>

#include "base/os/file.hpp"
#include "cli/command/context.hpp"
#include "cli/mesh_program/application_io.hpp"
#include "cli/mesh_program/ranks.hpp"
#include "kiln/mesh/file.hpp"
#include "mesh/io/mesh_io.hpp"

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

/// What follows from a cell's density, momentum and energy, for a diatomic gas (its ratio of
/// specific heats is 1.4).
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

template <class Real>
std::vector<mesh::FileDat> flow_fields(std::span<const Real> q) {
  std::vector<Real> density, momentum, energy, pressure, mach;
  for (std::size_t at = 0; at < q.size(); at += 4) {
    const Real* own = &q[at];
    const Derived<Real> derived(own);
    density.push_back(own[0]);
    momentum.insert(momentum.end(), {own[1], own[2], 0});  // vectors of VTK have three components
    energy.push_back(own[3]);
    pressure.push_back(derived.pressure);
    mach.push_back(derived.mach);
  }
  std::vector<mesh::FileDat> fields;
  const auto add = [&](const char* name, int dim, const std::vector<Real>& values) {
    fields.push_back(dat_of(name, "cells", dim, std::span<const Real>(values)));
  };
  add("density", 1, density);
  add("momentum", 3, momentum);
  add("energy", 1, energy);
  add("pressure", 1, pressure);
  add("mach", 1, mach);
  return fields;
}

}  // namespace

Picture::Picture(const Context& context, mesh::Mesh& mesh, const PictureGrid& grid,
                 const mesh::Map& cell_nodes)
    : path_(context.has("vtu") ? context.text("vtu") : ""),
      mesh_(&mesh),
      grid_(grid),
      cells_(cell_nodes) {
  if (!path_.empty() && ranks() != nullptr)
    coordinates_ = mesh.dat<double>("coordinates", cells_.to(), 2, grid.x);
}

void Picture::write(std::vector<mesh::FileDat> fields) const {
  if (ranks() == nullptr) {
    mesh::MeshFile file = mesh_of(grid_);
    mesh::VtuChoice choice;
    for (mesh::FileDat& field : fields) {
      choice.dats.push_back(field.name);
      file.dats.push_back(std::move(field));
    }
    return file.write_vtu(path_, choice);
  }
  std::vector<mesh::Dat> dats;
  for (const mesh::FileDat& field : fields)
    dats.push_back(mesh_->dat(field.name,
                              mesh::DataSet(field.set == "cells" ? cells_.from() : cells_.to(),
                                            static_cast<std::size_t>(field.dim)),
                              field.type, field.bytes.data(),
                              field.bytes.size() / mesh::size_of(field.type),
                              mesh::DataLayout::aos));
  mesh::write_vtu(*mesh_, path_, cells_, *coordinates_, dats);
}

template <class Real>
void Picture::write_flow(const mesh::Dat& q) const {
  if (!path_.empty()) write(flow_fields(q.read<Real>()));
}

template void Picture::write_flow<double>(const mesh::Dat&) const;
template void Picture::write_flow<float>(const mesh::Dat&) const;

void Picture::write_potential(mesh::Dat potential) const {
  if (path_.empty()) return;
  if (ranks() != nullptr) potential.exchange_halo();  // nodes of owned cells may be others'
  write({dat_of("potential", "nodes", 1, potential.read<double>())});
}

}  // namespace kiln::cli
