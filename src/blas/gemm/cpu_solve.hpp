#pragma once

#include "blas/gemm/product.hpp"

namespace kiln::blas {

/// op(A) X = alpha B (`left`) or X op(A) = alpha B, with A triangular and X where B is.
struct TriangularSystem {
  Region coefficients;  ///< A, `size` x `size`
  Transpose trans = Transpose::none;
  bool upper = false;  ///< A as it is stored
  bool unit = false;   ///< A's diagonal is ones, not read
  bool left = true;
  bool forward = true;  ///< the unknowns with low numbers come first
  Region right_sides;   ///< B: size x others, or others x size
  std::size_t size = 0, others = 0;
  Product::Coefficient alpha{};
};

/// Whether add_cpu_solve() suits a system on a queue's device: a CPU with right-hand sides for all
/// of its compute units, and a matrix of which a packed copy is no burden.
bool solves_at_once(const SequenceBuilder& builder, unsigned queue, std::size_t size,
                    std::size_t others, bool left);

/// Adds the one step that solves a system on a CPU (templates/solve_tasks.cl).
void add_cpu_solve(SequenceBuilder& builder, unsigned queue, const TriangularSystem& system);

}  // namespace kiln::blas
