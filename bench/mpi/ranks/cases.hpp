#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "airfoil.hpp"
#include "kiln/mesh.hpp"
#include "kiln/mpi.hpp"

/// Measurements that ranks make together: bench-mpi CASE WORDS… runs one of them, and rank 0 prints
/// what it found as an object of JSON in a line. Functions are collective.
namespace kiln::bench {

using Words = std::vector<std::string>;
using Found = nlohmann::ordered_json;

/// Numbers of all ranks.
class Figures {
 public:
  explicit Figures(mesh::Transport& transport) : transport_(transport) {}
  std::vector<double> all(double mine) const;  ///< by rank
  double largest(double mine) const;
  double sum(double mine) const;
  void meet() const { all(0); }

 private:
  mesh::Transport& transport_;
};

/// This rank's rows of a mesh as the file of airfoil has it, ready for the Mesh that they go into.
class AirfoilRows {
 public:
  AirfoilRows(const mpi::Communicator& comm, const std::string& path);
  const ::airfoil::Grid& grid() const { return grid_; }

 private:
  std::vector<std::int32_t> cell_nodes_, edge_nodes_, edge_cells_, bedge_nodes_, bedge_cells_,
      bound_;
  std::vector<double> x_;
  ::airfoil::Grid grid_;
};

/// Airfoil on some ranks, cut by PT-Scotch where they are several.
class Flow {
 public:
  /// How one rank has its elements: as the file does, or in the order that parts have.
  enum class Numbers { of_file, of_parts };
  Flow(const mpi::Communicator& comm, const std::string& path, const mesh::Mesh::Options& options,
       const mpi::RuntimeOptions& where = {}, Numbers numbers = Numbers::of_file);
  /// Seconds of so many steps, from when all ranks are there until all are through.
  double timed(int steps);
  const Figures& figures() const { return figures_; }
  mesh::Mesh& mesh() { return mesh_; }
  ::airfoil::Airfoil<double>& flow() { return *flow_; }
  std::size_t threads() const { return runtime_.devices().front().compute_units; }

 private:
  Runtime runtime_;
  std::shared_ptr<mesh::Transport> transport_;
  Figures figures_;
  mesh::Mesh mesh_;
  std::unique_ptr<::airfoil::Airfoil<double>> flow_;
};

/// The number in `words`. Throws bad_input: what was expected.
int number_in(const Words& words, std::size_t at, const char* what);
const std::string& word_in(const Words& words, std::size_t at, const char* what);

// partition GRID: the cut of PT-Scotch as Kiln calls it, against PT-Scotch alone.
Found partition_case(const mpi::Environment& mpi, const Words& words);
// setup GRID: from the file to the first loop, and the memory that takes.
Found setup_case(const mpi::Environment& mpi, const Words& words);
// steps GRID STEPS ROUNDS: time steps of airfoil.
Found steps_case(const mpi::Environment& mpi, const Words& words);
// duel GRID STEPS ROUNDS, of three ranks: two against the third one, which has both their cores.
Found duel_case(const mpi::Environment& mpi, const Words& words);
// delay GRID STEPS ROUNDS MICROSECONDS: steps with late messages and without, in turns; with
// libkiln-mpi-delay.so preloaded.
Found delay_case(const mpi::Environment& mpi, const Words& words);
// model GRID SMALL STEPS ROUNDS: what a step takes, predicted from constants that are measured at
// the same time; SMALL has as many cells as a part of GRID.
Found model_case(const mpi::Environment& mpi, const Words& words);
// traffic GRID PARTS FILE, of one rank: who sends how much to whom if the mesh has so many parts.
Found traffic_case(const mpi::Environment& mpi, const Words& words);
// call: a loop of 8 arguments that was called before, above its enqueues.
Found call_case(const mpi::Environment& mpi, const Words& words);
// start GRID STORE: how often the loops of airfoil are compiled.
Found start_case(const mpi::Environment& mpi, const Words& words);
// exchange BYTES DEVICES, of two ranks: a halo of a Dat, both ways.
Found exchange_case(const mpi::Environment& mpi, const Words& words);

}  // namespace kiln::bench
