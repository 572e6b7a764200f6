#pragma once

#include "kiln/mesh.hpp"
#include "problem.hpp"

namespace jac {

/// OP2's jac1 with kiln::mesh: two sweeps of Jacobi's method in double precision.
Solution jac1(kiln::mesh::Mesh& mesh, const Problem& problem, const Interlude& interlude = {});

}  // namespace jac
