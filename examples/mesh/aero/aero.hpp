#pragma once

#include <cstdint>
#include <span>

#include "kiln/mesh.hpp"

/// OP2's aero benchmark with kiln::mesh: steady potential flow around an aerofoil by finite
/// elements. Newton's method; each of its linear systems goes to conjugate gradients without a
/// preconditioner, which are parallel loops, too: the matrix is never put together from its cells.
namespace aero {

/// The mesh as files have it. Views.
struct Grid {
  std::size_t nodes = 0, cells = 0;
  std::size_t all_nodes = 0;  ///< of a distributed mesh: nodes of all parts; 0: it is in one
  std::span<const std::int32_t> cell_nodes;   ///< 4 a cell, row by row: opposite corners last
  std::span<const std::int32_t> bound_nodes;  ///< on the outer boundary
  std::span<const double> x;                  ///< 2 a node
};

/// What a step of Newton's method did.
struct Step {
  int cg_steps = 0;
  double rms = 0;  ///< root of the mean square change of the potential
};

/// The potential at the nodes and the nine loops over it, in double precision.
class Aero {
 public:
  Aero(kiln::mesh::Mesh& mesh, const Grid& grid);

  /// One Newton step. Its linear system is solved until the residual is a tenth of what it was,
  /// or 200 steps were made. Waits for the sums of each.
  Step step();

  kiln::mesh::Dat& potential() { return phi_; }
  /// What a distributed mesh is cut by (Mesh::partition).
  const kiln::mesh::Set& cells() const { return cells_; }
  const kiln::mesh::Map& cell_nodes() const { return cell_nodes_; }

 private:
  /// The change u for the residual, by conjugate gradients; the number of steps.
  int solve();

  std::size_t count_;
  kiln::mesh::Set nodes_, bound_, cells_;
  kiln::mesh::Map cell_nodes_, bound_nodes_;
  kiln::mesh::Dat x_, phi_, residual_, matrix_;
  kiln::mesh::Dat u_, v_, p_;  ///< the solution, matrix times direction, direction
  kiln::mesh::Global c1_, c2_, c3_, alpha_, beta_, rms_;
  kiln::mesh::Kernel res_calc_, dirichlet_, init_cg_, spmv_, dot_pv_, update_ur_, dot_r_, update_p_,
      update_;
};

/// OP2's criterion: after 20 steps on the mesh of 720000 cells the rms is that of its reference,
/// within 0.02 %. (200 steps of conjugate gradients amplify rounding, so no two programs agree
/// better than to about 0.01 %.)
struct Verdict {
  bool applies = false, passed = false;
  double deviation_percent = 0;
};
Verdict verdict(std::size_t cells, std::size_t steps, double rms);

}  // namespace aero
