// Airfoil on ranks: its mesh, and time steps of it. All that times them does it by this.
#include "mpi/ranks/flow.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "mesh/io/mesh_io.hpp"

namespace kiln::bench {

AirfoilRows::AirfoilRows(const mpi::MeshFileBlock& block, const std::string& path) {
  const auto absent = [&](const char* name) {
    return Error(
        Errc::bad_input,
        fmt::format("{}: no '{}', expected a mesh of airfoil (kiln mesh naca0012)", path, name));
  };
  const auto count_of = [&](const char* name) {
    const auto* set = block.find_set(name);
    if (set == nullptr) throw absent(name);
    return set;
  };
  const auto map = [&](const char* name) {
    const auto* found = block.find_map(name);
    if (found == nullptr) throw absent(name);
    return std::vector<std::int32_t>(found->values.begin(), found->values.end());
  };
  const auto dat = [&]<class T>(const char* name, std::vector<T>& to) {
    const auto* found = block.find_dat(name);
    if (found == nullptr) throw absent(name);
    to.resize(found->bytes.size() / sizeof(T));
    std::copy_n(found->bytes.data(), found->bytes.size(), reinterpret_cast<std::byte*>(to.data()));
  };
  dat("p_bound", bound_);
  dat("p_x", x_);
  cell_nodes_ = map("pcell"), edge_nodes_ = map("pedge"), edge_cells_ = map("pecell");
  bedge_nodes_ = map("pbedge"), bedge_cells_ = map("pbecell");
  grid_.nodes = static_cast<std::size_t>(count_of("nodes")->count);
  grid_.cells = static_cast<std::size_t>(count_of("cells")->count);
  grid_.all_cells = static_cast<std::size_t>(count_of("cells")->size);
  grid_.cell_nodes = cell_nodes_, grid_.edge_nodes = edge_nodes_, grid_.edge_cells = edge_cells_;
  grid_.bedge_nodes = bedge_nodes_, grid_.bedge_cells = bedge_cells_;
  grid_.bound = bound_, grid_.x = x_;
}

std::unique_ptr<AirfoilRows> take_rows(const mpi::Communicator& comm, Words& words) {
  const std::string path = word_in(words, 0, "a mesh of airfoil, or cells along");
  const bool is_path =
      path.empty() || !std::ranges::all_of(path, [](char c) { return c >= '0' && c <= '9'; });
  if (is_path) {
    words.erase(words.begin());
    return std::make_unique<AirfoilRows>(comm, path);
  }
  const int along = number_in(words, 0, "cells along"), out = number_in(words, 1, "cells out");
  words.erase(words.begin(), words.begin() + 2);
  const auto whole = value_or_throw(mesh::make_naca0012({along, out}));
  return std::make_unique<AirfoilRows>(mpi::MeshFileBlock::of(comm, whole), "naca0012");
}

Flow::Flow(const mpi::Communicator& comm, const Runtime& runtime, const AirfoilRows& rows,
           const Setup& setup)
    : runtime_(runtime),
      transport_(mpi::transport(comm)),
      figures_(*transport_),
      mesh_(runtime_, transport_, setup.options) {
  mesh::Handles::session(mesh_)->stages_halos = setup.stages_halos;
  flow_ = std::make_unique<::airfoil::Airfoil<double>>(mesh_, rows.grid());
  if (comm.size() > 1 || setup.numbers == Numbers::of_parts) partition(setup);
  const Stopwatch watch;
  for (int step = 0; step < 3; ++step) flow_->step();
  mesh_.finish();
  first_seconds_ = watch.seconds();
}

Flow::Flow(const mpi::Communicator& comm, const std::string& path,
           const mesh::Mesh::Options& options, const mpi::RuntimeOptions& where, Numbers numbers)
    : Flow(comm, mpi::runtime_for_rank(comm, where), AirfoilRows(comm, path),
           Setup{.options = options, .numbers = numbers}) {}

void Flow::partition(const Setup& setup) {
  const Stopwatch watch;
  std::vector<std::int32_t>* const parts = setup.parts;
  if (parts != nullptr && !parts->empty()) {
    mesh_.partition(mesh::owners(flow_->cells(), *parts));
  } else {
    mesh::Partitioner scotch = mpi::scotch(flow_->cells(), {flow_->edge_cells()});
    if (parts != nullptr)
      scotch.cut = [parts, cut = scotch.cut](const mesh::PartitionInput& input) {
        return *parts = cut(input);
      };
    mesh_.partition(scotch, setup.weights);
  }
  cut_seconds_ = watch.seconds();
}

double Flow::timed(int steps) {
  figures_.meet();
  const Stopwatch watch;
  for (int step = 0; step < steps; ++step) flow_->step();
  mesh_.finish();
  return figures_.largest(watch.seconds());
}

}  // namespace kiln::bench
