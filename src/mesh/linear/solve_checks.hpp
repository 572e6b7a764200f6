#pragma once

#include <string>

#include "kiln/mesh/solve.hpp"

/// What a solution needs of what it is given. All throw bad_input unless said otherwise.
namespace kiln::mesh {

/// Throws "solve: WHY".
[[noreturn]] void refuse_solution(const std::string& why);
void check_options(const SolveOptions& options);
/// That x, b and the diagonal, where there is one, are of one Mesh, type and shape, and apart.
void check_dats(const MixedDat& x, const MixedDat& b, const MixedDat* diagonal);
/// Sums over a part are no inner products where others have the rest. Throws unsupported.
void check_sums(const SolveOptions& options, const MixedDat& x);
/// That the matrix is square, and x one of its columns.
void check_fits_rows(const MixedMat& mat, const MixedDat& x);

}  // namespace kiln::mesh
