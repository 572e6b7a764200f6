#pragma once

#include "kiln/mesh/par_loop.hpp"

namespace kiln::mesh {

/// The kernels of conjugate gradients for elements of `dim` components of one floating-point type.
/// Scalars are Globals: `s` is (r D r, r r) of an iteration, `next` that of the one after it; D is
/// the inverse diagonal or, without a preconditioner, 1.
struct CgKernels {
  CgKernels(ScalarType type, std::size_t dim, bool has_diagonal);

  Kernel invert;     ///< (d, lowest): d := 1 / d, lowest MIN |d|
  Kernel begin;      ///< (b, q, [d], r, p, s, bb): r := b - q, p := D r, s and bb = b b summed
  Kernel product;    ///< (p, q, pq): pq = p q summed
  Kernel update;     ///< (s, pq, goal, p, q, [d], x, r, next): a step along p, next summed
  Kernel direction;  ///< (s, next, [d], r, p): p := D r + beta p
};

}  // namespace kiln::mesh
