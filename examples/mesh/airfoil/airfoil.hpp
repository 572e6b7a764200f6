#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kiln/mesh.hpp"

/// OP2's airfoil benchmark with kiln::mesh: inviscid flow around an aerofoil, 1000 explicit steps.
namespace airfoil {

/// The mesh as files have it: sizes by the lists' lengths. Views.
struct Grid {
  std::size_t nodes = 0, cells = 0;
  std::size_t all_cells = 0;  ///< of a distributed mesh: cells of all parts; 0: it is in one
  std::span<const std::int32_t> cell_nodes;                ///< 4 a cell, once round
  std::span<const std::int32_t> edge_nodes, edge_cells;    ///< 2 an edge
  std::span<const std::int32_t> bedge_nodes, bedge_cells;  ///< 2 and 1 a boundary edge
  std::span<const std::int32_t> bound;                     ///< 1: wall; else far field
  std::span<const double> x;                               ///< 2 a node
};

/// The state of the flow and the five loops over it. `Real` is double or float.
template <class Real>
class Airfoil {
 public:
  Airfoil(kiln::mesh::Mesh& mesh, const Grid& grid);

  /// One time step of two stages. Queues nine loops; waits for nothing.
  void step();
  /// Root of the mean square change of the last stage: waits for it.
  double rms();

  // The loops of a step, for who measures them.
  void save_soln();
  void adt_calc();
  void res_calc();
  void bres_calc();
  void update();
  void clear_and_update();  ///< with the sum of changes begun anew

  kiln::mesh::Dat& q() { return q_; }
  /// What a distributed mesh is cut by (Mesh::partition).
  const kiln::mesh::Set& cells() const { return cells_; }
  const kiln::mesh::Map& edge_cells() const { return edge_cells_; }
  const kiln::mesh::Map& cell_nodes() const { return cell_nodes_; }

 private:
  std::size_t count_;
  kiln::mesh::Set nodes_, edges_, bedges_, cells_;
  kiln::mesh::Map edge_nodes_, edge_cells_, bedge_nodes_, bedge_cells_, cell_nodes_;
  kiln::mesh::Dat bound_, x_, q_, qold_, adt_, res_;
  kiln::mesh::Global rms_;
  kiln::mesh::Kernel save_soln_, adt_calc_, res_calc_, bres_calc_, update_;
};

/// OP2's criterion: after 1000 steps on the mesh of 720000 cells the rms is that of its reference,
/// within 1e-5 % in double and 0.1 % in single precision.
struct Verdict {
  bool applies = false, passed = false;
  double deviation_percent = 0;
};
Verdict verdict(std::size_t cells, std::size_t iterations, double rms, bool is_double);

}  // namespace airfoil
