#pragma once

#include <vector>

#include "kiln/mesh/mixed.hpp"
#include "kiln/mesh/par_loop.hpp"
#include "mesh/model/session.hpp"

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

/// A kernel of templates/conjugate_gradients.cl for these elements.
Kernel cg_kernel(const char* name, ScalarType type, std::size_t dim, bool has_diagonal);
/// Dats on the same sets, with as many components.
MixedDat cg_vectors(const MixedDat& like, const char* name);
/// A Global of the Dat's type.
Global cg_scalar(const Dat& like, std::size_t dim, const char* name = "scalar");

/// A Global's numbers, whatever its type; waits for them.
std::vector<double> values_of(const Global& global);
void set_all(Global& global, std::span<const double> values);
void set_all(Global& global, double value);

/// Iterations between two looks at the residual: a few at first, then ever more up to this. A look
/// waits for the device, which then waits for the host; each iteration beyond the last one is for
/// nothing.
inline constexpr std::size_t first_look = 4, looks_apart = 16;

/// Vectors and scalars for the sets, dimensions and type of a solution.
struct Workspace {
  Workspace(const MixedDat& like, bool with_diagonal);
  bool fits(const MixedDat& x, bool with_diagonal) const;
  std::size_t parts() const { return r.size(); }

  SessionPtr session;
  bool has_diagonal;
  std::vector<CgKernels> kernels;  ///< by part
  MixedDat r, p, q, d;
  Global bb, goal, lowest;
  std::vector<Global> s, pq;  ///< of the iterations since the last look; s[0] is what came before
};

}  // namespace kiln::mesh
