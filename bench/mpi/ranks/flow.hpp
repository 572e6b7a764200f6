#pragma once

#include <memory>
#include <string>
#include <vector>

#include "airfoil.hpp"
#include "mesh/model/session.hpp"
#include "mpi/ranks/cases.hpp"

namespace kiln::bench {

/// This rank's rows of a mesh as the file of airfoil has it, ready for the Mesh that they go into.
class AirfoilRows {
 public:
  AirfoilRows(const mpi::Communicator& comm, const std::string& path)
      : AirfoilRows(mpi::MeshFileBlock::read(comm, path), path) {}
  /// `path`: what an error names.
  AirfoilRows(const mpi::MeshFileBlock& block, const std::string& path);
  AirfoilRows(const AirfoilRows&) = delete;  // the grid looks into it
  AirfoilRows& operator=(const AirfoilRows&) = delete;
  const ::airfoil::Grid& grid() const { return grid_; }

 private:
  std::vector<std::int32_t> cell_nodes_, edge_nodes_, edge_cells_, bedge_nodes_, bedge_cells_,
      bound_;
  std::vector<double> x_;
  ::airfoil::Grid grid_;
};

/// The rows of a mesh of a file, GRID, or of one that each rank makes, ALONG OUT; what is read goes
/// out of `words`.
std::unique_ptr<AirfoilRows> take_rows(const mpi::Communicator& comm, Words& words);

/// Airfoil on some ranks, cut by PT-Scotch where they are several, after its first steps.
class Flow {
 public:
  /// How one rank has its elements: as the file does, or in the order that parts have.
  enum class Numbers { of_file, of_parts };
  struct Setup {
    mesh::Mesh::Options options = {};
    Numbers numbers = Numbers::of_file;
    bool stages_halos = false;  ///< as with a device that has memory of its own
    /// Of this rank's rows of cells: empty: they are found, and put here. Null: they are found.
    std::vector<std::int32_t>* parts = nullptr;
    std::vector<double> weights = {};  ///< of the parts; empty: equal
  };
  Flow(const mpi::Communicator& comm, const Runtime& runtime, const AirfoilRows& rows,
       const Setup& setup);
  Flow(const mpi::Communicator& comm, const std::string& path, const mesh::Mesh::Options& options,
       const mpi::RuntimeOptions& where = {}, Numbers numbers = Numbers::of_file);

  /// Seconds of so many steps, from when all ranks are there until all are through.
  double timed(int steps);
  /// Of this rank: partition and migration; the first steps, which compile.
  double cut_seconds() const { return cut_seconds_; }
  double first_seconds() const { return first_seconds_; }
  const Figures& figures() const { return figures_; }
  mesh::Mesh& mesh() { return mesh_; }
  ::airfoil::Airfoil<double>& flow() { return *flow_; }
  std::size_t threads() const { return runtime_.devices().front().compute_units; }

 private:
  void partition(const Setup& setup);

  Runtime runtime_;
  std::shared_ptr<mesh::Transport> transport_;
  Figures figures_;
  mesh::Mesh mesh_;
  std::unique_ptr<::airfoil::Airfoil<double>> flow_;
  double cut_seconds_ = 0, first_seconds_ = 0;
};

}  // namespace kiln::bench
