#pragma once

#include <functional>

#include "kiln/mesh/mixed_matrix.hpp"

namespace kiln::mesh {

struct SolverState;

/// When a solution is good enough, and when there will be none. Norms are Euclidean, of the
/// residual b - A x over owned elements.
struct SolveOptions {
  double relative = 1e-7;   ///< done where the residual is at most this much of the norm of b
  double absolute = 1e-50;  ///< or this much
  double divergence = 1e4;  ///< given up where it is more than this much of the norm of b, or of
                            ///< the first residual where that is larger
  std::size_t most_iterations = 10000;
  enum class Preconditioner : std::uint8_t { none, jacobi } preconditioner = Preconditioner::jacobi;
  /// Of distributed meshes: adds each of a few numbers up over all parts, in place, and gives all
  /// parts the same sums, to the last bit (MPI_Allreduce with MPI_SUM). Called on the thread that
  /// solves, equally often on all parts; may not use the Mesh. What it throws goes to who solves.
  /// Iterations wait for the host then. Empty: inner products are of this part alone, so that sets
  /// with a HaloExchange are refused. On a Mesh with a Transport it must be empty: sums are of all
  /// parts by themselves, one for each iteration.
  std::function<void(std::span<double> values)> sum{};
};

struct SolveResult {
  std::size_t iterations = 0;
  double residual = 0;     ///< its norm, as the method updates it
  bool converged = false;  ///< end is End::converged; else x is no solution: nothing is thrown
  /// Why it ended. `indefinite`: a direction p with p A p <= 0 was met, which a symmetric positive
  /// definite matrix has not; x stays as it was before.
  enum class End : std::uint8_t {
    converged,
    iterations,
    diverged,
    indefinite
  } end = End::iterations;
};

/// y := A x, by loops of the caller's; y is to be overwritten. What it adds to must be zeroed
/// there.
using Operator = std::function<void(const Dat& x, const Dat& y)>;
using MixedOperator = std::function<void(const MixedDat& x, const MixedDat& y)>;

/// The method of conjugate gradients (Hestenes and Stiefel 1952) with the diagonal as
/// preconditioner, for symmetric positive definite matrices. All vectors and scalars stay on the
/// device; the host looks at the residuals of several iterations at once, and what was computed
/// beyond the last one that was needed changes nothing: results do not depend on how often it
/// looks. Keeps its vectors and loops for the next solution over the same set. One thread.
class KILN_API Solver {
 public:
  /// Throws bad_input for options that are negative or NaN.
  explicit Solver(const SolveOptions& options = {});
  ~Solver();
  /// What was moved from may be assigned to, or go; solve() throws bad_input.
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  /// Solves A x = b, beginning with what x holds. x and b are on the row set, of the matrix's
  /// floating-point type, with row_dim components. Throws bad_input: the matrix is not square, or
  /// has a zero on the diagonal (with jacobi), something is no number (NaN), Dats that do not fit;
  /// unsupported: their sets have a HaloExchange, and SolveOptions::sum is empty.
  SolveResult solve(const Mat& mat, const Dat& x, const Dat& b);
  /// The same with an operator. `diagonal`: the preconditioner's; null: none is used.
  SolveResult solve(const Operator& apply, const Dat& x, const Dat& b,
                    const Dat* diagonal = nullptr);
  /// The same between mixed spaces; all parts are of one type. Note that forms with a part that
  /// only constrains another (a pressure) are indefinite: this method is not for them.
  SolveResult solve(const MixedMat& mat, const MixedDat& x, const MixedDat& b);
  SolveResult solve(const MixedOperator& apply, const MixedDat& x, const MixedDat& b,
                    const MixedDat* diagonal = nullptr);

 private:
  std::unique_ptr<SolverState> state_;
};

/// One solution with a Solver of its own.
KILN_API SolveResult solve(const Mat& mat, const Dat& x, const Dat& b,
                           const SolveOptions& options = {});
KILN_API SolveResult solve(const Operator& apply, const Dat& x, const Dat& b,
                           const SolveOptions& options = {}, const Dat* diagonal = nullptr);
KILN_API SolveResult solve(const MixedMat& mat, const MixedDat& x, const MixedDat& b,
                           const SolveOptions& options = {});
KILN_API SolveResult solve(const MixedOperator& apply, const MixedDat& x, const MixedDat& b,
                           const SolveOptions& options = {}, const MixedDat* diagonal = nullptr);

}  // namespace kiln::mesh
