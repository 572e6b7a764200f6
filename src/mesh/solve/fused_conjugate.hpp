#pragma once

#include <vector>

#include "kiln/mesh/solve.hpp"
#include "mesh/solve/cg_kernels.hpp"

namespace kiln::mesh {

/// Vectors, scalars and kernels of solve_fused().
struct FusedWorkspace {
  FusedWorkspace(const MixedDat& like, bool with_diagonal);
  bool fits(const MixedDat& x, bool with_diagonal) const;
  /// What is in d. Throws bad_input for a zero, on all parts.
  void invert_diagonal();

  struct Kernels {
    Kernel invert;  ///< as CgKernels'
    Kernel start;   ///< (b, q, [d], r, u, bb): r := b - q, u := D r, bb = b b summed
    Kernel sums;    ///< (r, u, w, sums): r u, r r and w u
    Kernel step;    ///< (alpha and beta, w, [d], p, s, x, r, u)
  };
  bool has_diagonal;
  std::vector<Kernels> kernels;  ///< by part of a mixed space
  MixedDat r, u, w, p, s, d;
  Global bb, sums, coefficients, lowest;
};

/// Conjugate gradients with one sum over all parts an iteration (Chronopoulos and Gear 1989): the
/// inner products are those of the residual r, u = D r and w = A u, from which that of the
/// direction with A follows. The same iterates but for rounding, for one vector more.
SolveResult solve_fused(const SolveOptions& options, FusedWorkspace& work,
                        const MixedOperator& apply, const MixedDat& x, const MixedDat& b);

}  // namespace kiln::mesh
