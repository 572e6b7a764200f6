#pragma once

#include "kiln/mesh.hpp"
#include "problem.hpp"

namespace jac {

/// OP2's jac2 with kiln::mesh: the same in mixed precision, with data of several components of
/// which only the first counts: A of 3 doubles, r and u of 2 floats, du of 3 floats.
Solution jac2(kiln::mesh::Mesh& mesh, const Problem& problem, const Interlude& interlude = {});

}  // namespace jac
